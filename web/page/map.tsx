import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "./answer.ts";
import { ask } from "./engine.ts";
import { digits, percent, plural, size } from "./format.ts";
import type { DeviceFacts, DeviceGlance, Glance, Piece, Window } from "./planner/types.ts";
import { made, view } from "./state.ts";
import { zoomed, type Range } from "./zoom.ts";

/** Pixels of a cell: the narrowest that anything is drawn. */
const cellOf = (width: number): number => (width < 600 ? 7 : 12);
const BAR = 34;
const FATE = 7;
const ZONE = 6;
/** Devices whose maps are drawn before somebody asks for more. */
const SHOWN = 24;

const holders = ["superblock", "system", "metadata", "data", "mixed", "reserved", "unallocated", "outside"] as const;
const names: Record<string, string> = { mixed: "data+metadata", outside: "not used" };
/** What the map shows a chunk as: the remap tree is metadata like any other. */
const drawn: Record<string, string> = { "data+metadata": "mixed", remap: "metadata" };
const holderOf = (kind: string) => drawn[kind] ?? kind;
const letters: Record<string, string> = { data: "data", mixed: "mixed", metadata: "meta", system: "sys", unallocated: "unallocated", reserved: "reserved", outside: "not used" };

/** What the pointer or the keyboard is on: its chunks are marked on all devices. */
const pointed = signal<{ devid: bigint; piece: Piece } | undefined>(undefined);
const pinned = signal<{ devid: bigint; piece: Piece } | undefined>(undefined);
/** Where each device is looked at; the whole device where nothing is said. */
const ranges = signal<ReadonlyMap<bigint, Range>>(new Map());
const asTable = signal(false);

const looked = (): { devid: bigint; piece: Piece } | undefined => pointed.value ?? pinned.value;
const linked = (piece: Piece): boolean => {
  const now = looked();
  return now !== undefined && now.piece.chunks.length <= 4 && piece.chunks.some((chunk) => now.piece.chunks.includes(chunk));
};

const same = (one: { devid: bigint; piece: Piece } | undefined, devid: bigint, piece: Piece): boolean =>
  one !== undefined && one.devid === devid && one.piece.start === piece.start;

function look(devid: bigint, range: Range | undefined): void {
  const next = new Map(ranges.value);
  if (range === undefined) next.delete(devid);
  else next.set(devid, range);
  ranges.value = next;
}

/** What a piece is, in words. */
export function words(piece: Piece): string {
  const parts = [
    names[piece.holder] ?? piece.holder,
    `${size(piece.start)} to ${size(piece.start + piece.length)} (${size(piece.length)})`,
    piece.fate,
    piece.chunks.length === 1 ? `chunk ${digits(piece.chunks[0] ?? 0n)}${piece.stripe === undefined || piece.stripe === null ? "" : `, stripe ${piece.stripe}`}` : "",
    piece.chunks.length > 1 ? plural(piece.chunks.length, "chunk") : "",
    piece.zone ? `zones ${piece.zone}` : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function Defs() {
  return (
    <svg width="0" height="0" class="defs" aria-hidden="true" focusable="false">
      <defs>
        <pattern id="p-data" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="c-data" /><path d="M0 8L8 0" class="mark" /></pattern>
        <pattern id="p-mixed" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="c-mixed" /><path d="M0 8L8 0M0 0L8 8" class="mark" /></pattern>
        <pattern id="p-metadata" width="7" height="7" patternUnits="userSpaceOnUse"><rect width="7" height="7" class="c-metadata" /><circle cx="3.5" cy="3.5" r="1.1" class="dot" /></pattern>
        <pattern id="p-system" width="5" height="5" patternUnits="userSpaceOnUse"><rect width="5" height="5" class="c-system" /><path d="M0 2.5H5" class="mark" /></pattern>
        <pattern id="p-reserved" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" class="c-reserved" /><path d="M0 0L6 6" class="mark" /></pattern>
      </defs>
    </svg>
  );
}

/** A device of the plan with what it was found to be. */
interface Mapped {
  device: DeviceGlance;
  found: DeviceFacts;
  /** Of the plan. */
  number: number;
}

const wholeOf = ({ device, found }: Pick<Mapped, "device" | "found">): bigint => (found.size > device.size ? found.size : device.size);

/** A device of the last plan. */
function mapped(devid: bigint): Mapped | undefined {
  const plan = made.value;
  const device = plan?.glance.devices[Number(devid) - 1];
  const found = plan?.request.devices[Number(devid) - 1];
  return plan === undefined || device === undefined || found === undefined ? undefined : { device, found, number: plan.number };
}

function Bar({ device, found, number }: Mapped) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [map, setMap] = useState<Window | undefined>(undefined);
  const range = ranges.value.get(device.devid);
  const whole = wholeOf({ device, found });
  const start = range?.start ?? 0n;
  const length = range?.length ?? whole;
  useLayoutEffect(() => {
    const box = frame.current;
    if (box === null) return;
    setWidth(box.clientWidth);
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const cell = cellOf(width);
  const cells = Math.max(8, Math.floor(width / cell));
  useEffect(() => {
    if (width === 0) return;
    let current = true;
    ask("window", "made", device.devid, start, length, cells).then((next) => current && setMap(next), () => current && setMap(undefined));
    return () => void (current = false);
  }, [number, start, length, cells, width === 0]);

  const zones = useAnswer([number, device.devid], "zones", "made", device.devid).value;
  const zoom = (factor: number, at = 0.5) => look(device.devid, zoomed({ start, length }, whole, factor, at));
  const pan = (share: number) => range !== undefined && look(device.devid, zoomed({ start: start + BigInt(Math.round(Number(length) * share)), length }, whole, 1, 0.5));
  const onKey = (event: KeyboardEvent) => {
    const keys: Record<string, () => void> = {
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => look(device.devid, undefined),
      ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  useEffect(() => {
    const box = frame.current;
    if (box === null) return;
    // Scrolling the page stays what it is: only with Ctrl, as browsers zoom, does the wheel zoom the map.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const place = box.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - place.left) / place.width);
    };
    box.addEventListener("wheel", onWheel, { passive: false });
    return () => box.removeEventListener("wheel", onWheel);
  });
  const drag = useRef<{ x: number; start: bigint; length: bigint } | undefined>(undefined);
  const height = BAR + FATE + 2 + (map?.zone_size ? ZONE + 9 : 0);
  let x = 0;
  const pieces = (map?.pieces ?? []).map((piece) => {
    const at = x;
    x += piece.cells * cell;
    return { piece, at, wide: piece.cells * cell };
  });
  const pointers = (zones ?? []).flatMap((zone) => {
    const offset = zone.start + (zone.after ?? 0n);
    const inside = pieces.find(({ piece }) => piece.start <= offset && offset < piece.start + piece.length);
    if (!zone.after || inside === undefined) return [];
    return [{ zone, x: inside.at + (Number(offset - inside.piece.start) / Number(inside.piece.length)) * inside.wide }];
  });
  const now = looked();
  return (
    <div
      class={range === undefined ? "bar" : "bar zoomed"}
      ref={frame}
      tabIndex={0}
      role="group"
      aria-roledescription="device map"
      aria-label={`Map of device ${device.devid}, ${size(start)} to ${size(start + length)} of ${size(whole)}. Plus and minus zoom, arrows move, zero shows all.`}
      onKeyDown={onKey}
      onPointerDown={(event) => range !== undefined && (drag.current = { x: event.clientX, start, length })}
      onPointerMove={(event) => {
        const from = drag.current;
        if (from === undefined || event.buttons === 0 || width === 0) return;
        const by = BigInt(Math.round((Number(from.length) * (from.x - event.clientX)) / width));
        look(device.devid, zoomed({ start: from.start + by, length: from.length }, whole, 1, 0.5));
      }}
      onPointerUp={() => (drag.current = undefined)}
      onPointerLeave={() => (pointed.value = undefined)}
    >
      <svg width={x} height={height} viewBox={`0 0 ${Math.max(1, x)} ${height}`} aria-hidden="true" focusable="false">
        {pieces.map(({ piece, at, wide }) => (
          <g
            key={`${piece.start}`}
            class={[`h-${piece.holder}`, linked(piece) ? "linked" : "", same(now, device.devid, piece) ? "here" : ""].join(" ")}
            onPointerEnter={() => (pointed.value = { devid: device.devid, piece })}
            onClick={() => (pinned.value = same(pinned.value, device.devid, piece) ? undefined : { devid: device.devid, piece })}
            onDblClick={() => look(device.devid, zoomed({ start: piece.start, length: piece.length }, whole, 1, 0.5))}
          >
            <rect class="holder" x={at} y={0} width={wide} height={BAR} />
            {wide > (letters[piece.holder] ?? piece.holder).length * 7 + 6 && <text x={at + wide / 2} y={BAR / 2 + 4}>{letters[piece.holder] ?? ""}</text>}
            <rect class={`fate f-${piece.fate}`} x={at} y={BAR + 2} width={wide} height={FATE} />
            {piece.zone && <rect class={`zone z-${piece.zone}`} x={at} y={BAR + FATE + 4} width={wide} height={ZONE} />}
            <rect class="edge" x={at + 0.5} y={0.5} width={Math.max(1, wide - 1)} height={BAR - 1} />
          </g>
        ))}
        {pointers.map(({ zone, x: at }) => <path key={String(zone.index)} class="pointer" d={`M${at} ${BAR + FATE + ZONE + 4}l-4 7h8z`} />)}
      </svg>
      {range !== undefined && <Overviewer whole={whole} start={start} length={length} />}
    </div>
  );
}

/** Where the part that is shown lies on the device, to scale. */
function Overviewer({ whole, start, length }: { whole: bigint; start: bigint; length: bigint }) {
  const share = (bytes: bigint) => (Number(bytes) / Number(whole)) * 100;
  return (
    <svg class="overviewer" viewBox="0 0 100 4" preserveAspectRatio="none" width="100%" height="4" aria-hidden="true">
      <rect class="track" width="100" height="4" />
      <rect class="thumb" x={Math.min(99.4, share(start))} width={Math.max(0.6, share(length))} height="4" />
    </svg>
  );
}

function Device({ device, found, number }: Mapped) {
  const whole = wholeOf({ device, found });
  const range = ranges.value.get(device.devid);
  const zoom = (factor: number) => look(device.devid, zoomed(range ?? { start: 0n, length: whole }, whole, factor, 0.5));
  return (
    <section class="map-device" id={`map-${device.devid}`} aria-label={`Device ${device.devid}`}>
      <header>
        <h3>Device {String(device.devid)}</h3>
        <span class="facts">{size(device.size)} · {percent(device.allocated, device.size)} allocated{found.path ? ` · ${found.path}` : ""}{found.rotational ? " · rotating" : ""}{device.zones ? ` · ${digits(device.zones.total)} zones of ${size(device.zones.size)}` : ""}</span>
        <span class="zoom">
          {range !== undefined && <span class="shown">{size(range.start)} + {size(range.length)}</span>}
          <button aria-label={`Zoom into device ${device.devid}`} onClick={() => zoom(0.5)}>+</button>
          <button aria-label={`Zoom out of device ${device.devid}`} disabled={range === undefined} onClick={() => zoom(2)}>−</button>
          <button aria-label={`Show all of device ${device.devid}`} disabled={range === undefined} onClick={() => look(device.devid, undefined)}>All</button>
        </span>
      </header>
      {asTable.value ? <Table device={device} found={found} number={number} /> : <Bar device={device} found={found} number={number} />}
      {device.zones && device.zones.not_empty + device.zones.total > 0n && <Zones devid={device.devid} number={number} />}
    </section>
  );
}

function Table({ device, found, number }: Mapped) {
  const whole = wholeOf({ device, found });
  const range = ranges.value.get(device.devid) ?? { start: 0n, length: whole };
  const { value } = useAnswer([number, range.start, range.length], "window", "made", device.devid, range.start, range.length, 4000);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Parts of device ${device.devid}`}>
      <table>
        <thead><tr><th scope="col">Start</th><th scope="col">Length</th><th scope="col">Holder</th><th scope="col">What happens</th><th scope="col">Chunk</th>{device.zones && <th scope="col">Zones</th>}</tr></thead>
        <tbody>
          {value?.pieces.map((piece) => (
            <tr key={String(piece.start)}>
              <td class="number">{digits(piece.start)}</td>
              <td class="number">{size(piece.length)}</td>
              <td><span class={`swatch s-${piece.holder}`} aria-hidden="true" /> {names[piece.holder] ?? piece.holder}</td>
              <td>{piece.fate}</td>
              <td class="number">{piece.chunks.map((chunk) => digits(chunk)).join(", ")}</td>
              {device.zones && <td>{piece.zone ?? ""}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Zones({ devid, number }: { devid: bigint; number: number }) {
  const { value } = useAnswer([number, devid], "zones", "made", devid);
  if (value === undefined || value.length === 0) return null;
  const pointer = (bytes: bigint | null | undefined) => (bytes === undefined || bytes === null ? "none" : size(bytes));
  return (
    <details class="zones">
      <summary>{value.length < 512 ? plural(value.length, "zone") : "The first 512 zones"} with something in {value.length === 1 ? "it" : "them"}, and write pointers</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Zones of device ${devid}`}>
        <table>
          <thead><tr><th scope="col">Zone</th><th scope="col">Start</th><th scope="col">As found</th><th scope="col">Write pointer found</th><th scope="col">Reset</th><th scope="col">Write pointer afterwards</th></tr></thead>
          <tbody>
            {value.map((zone) => (
              <tr key={String(zone.index)}>
                <td class="number">{digits(zone.index)}</td><td class="number">{size(zone.start)}</td><td>{zone.state}</td>
                <td class="number">{pointer(zone.before)}</td><td>{zone.reset ? "yes" : "no"}</td><td class="number">{pointer(zone.after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** What there is of this plan, and nothing else. */
function Legend({ glance, facts }: { glance: Glance; facts: readonly DeviceFacts[] }) {
  const { chunks, devices, discards, statistics } = glance;
  const kinds = new Set(chunks.map((chunk) => holderOf(chunk.kind)));
  const cut = devices.some((device, index) => {
    const whole = facts[index]?.size ?? 0n;
    return device.limit < whole || device.size < whole;
  });
  const there: Record<string, boolean> = {
    superblock: true, reserved: true, unallocated: true, outside: cut, zeroed: glance.zeroed, discarded: discards > 0n, reset: statistics.zone_resets.ranges > 0n,
    written: true, kept: cut || discards === 0n,
  };
  const states = new Set(facts.flatMap((found) => found.zones?.runs.map((run) => run[1]) ?? []));
  return (
    <ul class="legend" aria-label="Legend">
      {holders.filter((holder) => there[holder] ?? kinds.has(holder)).map((holder) => <li key={holder}><span class={`swatch s-${holder}`} aria-hidden="true" />{names[holder] ?? holder}</li>)}
      {["written", "zeroed", "discarded", "reset", "kept"].filter((fate) => there[fate]).map((fate) => <li key={fate}><span class={`swatch thin f-${fate}`} aria-hidden="true" />{fate}</li>)}
      {["conventional", "empty", "open", "closed", "full", "readonly", "offline"].filter((state) => states.has(state as "empty")).map((state) => <li key={state}><span class={`swatch thin z-${state}`} aria-hidden="true" />{state} zones</li>)}
      {states.size > 0 && <li><span aria-hidden="true">▴</span>write pointers afterwards</li>}
    </ul>
  );
}

/** Looks at a part of a device, with something around it so that its neighbours are seen. */
export function showPlace(devid: bigint, offset: bigint, length: bigint): void {
  const one = mapped(devid);
  if (one === undefined) return;
  look(devid, zoomed({ start: offset - length * 8n, length: length * 17n }, wholeOf(one), 1, 0.5));
  asTable.value = false;
  view.value = "map";
  // The view is drawn first.
  setTimeout(() => document.getElementById(`map-${devid}`)?.scrollIntoView({ block: "center" }), 50);
}

/** The chunks, by logical address. */
function Chunks({ glance }: { glance: Glance }) {
  return (
    <>
      <h3>Chunks</h3>
      <div class="scroll chunks" tabIndex={0} role="region" aria-label="Chunks">
        <table>
          <thead><tr><th scope="col">Logical</th><th scope="col">Length</th><th scope="col">Holds</th><th scope="col">Profile</th><th scope="col">Stripes</th></tr></thead>
          <tbody>
            {glance.chunks.slice(0, 200).map((chunk) => (
              <tr key={String(chunk.logical)}>
                <td class="number">{digits(chunk.logical)}</td><td class="number">{size(chunk.length)}</td>
                <td><span class={`swatch s-${holderOf(chunk.kind)}`} aria-hidden="true" /> {chunk.kind}</td><td>{chunk.profile}</td>
                <td>
                  {chunk.stripes.slice(0, 6).map((stripe, index) => (
                    <button key={index} class="place" aria-label={`Show device ${stripe.devid} at ${size(stripe.offset)} on the map`} onClick={() => showPlace(stripe.devid, stripe.offset, chunk.stripe_length)}>{String(stripe.devid)} at {size(stripe.offset)}</button>
                  ))}
                  {chunk.stripes.length > 6 && ` and ${chunk.stripes.length - 6} more`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Details() {
  const now = looked();
  if (now === undefined) return <p class="looked">Point at a part to see what it is, and where its other copies and stripes are. Click to keep it; double-click to zoom to it.</p>;
  const chunk = made.value?.glance.chunks.find((one) => one.logical === now.piece.chunks[0]);
  return (
    <p class="looked">
      <span><span class={`swatch s-${now.piece.holder}`} aria-hidden="true" /> <strong>Device {String(now.devid)}</strong> · {words(now.piece)}</span>
      {chunk !== undefined && now.piece.chunks.length === 1 && (
        <span class="places">
          {chunk.kind} {chunk.profile}, {size(chunk.length)}: {chunk.stripes.slice(0, 12).map((stripe, index) => (
            <button key={index} onClick={() => {
              const one = mapped(stripe.devid);
              if (one !== undefined) look(stripe.devid, zoomed({ start: stripe.offset, length: chunk.stripe_length }, wholeOf(one), 1, 0.5));
            }}>device {String(stripe.devid)} at {size(stripe.offset)}</button>
          ))}
          {chunk.stripes.length > 12 && ` and ${chunk.stripes.length - 12} more`}
        </span>
      )}
    </p>
  );
}

export function MapView() {
  const [all, setAll] = useState(false);
  const plan = made.value;
  if (plan === undefined) return <p class="empty">There is no plan yet.</p>;
  const count = plan.glance.devices.length;
  const devices = plan.glance.devices.slice(0, all ? count : SHOWN).flatMap((device) => mapped(device.devid) ?? []);
  return (
    <div class="map">
      <Defs />
      <h2 class="hidden">Map</h2>
      <div class="map-top">
        <Legend glance={plan.glance} facts={plan.request.devices} />
        <button aria-pressed={asTable.value} onClick={() => (asTable.value = !asTable.value)}>As a table</button>
      </div>
      {devices.map((one) => <Device key={String(one.device.devid)} {...one} />)}
      {devices.length < count && <button onClick={() => setAll(true)}>Show all {count} devices</button>}
      <p class="help">Each device has a scale of its own. Small things are drawn wider than to scale. The thin bar below says what happens to each part.</p>
      <Details />
      <Chunks glance={plan.glance} />
    </div>
  );
}
