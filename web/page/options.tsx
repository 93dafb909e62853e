import { Check, ChoiceField, SizeField, TextField } from "./fields.tsx";
import type { Choices, Request } from "./planner/types.ts";
import { FieldProblem } from "./problem.tsx";
import { change, choices, made, request } from "./state.ts";

type Profile = NonNullable<Request["data"]>;

function profileOptions(table: Choices, automatic: string) {
  const words = (one: Choices["profiles"][number]) => {
    const parts = [one.copies > 1 ? `${one.copies} copies` : "", one.parity > 0 ? `${one.parity} parity` : "", one.tolerated > 0 ? `survives ${one.tolerated} lost` : "", one.min_devices > 1 ? `from ${one.min_devices} devices` : ""];
    return parts.filter((part) => part !== "").join(", ");
  };
  return [{ value: "", label: automatic }, ...table.profiles.map((one) => ({ value: one.name, label: words(one) === "" ? one.name : `${one.name} (${words(one)})` }))];
}

export function Options() {
  const now = request.value;
  const table = choices.value;
  if (table === undefined) return null;
  const chosen = made.value?.overview.filesystem;
  const sizes = ["4096", "8192", "16384", "32768", "65536"];
  const numbers = (automatic: string) => [{ value: "", label: automatic }, ...sizes.map((value) => ({ value, label: value }))];
  const number = (text: string) => (text === "" ? undefined : Number(text));
  return (
    <fieldset>
      <legend>Options</legend>
      <div class="grid">
        <ChoiceField id="data" label="Data profile" field="data" help="How the contents of files are spread over devices." value={now.data ?? ""} options={profileOptions(table, "as mkfs.btrfs chooses")} onChange={(value) => change({ data: (value === "" ? undefined : value) as Profile })} />
        <ChoiceField id="metadata" label="Metadata profile" field="metadata" help="How trees are spread. It should survive at least what data survives." value={now.metadata ?? ""} options={profileOptions(table, "as mkfs.btrfs chooses")} onChange={(value) => change({ metadata: (value === "" ? undefined : value) as Profile })} />
        <ChoiceField id="checksum" label="Checksum" help="crc32c is fastest; sha256 and blake2b are cryptographic." value={now.checksum ?? "crc32c"} options={table.checksums.map((value) => ({ value, label: value }))} onChange={(value) => change({ checksum: value as NonNullable<Request["checksum"]> })} />
        <ChoiceField id="discard" label="Discard" help="bridge: everything in one request a device; exact: only what is not written; none: nothing." value={now.discard ?? "bridge"} options={["bridge", "exact", "none"].map((value) => ({ value, label: value }))} onChange={(value) => change({ discard: value as NonNullable<Request["discard"]> })} />
        <ChoiceField id="node-size" label="Node size" field="node_size" help="Bytes of a tree block. Larger ones make trees flatter." value={String(now.node_size ?? "")} options={numbers(`automatic${chosen ? ` (${chosen.node_size})` : ""}`)} onChange={(value) => change({ node_size: number(value) as number })} />
        <ChoiceField id="sector-size" label="Sector size" field="sector_size" help="Every kernel mounts 4096." value={String(now.sector_size ?? "")} options={numbers(`automatic${chosen ? ` (${chosen.sector_size})` : ""}`)} onChange={(value) => change({ sector_size: number(value) as number })} />
        <TextField id="label" label="Label" field="label" help="At most 255 bytes." value={now.label ?? ""} onChange={(label) => change({ label: (label === "" ? undefined : label) as string })} />
        <SizeField id="byte-count" label="Use of every device" field="byte_count" optional help="Leaves the end of every device alone; all of it if empty." value={now.byte_count ?? undefined} onChange={(value) => change({ byte_count: value as bigint })} />
      </div>
      <Check id="mixed" label="Mixed block groups" help="Data and metadata share chunks: for devices below 1 GiB." checked={now.mixed ?? false} onChange={(mixed) => change({ mixed })} />
      <FieldProblem field="mixed" id="mixed-problem" />
      <Check id="force" label="Plan over what is on the devices" help="The plan names what will be lost." checked={now.force ?? false} onChange={(force) => change({ force })} />
      <details>
        <summary>Features{now.features && now.features.length > 0 ? `: ${now.features.join(", ")}` : ""}</summary>
        <FieldProblem field="features" id="features-problem" />
        <div class="features">
          {table.features.filter((feature) => feature.name !== "mixed-bg").map((feature) => {
            const switches = now.features ?? [];
            const named = switches.filter((one) => one.replace(/^\^/, "") === feature.name).at(-1);
            const on = named === undefined ? (chosen?.features.includes(feature.name) ?? feature.default) : !named.startsWith("^");
            return (
              <Check key={feature.name} id={`feature-${feature.name}`} label={feature.name} help={`${feature.summary} (Linux ${feature.since})`} checked={on} onChange={(checked) => {
                const others = switches.filter((one) => one.replace(/^\^/, "") !== feature.name);
                const next = checked === feature.default ? others : [...others, checked ? feature.name : `^${feature.name}`];
                change({ features: (next.length > 0 ? next : undefined) as NonNullable<Request["features"]> });
              }} />
            );
          })}
        </div>
      </details>
      <details>
        <summary>Identity and time</summary>
        <TextField id="seed" label="Seed" field="identity.seed" help="All UUIDs are derived from it: a new filesystem wants a new one." value={now.identity.seed} onChange={(seed) => change({ identity: { ...now.identity, seed } })} />
        <FieldProblem field="identity" id="identity-problem" />
        <TextField id="time" label="Created" help="Seconds since 1970-01-01 UTC." value={String(now.time)} onChange={(text) => /^\d{1,19}$/.test(text) && change({ time: BigInt(text) })} />
        <ChoiceField id="page-size" label="Page size of the machine" field="page_size" help="It decides one feature bit and a warning." value={String(now.page_size ?? 4096)} options={["4096", "16384", "65536"].map((value) => ({ value, label: value }))} onChange={(value) => change({ page_size: Number(value) })} />
      </details>
    </fieldset>
  );
}
