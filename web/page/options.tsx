import { Check, ChoiceField, DraftField, SizeField, TextField } from "./fields.tsx";
import { kernelVersion } from "./planner/planner.js";
import type { Choices, Request } from "./planner/types.ts";
import { FieldProblem } from "./problem.tsx";
import { change, choices, made, request } from "./state.ts";

type Profile = NonNullable<Request["data"]>;

/** A profile in words, from the planner's table. */
function profileWords(table: Choices, name: string | undefined): string {
  const one = table.profiles.find((profile) => profile.name === name);
  if (one === undefined) return "";
  const parts = [
    one.copies > 1 ? `${one.copies} copies` : one.parity > 0 ? `${one.parity} of parity` : "one copy",
    one.tolerated > 0 ? `survives ${one.tolerated} lost ${one.tolerated === 1 ? "device" : "devices"}` : "survives no lost device",
    one.min_devices > 1 ? `from ${one.min_devices} devices` : "",
  ];
  return `${one.name}: ${parts.filter((part) => part !== "").join(", ")}.`;
}

const profileOptions = (table: Choices, unasked: string | undefined) => [
  { value: "", label: unasked === undefined ? "as mkfs.btrfs" : `automatic (${unasked})` },
  ...table.profiles.map((one) => ({ value: one.name, label: one.name })),
];

export function Options() {
  const now = request.value;
  const table = choices.value;
  if (table === undefined) return null;
  const chosen = made.value?.glance.filesystem;
  const sizes = ["4096", "8192", "16384", "32768", "65536"];
  const numbers = (automatic: string) => [{ value: "", label: automatic }, ...sizes.map((value) => ({ value, label: value }))];
  const number = (text: string) => (text === "" ? undefined : Number(text));
  return (
    <fieldset>
      <legend>Options</legend>
      <div class="grid">
        <ChoiceField id="data" label="Data profile" field="data" help={`How the contents of files are spread. ${profileWords(table, now.data ?? chosen?.profiles.data)}`} value={now.data ?? ""} options={profileOptions(table, now.data ? undefined : chosen?.profiles.data)} onChange={(value) => change({ data: (value === "" ? undefined : value) as Profile })} />
        <ChoiceField id="metadata" label="Metadata profile" field="metadata" help={`How trees are spread. ${profileWords(table, now.metadata ?? chosen?.profiles.metadata)}`} value={now.metadata ?? ""} options={profileOptions(table, now.metadata ? undefined : chosen?.profiles.metadata)} onChange={(value) => change({ metadata: (value === "" ? undefined : value) as Profile })} />
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
      <Features table={table} />
      <Compatibility table={table} />
      <details>
        <summary>Identity and time</summary>
        <TextField id="seed" label="Seed" field="identity.seed" help="All UUIDs are derived from it: a new filesystem wants a new one." value={now.identity.seed} onChange={(seed) => change({ identity: { ...now.identity, seed } })} />
        <FieldProblem field="identity" id="identity-problem" />
        <TextField id="time" label="Created" help="Seconds since 1970-01-01 UTC." value={String(now.time)} onChange={(text) => /^\d{1,19}$/.test(text) && change({ time: BigInt(text) })} />
      </details>
    </fieldset>
  );
}

/** A switch for each feature of the planner's table. */
function Features({ table }: { table: Choices }) {
  const now = request.value;
  const chosen = made.value?.glance.filesystem;
  const set = now.defaults ?? table.defaults[0] ?? "";
  const switches = now.features ?? [];
  const named = (name: string) => switches.filter((one) => one.replace(/^\^/, "") === name).at(-1);
  const put = (name: string, checked: boolean, unasked: boolean) => {
    const others = switches.filter((one) => one.replace(/^\^/, "") !== name);
    const next = checked === unasked ? others : [...others, checked ? name : `^${name}`];
    change({ features: (next.length > 0 ? next : undefined) as NonNullable<Request["features"]> });
  };
  return (
    <details>
      <summary>Features{switches.length > 0 ? `: ${switches.join(", ")}` : ""}</summary>
      <FieldProblem field="features" id="features-problem" />
      <div class="features">
        {table.features.filter((feature) => feature.name !== "mixed-bg").map((feature) => {
          const mine = named(feature.name);
          const unasked = feature.defaults.includes(set);
          const on = mine === undefined ? (chosen?.features.includes(feature.name) ?? unasked) : !mine.startsWith("^");
          const notes = [
            `Linux ${feature.since}`,
            feature.needs.length > 0 ? `needs ${feature.needs.join(", ")}` : "",
            feature.excludes.length > 0 ? `not with ${feature.excludes.join(", ")}` : "",
            feature.experimental ? "experimental" : "",
          ].filter((note) => note !== "");
          const disabled = feature.experimental && now.experimental !== true && mine === undefined;
          return <Check key={feature.name} id={`feature-${feature.name}`} label={feature.name} help={`${feature.summary} (${notes.join("; ")})`} checked={on} disabled={disabled} onChange={(checked) => put(feature.name, checked, unasked)} />;
        })}
      </div>
    </details>
  );
}

/** Which machines have to mount it. */
function Compatibility({ table }: { table: Choices }) {
  const now = request.value;
  const requires = made.value?.glance.filesystem.requires;
  const zoned = made.value?.glance.filesystem.features.includes("zoned") ?? false;
  const words: Record<string, string> = { "6.19": "6.19 (newest)", "5.15": "5.15 to 6.18", compat: "compat: known everywhere" };
  return (
    <details>
      <summary>Machines that mount it</summary>
      {requires !== undefined && (
        <p class="help">
          As planned: Linux {requires.kernel} or newer writes to it{requires.kernel_read_only === requires.kernel ? "" : `, ${requires.kernel_read_only} reads it`}{requires.experimental ? ", if it was built for experiments" : ""}.
          {requires.page_sizes.length > 0 && ` Pages: ${requires.page_sizes.map((page) => `${page.page_size} (Linux ${page.kernel})`).join(", ")}.`}
        </p>
      )}
      <div class="grid">
        <DraftField id="target-kernel" label="Oldest kernel" field="target_kernel" help="Such as 6.1: what it does not have is refused. Any kernel if empty." value={now.target_kernel ?? ""} read={kernelVersion} onChange={(value) => change({ target_kernel: (value === "" ? undefined : value) as string })} />
        <ChoiceField id="page-size" label="Page size" field="page_size" help="It decides one feature bit and a warning." value={String(now.page_size ?? 4096)} options={["4096", "8192", "16384", "32768", "65536"].map((value) => ({ value, label: value }))} onChange={(value) => change({ page_size: Number(value) })} />
        <ChoiceField id="defaults" label="Features on unasked" help="Those of mkfs.btrfs in this version: newer ones keep older kernels out." value={now.defaults ?? table.defaults[0] ?? ""} options={table.defaults.map((value) => ({ value, label: words[value] ?? value }))} onChange={(value) => change({ defaults: (value === table.defaults[0] ? undefined : value) as NonNullable<Request["defaults"]> })} />
        {(zoned || now.emulated_zone_size) && (
          <SizeField id="zone-size" label="Emulated zones" field="emulated_zone_size" optional help="Of devices that have none; 256M if empty. Others are experimental." value={now.emulated_zone_size ?? undefined} onChange={(value) => change({ emulated_zone_size: value as bigint })} />
        )}
      </div>
      <Check id="drop-unsupported" label="Leave out what the oldest kernel lacks" help="Instead of refusing it." checked={now.drop_unsupported ?? false} onChange={(on) => change({ drop_unsupported: (on || undefined) as boolean })} />
      <Check id="experimental" label="Allow experiments" help="What no ordinary kernel mounts." checked={now.experimental ?? false} onChange={(on) => change({ experimental: (on || undefined) as boolean })} />
    </details>
  );
}
