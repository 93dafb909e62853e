import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "./answer.ts";
import { digits, plural, size } from "./format.ts";
import { headPath, type Way } from "./head.ts";
import type { ByteRange, DeviceDetail } from "./planner/types.ts";
import { mergedZones, zoneByZone } from "./resets.ts";
import { made } from "./state.ts";

const ways: { way: Way; title: string; help: string }[] = [
  { way: "hole_by_hole", title: "Hole by hole, mirror by mirror", help: "a request for each hole of each block group on each of its stripes" },
  { way: "merged", title: "Merged", help: "the same ranges, queued per device and merged" },
  { way: "bridged", title: "Bridged", help: "gaps that are written anyway need no second request" },
];

const WIDE = 300;
const HIGH = 120;

/** The way of the head: where on the device (from left to right), request after request (from top to bottom). */
function Head({ title, help, requests, count, whole, share }: { title: string; help: string; requests: ByteRange[]; count?: bigint; whole: bigint; share: number }) {
  const words = plural(count ?? requests.length, "request");
  const path = headPath(requests, whole, WIDE, HIGH);
  const seen = Math.max(1, Math.ceil(share * path.length));
  const now = path[seen - 1];
  return (
    <figure class="head">
      <figcaption><strong>{title}</strong> <span class="count">{words}</span><small>{help}</small></figcaption>
      <svg viewBox={`-4 -4 ${WIDE + 8} ${HIGH + 8}`} role="img" aria-label={`${title}: ${words}`}>
        <rect class="track" x="-4" y="-4" width={WIDE + 8} height={HIGH + 8} />
        {path.length > 1 && <polyline class="seek" points={path.slice(0, seen).map(({ from, y }) => `${from},${y}`).join(" ")} />}
        {path.slice(0, seen).map(({ from, to, y }, index) => <line key={index} class="request" x1={from} x2={to} y1={y} y2={y} />)}
        {share < 1 && now !== undefined && <circle class="now" cx={now.to} cy={now.y} r="4" />}
      </svg>
    </figure>
  );
}

function Steps({ detail }: { detail: DeviceDetail }) {
  const rows: [string, keyof DeviceDetail["overview"]["steps"], string][] = [
    ["Wipe", "wipe", "sectors of old signatures, flushed before anything else"],
    ["Discard", "discard", "what the filesystem does not need"],
    ["Reset zones", "reset_zones", "zones that are not empty"],
    ["Make zero", "zero", "what must read as zeros: written only where it does not"],
    ["Write", "write", "tree blocks and parity, then a flush"],
    ["Commit", "commit", "superblocks: from now on there is a filesystem"],
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Steps of the device">
      <table>
        <thead><tr><th scope="col">Step</th><th scope="col">Ranges</th><th scope="col">Bytes</th><th scope="col">The first ones</th></tr></thead>
        <tbody>
          {rows.map(([name, key, help]) => {
            const step = detail.overview.steps[key];
            return (
              <tr key={key} class={step.count === 0n ? "none" : ""}>
                <th scope="row">{name}<small>{help}</small></th>
                <td class="number">{digits(step.count)}</td>
                <td class="number">{size(step.bytes)}</td>
                <td>{step.first.map(([start, length]) => `${size(length)} at ${size(start)}`).join(", ")}{step.count > BigInt(step.first.length) && ", …"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const still = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Zone resets, as the discard requests are shown. */
function Resets({ detail, share }: { detail: DeviceDetail; share: number }) {
  const zones = detail.overview.found.zones;
  if (!zones) return null;
  const each = zoneByZone(zones, 4000);
  if (each.count === 0n) return null;
  const whole = detail.overview.limit;
  return (
    <>
      <h3>Zone resets</h3>
      <div class="heads">
        <Head title="Zone by zone" help="a request for each zone that is not empty" requests={each.requests} count={each.count} whole={whole} share={share} />
        <Head title="Merged" help="neighbouring zones are one request" requests={mergedZones(zones)} whole={whole} share={share} />
        <Head title="Planned" help="empty zones between them need no second request" requests={detail.reset_zones} whole={whole} share={share} />
      </div>
    </>
  );
}

/** From 0 to 1 in a few seconds, or at once where people want no motion. */
function useRun(): [number, () => void, boolean] {
  const [share, setShare] = useState(1);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  const run = () => {
    cancelAnimationFrame(frame.current);
    if (still()) return setShare(1);
    const start = performance.now();
    const next = (now: number) => {
      const done = Math.min(1, (now - start) / 3000);
      setShare(done);
      if (done < 1) frame.current = requestAnimationFrame(next);
    };
    frame.current = requestAnimationFrame(next);
  };
  return [share, run, share < 1];
}

export function ScheduleView() {
  const plan = made.value;
  const [chosen, choose] = useState("1");
  const devices = plan?.glance.devices ?? [];
  const devid = devices.some((device) => String(device.devid) === chosen) ? BigInt(chosen) : 1n;
  const requests = useAnswer([plan?.number, devid], "discardRequests", "made", devid).value;
  const detail = useAnswer([plan?.number, devid], "device", "made", devid).value;
  const [share, run, running] = useRun();
  if (plan === undefined) return <p class="empty">There is no plan yet.</p>;
  const { discards, statistics } = plan.glance;
  const { discard } = statistics;
  const most = discard.hole_by_hole > 0n ? discard.hole_by_hole : 1n;
  const counts: [string, bigint][] = [["Hole by hole, mirror by mirror", discard.hole_by_hole], ["Merged", discard.merged], ["Bridged", discard.bridged], ["Planned", discards]];
  const whole = detail?.overview.limit ?? 1n;
  return (
    <div class="schedule">
      <h2>Discard requests of all devices</h2>
      <table class="counts">
        <tbody>
          {counts.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{digits(count)}</td>
              <td class="meter"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8" /><rect class="fill" width={Math.max(count > 0n ? 0.5 : 0, Number((count * 1000n) / most) / 10)} height="8" /></svg></td>
            </tr>
          ))}
          {statistics.zone_resets.zone_by_zone > 0n && (
            <tr><th scope="row">Zone resets</th><td class="number">{digits(statistics.zone_resets.ranges)}</td><td>instead of {digits(statistics.zone_resets.zone_by_zone)} zone by zone</td></tr>
          )}
        </tbody>
      </table>
      <div class="line">
        <h2>One device</h2>
        <label for="schedule-device" class="hidden">Device</label>
        <select id="schedule-device" value={String(devid)} onChange={(event) => choose(event.currentTarget.value)}>
          {devices.map((device) => <option key={String(device.devid)} value={String(device.devid)}>Device {String(device.devid)}, {size(device.size)}</option>)}
        </select>
        <button onClick={run} disabled={running}>Play</button>
      </div>
      <p class="help">Across: the place on the device. Down: one request after the other. The thin line is the way of the head between them. What is small is drawn wider than to scale.</p>
      <h3>Discard requests</h3>
      <div class="heads">
        {ways.map(({ way, title, help }) => <Head key={way} title={title} help={help} requests={requests?.[way] ?? []} whole={whole} share={share} />)}
      </div>
      {detail !== undefined && <Resets detail={detail} share={share} />}
      {detail !== undefined && <Steps detail={detail} />}
    </div>
  );
}
