import { useState } from "preact/hooks";
import { useAnswer } from "./answer.ts";
import { digits, plural, size } from "./format.ts";
import { rows } from "./hex.ts";
import { showPlace } from "./map.tsx";
import type { BlockView, DecodedBlock, Field } from "./planner/types.ts";
import { ProblemNote } from "./problem.tsx";
import { made } from "./state.ts";

interface Highlight {
  offset: number;
  length: number;
}

function Hex({ bytes, highlight }: { bytes: string; highlight: Highlight | undefined }) {
  const from = highlight?.offset ?? -1;
  const to = from + (highlight?.length ?? 0);
  return (
    <div class="hex scroll" tabIndex={0} role="region" aria-label="Bytes in hexadecimal">
      {rows(bytes, highlight).map((row) =>
        "zeros" in row ? (
          <div key={row.offset} class="zeros">{row.offset.toString(16).padStart(5, "0")}  {digits(row.zeros)} bytes of zeros</div>
        ) : (
          <div key={row.offset}>
            <span class="at">{row.offset.toString(16).padStart(5, "0")}</span>{"  "}
            {row.bytes.map((byte, index) => {
              const at = row.offset + index;
              return at >= from && at < to ? <mark key={index}>{byte}</mark> : <span key={index} class={byte === "00" ? "zero" : ""}>{byte}</span>;
            })}
          </div>
        ),
      )}
    </div>
  );
}

function Fields({ fields, light }: { fields: Field[]; light(field: Highlight | undefined): void }) {
  return (
    <dl class="fields">
      {fields.map((field) => {
        const place = { offset: Number(field.offset), length: Number(field.length) };
        return (
          <div key={`${field.offset} ${field.name}`} tabIndex={0} class={field.raw ? "raw" : ""} onPointerEnter={() => light(place)} onFocus={() => light(place)} title={`${field.length} bytes at ${field.offset}`}>
            <dt>{field.name}</dt>
            <dd>{field.value}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function Decoded({ decoded, bytes }: { decoded: DecodedBlock; bytes: string }) {
  const [highlight, light] = useState<Highlight | undefined>(undefined);
  return (
    <div class="decoded">
      <div class="meaning scroll" tabIndex={0} role="region" aria-label="Fields">
        <p class={decoded.checksum_holds ? "good" : "bad"}>{decoded.checksum_holds ? "The checksum holds" : "The checksum is wrong"}</p>
        {decoded.problems.map((problem) => <p key={problem} class="bad">{problem}</p>)}
        <details open>
          <summary>Header</summary>
          <Fields fields={decoded.header} light={light} />
        </details>
        {decoded.items.map((item, index) => (
          <details key={index} open={decoded.items.length <= 6} onPointerEnter={() => item.data && light({ offset: Number(item.data.offset), length: Number(item.data.length) })}>
            <summary>{index}. <code>{item.key.text}</code></summary>
            {item.problem && <p class="bad">{item.problem}</p>}
            <Fields fields={item.head} light={light} />
            <Fields fields={item.fields} light={light} />
          </details>
        ))}
      </div>
      <Hex bytes={bytes} highlight={highlight} />
    </div>
  );
}

function Block({ logical, number }: { logical: bigint; number: number }) {
  const { value, problem } = useAnswer([logical, number], "block", "made", logical);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  if (value === undefined) return null;
  return (
    <>
      <p class="places">
        Logical {digits(value.block.logical)}, level {value.block.level}, {plural(value.block.items, value.block.level === 0 ? "item" : "pointer")}
        {value.chunk && `, in the ${value.chunk.kind} ${value.chunk.profile} chunk ${digits(value.chunk.logical)}`}
      </p>
      <ul class="copies" aria-label="Places on devices">
        {value.copies.map((copy: BlockView["copies"][number], index: number) => <li key={index}>{copy.role} on device {String(copy.devid)} at {digits(copy.offset)} ({size(copy.offset)}){copy.written ? "" : ", not written"} <button onClick={() => showPlace(copy.devid, copy.offset, BigInt(made.value?.glance.filesystem.node_size ?? 16384))} aria-label={`Show device ${copy.devid} at ${digits(copy.offset)} on the map`}>Show on the map</button></li>)}
      </ul>
      <Decoded decoded={value.decoded} bytes={value.bytes} />
    </>
  );
}

function Superblock({ devid, number }: { devid: bigint; number: number }) {
  const { value, problem } = useAnswer([devid, number], "superblock", "made", devid);
  if (problem !== undefined) return <ProblemNote problem={problem} />;
  if (value === undefined) return null;
  return (
    <>
      <p class="places">Superblock of device {String(value.devid)} at {digits(value.offset)}</p>
      <Decoded decoded={value.decoded} bytes={value.bytes} />
    </>
  );
}

export function TreesView() {
  const plan = made.value;
  const blocks = useAnswer([plan?.number], "blocks", "made").value ?? [];
  const [chosen, choose] = useState("superblock 1");
  if (plan === undefined) return <p class="empty">There is no plan yet.</p>;
  const trees = plan.glance.trees;
  const [kind, where] = chosen.split(" ") as [string, string];
  const there = kind === "superblock" ? plan.glance.devices.some((device) => String(device.devid) === where) : blocks.some((block) => String(block.logical) === where);
  return (
    <div class="trees">
      <h2 class="hidden">Trees</h2>
      <div class="line">
        <label for="block">Block</label>
        <select id="block" value={there ? chosen : "superblock 1"} onChange={(event) => choose(event.currentTarget.value)}>
          <optgroup label="Superblocks">
            {plan.glance.devices.slice(0, 64).map((device) => <option key={String(device.devid)} value={`superblock ${device.devid}`}>Superblock of device {String(device.devid)}</option>)}
          </optgroup>
          {trees.map((tree) => (
            <optgroup key={tree.name} label={`${tree.name} tree: ${plural(tree.items, "item")}`}>
              {blocks.filter((block) => block.tree === tree.name).slice(0, 500).map((block) => (
                <option key={String(block.logical)} value={`block ${block.logical}`}>{tree.name}: {block.level === 0 ? "leaf" : `node, level ${block.level}`} at {digits(block.logical)}, {plural(block.items, "item")}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      <div class="tree-buttons" role="group" aria-label="Trees">
        <button aria-pressed={kind === "superblock" || !there} onClick={() => choose("superblock 1")}>superblock</button>
        {trees.map((tree) => {
          const current = blocks.find((block) => String(block.logical) === where)?.tree === tree.name && kind === "block";
          return <button key={tree.name} aria-pressed={current} onClick={() => choose(`block ${tree.top}`)}>{tree.name} <small>{digits(tree.items)}</small></button>;
        })}
      </div>
      {kind === "block" && there ? <Block logical={BigInt(where)} number={plan.number} /> : <Superblock devid={there ? BigInt(where) : 1n} number={plan.number} />}
    </div>
  );
}
