import { signal } from "@preact/signals";
import { useAnswer } from "./answer.ts";
import { digits, percent, plural, size } from "./format.ts";
import type { CapacityView } from "./planner/types.ts";
import { made } from "./state.ts";

const lost = signal<ReadonlySet<bigint>>(new Set());

const verdicts = {
  whole: "Nothing is lost",
  degraded: "Everything can still be read, from fewer copies or with the help of parity",
  lost: "Some of it is lost",
};

const reasons: Record<string, string> = {
  "no-partner": "too few other devices have room for a chunk of this profile",
  "too-small": "it is less than the smallest stripe",
};

const survives = (which: string, any: bigint): string =>
  any === 0n ? `${which} does not survive the loss of every single device.` : `${which} survives the loss of any ${any === 1n ? "device" : `${digits(any)} devices`}.`;

function Capacity({ capacity }: { capacity: CapacityView }) {
  const rows: [string, bigint, string][] = [
    ["Devices", capacity.total, "the sum of what the filesystem uses of them"],
    ["Data that fits", capacity.data, `${percent(capacity.data, capacity.total)} of the devices, in ${plural(capacity.data_chunks, "chunk")}, where only data is added`],
    ["With checksums", capacity.data_with_checksums, "where metadata grows as the checksums of that data need it"],
  ];
  const wasted = capacity.devices.filter((device) => device.left > 0n || device.tails > 0n);
  return (
    <>
      <h2>Capacity</h2>
      <table>
        <tbody>{rows.map(([name, bytes, why]) => <tr key={name}><th scope="row">{name}</th><td class="number">{size(bytes)}</td><td>{why}</td></tr>)}</tbody>
      </table>
      <h3>What cannot be used</h3>
      {wasted.length === 0 && <p class="good">✓ A full filesystem leaves nothing of any device but what is reserved</p>}
      {wasted.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Space that cannot be used">
          <table>
            <thead><tr><th scope="col">Device</th><th scope="col">In chunks</th><th scope="col">Reserved</th><th scope="col">Left over</th><th scope="col">Why</th></tr></thead>
            <tbody>
              {wasted.slice(0, 64).map((device) => (
                <tr key={String(device.devid)}>
                  <th scope="row">Device {String(device.devid)}</th><td class="number">{size(device.allocated)}</td><td class="number">{size(device.reserved)}</td>
                  <td class="number">{size(device.left + device.tails)}</td>
                  <td>{[device.reason ? (reasons[device.reason] ?? device.reason) : "", device.tails > 0n ? `${size(device.tails)} behind the capacity of zones` : ""].filter((why) => why !== "").join("; ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

export function ResilienceView() {
  const plan = made.value;
  const devids = plan?.glance.devices.map((device) => device.devid) ?? [];
  const gone = devids.filter((devid) => lost.value.has(devid));
  const capacity = useAnswer([plan?.number], "capacity", "made").value;
  const answer = useAnswer([plan?.number, gone.join(" ")], "resilience", "made", gone).value;
  if (plan === undefined) return <p class="empty">There is no plan yet.</p>;
  const toggle = (devid: bigint) => {
    const next = new Set(lost.value);
    if (!next.delete(devid)) next.add(devid);
    lost.value = next;
  };
  return (
    <div class="resilience">
      {capacity !== undefined && <Capacity capacity={capacity} />}
      <h2>Lose devices</h2>
      <p class="help">Press a device to lose it.{capacity !== undefined && ` ${survives("The new filesystem", capacity.new.any)} ${survives("A full one", capacity.full.any)}`}</p>
      <div class="lose" role="group" aria-label="Devices to lose">
        {plan.glance.devices.slice(0, 256).map((device) => (
          <button key={String(device.devid)} aria-pressed={lost.value.has(device.devid)} onClick={() => toggle(device.devid)}>
            {lost.value.has(device.devid) ? "✕ " : ""}Device {String(device.devid)} <small>{size(device.size)}</small>
          </button>
        ))}
        {gone.length > 0 && <button onClick={() => (lost.value = new Set())}>Bring all back</button>}
      </div>
      {answer !== undefined && (
        <>
          <p class={`verdict v-${answer.verdict}`} role="status">{answer.verdict === "lost" ? "✕ " : answer.verdict === "degraded" ? "! " : "✓ "}{verdicts[answer.verdict]}</p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Chunks">
            <table>
              <thead><tr><th scope="col">Chunk</th><th scope="col">Holds</th><th scope="col">Profile</th><th scope="col">Stripes lost</th><th scope="col">What is left</th></tr></thead>
              <tbody>
                {answer.chunks.map((chunk) => (
                  <tr key={String(chunk.logical)} class={`v-${chunk.survival}`}>
                    <td class="number">{digits(chunk.logical)}</td><td>{chunk.kind}</td><td>{chunk.profile}</td><td class="number">{chunk.lost} of {chunk.stripes}</td>
                    <td>{chunk.survival === "whole" ? "all" : chunk.survival === "degraded" ? "all, degraded" : "not all of it"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </div>
  );
}
