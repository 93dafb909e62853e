import { useMemo, useState } from "preact/hooks";
import { Check, ChoiceField, SizeField } from "./fields.tsx";
import { exact, plural, size } from "./format.ts";
import { become, keysOf } from "./identity.ts";
import { doubled, moved, replaced, without } from "./lists.ts";
import { readLsblk, readRequest } from "./planner/planner.js";
import type { DeviceFacts, Imported, Request } from "./planner/types.ts";
import { plain, presets } from "./presets.ts";
import { atFault, FieldProblem } from "./problem.tsx";
import { problemOf } from "./protocol.ts";
import { change, notice, replaceRequest, request } from "./state.ts";

/** Rows that are drawn at most: a form of a thousand devices is a list of the first ones. */
const SHOWN = 32;

/** What a device is, in a few words. */
function words(device: DeviceFacts): string {
  const kinds = [
    /^\d{1,4}[KMGTPE]$/.test(exact(device.size)) ? "" : size(device.size),
    device.rotational ? "rotating" : "",
    `${device.logical_sector}-byte sectors`,
    device.discard ? "discards" : "no discard",
    device.zones ? `${size(device.zones.size)} zones` : "",
    device.signatures.length > 0 ? `holds ${device.signatures.map((one) => one.kind).join(", ")}` : "",
  ];
  return kinds.filter((kind) => kind !== "").join(" · ");
}

/** A copy of a device is another device: it has no path and no serial number yet. */
function copied(device: DeviceFacts): DeviceFacts {
  const { path: _, serial: __, ...rest } = device;
  return rest;
}

const CopyIcon = () => (
  <svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true" focusable="false"><path class="icon" d="M4.5 4.5h7v7h-7zM8.5 4.5v-3h-7v7h3" /></svg>
);

interface Place {
  device: DeviceFacts;
  index: number;
  last: boolean;
}

/** A row is made again where its device changed, not with every change of the request. */
function Row({ device, index, last }: Place) {
  return useMemo(() => <Form device={device} index={index} last={last} />, [device, index, last]);
}

function Form({ device, index, last }: Place) {
  const put = (next: DeviceFacts) => change({ devices: replaced(request.peek().devices, index, become(device, next)) });
  const rearrange = (how: (devices: DeviceFacts[]) => DeviceFacts[]) => change({ devices: how(request.peek().devices) });
  const name = `device ${index + 1}`;
  const zoned = device.zones !== undefined && device.zones !== null;
  return (
    <li class={atFault("size", index) || atFault("zones", index) || atFault("signatures", index) ? "device at-fault" : "device"}>
      <div class="device-head">
        <span class="number" aria-hidden="true">{index + 1}</span>
        <SizeField id={`size-${index}`} label={`Size of ${name}`} field="size" device={index} value={device.size} onChange={(bytes) => bytes !== undefined && put(resized(device, bytes))} />
        <div class="row-actions">
          <button aria-label={`Move ${name} up`} title="Up" disabled={index === 0} onClick={() => rearrange((devices) => moved(devices, index, index - 1))}>↑</button>
          <button aria-label={`Move ${name} down`} title="Down" disabled={last} onClick={() => rearrange((devices) => moved(devices, index, index + 1))}>↓</button>
          <button aria-label={`Copy ${name}`} title="Copy" onClick={() => rearrange((devices) => doubled(devices, index, copied))}><CopyIcon /></button>
          <button aria-label={`Remove ${name}`} title="Remove" onClick={() => rearrange((devices) => without(devices, index))}>✕</button>
        </div>
      </div>
      {device.path && <p class="path">{device.path}{device.model ? ` · ${device.model}` : ""}</p>}
      <FieldProblem field="zones" device={index} id={`zones-problem-${index}`} />
      <FieldProblem field="signatures" device={index} id={`signatures-problem-${index}`} />
      <FieldProblem field="path" device={index} id={`path-problem-${index}`} />
      <details>
        <summary>{words(device)}</summary>
        <ChoiceField id={`sector-${index}`} label="Logical sector" field="logical_sector" device={index} value={String(device.logical_sector)} options={["512", "4096", "8192", "16384"].map((value) => ({ value, label: value }))} onChange={(value) => put({ ...device, logical_sector: Number(value), physical_sector: Math.max(Number(value), device.physical_sector) })} />
        <Check id={`rotational-${index}`} label="Rotating" checked={device.rotational} onChange={(rotational) => put({ ...device, rotational })} />
        <Check id={`discard-${index}`} label="Discards" checked={Boolean(device.discard)} onChange={(on) => {
          const { discard: _, ...rest } = device;
          put(on ? { ...rest, discard: { alignment: 0n, granularity: 4096n, max_bytes: 1n << 50n } } : rest);
        }} />
        <Check id={`zoned-${index}`} label="Zoned, empty zones of 256 MiB" checked={zoned} onChange={(on) => {
          const { zones: _, ...rest } = device;
          put(on ? { ...rest, zones: emptyZones(device.size) } : rest);
        }} />
      </details>
    </li>
  );
}

const ZONE = 256n << 20n;
function emptyZones(bytes: bigint): NonNullable<DeviceFacts["zones"]> {
  return { max_active: 0, max_open: 0, model: "host-managed", runs: [[bytes / ZONE, "empty"]], size: ZONE };
}

/** The device with another size. A zone report fits one size only: its last run grows or shrinks. */
function resized(device: DeviceFacts, bytes: bigint): DeviceFacts {
  const zones = device.zones;
  if (!zones || zones.size === 0n) return { ...device, size: bytes };
  const runs = zones.runs.map((run) => [...run] as typeof run);
  const last = runs.at(-1);
  if (last === undefined) return { ...device, size: bytes };
  const others = runs.slice(0, -1).reduce((sum, run) => sum + (run[0] as bigint), 0n);
  const count = bytes / zones.size - others;
  if (count > 0n) last[0] = count;
  return { ...device, size: bytes, zones: { ...zones, runs } };
}

export function Devices() {
  const devices = request.value.devices;
  const [all, setAll] = useState(false);
  const shown = all ? devices : devices.slice(0, SHOWN);
  const keys = keysOf(shown);
  const add = (more: DeviceFacts[]) => change({ devices: [...devices, ...more] });
  return (
    <fieldset>
      <legend>Devices <small>{plural(devices.length, "device")}</small></legend>
      <FieldProblem field="devices" id="devices-problem" />
      <ol class="devices">
        {shown.map((device, index) => <Row key={keys[index]} device={device} index={index} last={index === devices.length - 1} />)}
      </ol>
      {shown.length < devices.length && <button onClick={() => setAll(true)}>Show all {devices.length}</button>}
      <div class="buttons" role="group" aria-label="Add devices">
        <button class="primary" onClick={() => add([devices.at(-1) === undefined ? plain() : copied(devices[devices.length - 1] ?? plain())])}>Add device</button>
        {presets.map((preset) => <button key={preset.name} title={preset.help} aria-label={`Add ${preset.name}: ${preset.help}`} onClick={() => add(preset.devices())}>+ {preset.name}</button>)}
        <button onClick={() => change({ devices: [] })} disabled={devices.length === 0}>Remove all</button>
      </div>
      <Import />
    </fieldset>
  );
}

/** Takes a pasted listing, or a saved request. */
export function take(text: string): string {
  if (/"blockdevices"/.test(text)) {
    const imported = readLsblk(text) as Imported;
    change({ devices: imported.devices });
    return [`${plural(imported.devices.length, "disk")} taken`, ...imported.left_out].join("; ");
  }
  replaceRequest(readRequest(text) as Request);
  return "The request is taken";
}

function Import() {
  const [text, setText] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const go = () => {
    try {
      notice.value = take(text);
      setText("");
      setError(undefined);
    } catch (thrown) {
      setError(problemOf(thrown).message);
    }
  };
  return (
    <details>
      <summary>Take the devices of a real machine</summary>
      <p class="help" id="import-help">
        Paste what <code>lsblk -JbO</code> prints there, or a request that <code>btrfs-plan --print-request</code> saved; or drop the file anywhere on the page.
      </p>
      <label for="import" class="hidden">Output of lsblk, or a request</label>
      <textarea id="import" rows={4} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} aria-describedby="import-help" />
      {error !== undefined && <p class="field-problem" role="alert">{error}</p>}
      <button onClick={go} disabled={text.trim() === ""}>Take</button>
    </details>
  );
}
