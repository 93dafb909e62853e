import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { useAnswer } from "./answer.ts";
import { take } from "./devices.tsx";
import { ask } from "./engine.ts";
import { download, kindOf } from "./files.ts";
import { digits, plural, size } from "./format.ts";
import { commands as readCommands } from "./planner/planner.js";
import type { Commands, Diff, Glance, Problem, Report } from "./planner/types.ts";
import { ProblemNote } from "./problem.tsx";
import { problemOf, type Slot } from "./protocol.ts";
import { made, notice, view } from "./state.ts";

interface Dropped {
  name: string;
  glance?: Glance;
  seal?: string;
  problem?: Problem;
  report?: Report;
}

const dropped = signal<readonly Dropped[]>([]);
const compared = signal<Diff | undefined>(undefined);

async function open(files: readonly File[]): Promise<void> {
  const results: Dropped[] = [];
  const slots: Slot[] = ["first", "second"];
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const kind = kindOf(bytes);
    try {
      if (kind === "request" || kind === "lsblk") {
        notice.value = `${file.name}: ${take(new TextDecoder().decode(bytes))}`;
        continue;
      }
      if (kind === "zstd") throw new Error("it is compressed: unpack it first with zstd -d");
      const slot = slots[results.length];
      if (slot === undefined) {
        notice.value = "Two plans at most are compared: the others are left out";
        break;
      }
      const glance = await ask("read", slot, bytes);
      results.push({ name: file.name, glance, seal: await ask("text", slot, "seal"), report: await ask("audit", slot) });
    } catch (error) {
      results.push({ name: file.name, problem: problemOf(error) });
    }
  }
  if (results.length === 0) return;
  compared.value = results.length === 2 && results.every((one) => one.glance) ? await ask("diff", "first", "second") : undefined;
  dropped.value = results;
}

/** Whether a file is held over the page. */
const over = signal(false);

/** Takes files that are dropped anywhere on the page; gives back what ends it. */
export function takeDrops(): () => void {
  const handlers: [string, (event: Event) => void][] = [
    ["dragover", (event) => event.preventDefault()],
    ["dragenter", () => (over.value = true)],
    ["dragleave", (event) => (event as DragEvent).relatedTarget === null && (over.value = false)],
    ["drop", (event) => {
      event.preventDefault();
      over.value = false;
      const files = [...((event as DragEvent).dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      view.value = "plan";
      void open(files);
    }],
  ];
  for (const [name, handler] of handlers) window.addEventListener(name, handler);
  return () => handlers.forEach(([name, handler]) => window.removeEventListener(name, handler));
}

function Findings({ report }: { report: Report }) {
  if (report.errors === 0n && report.warnings === 0n) {
    return <p class="good">✓ No findings: {plural(report.read.devices, "device")}, {plural(report.read.superblocks, "superblock")} and {size(report.read.bytes)} read</p>;
  }
  const sorted = [...report.findings].sort((left, right) => left.severity.localeCompare(right.severity));
  return (
    <>
      <p class={report.errors > 0n ? "bad" : ""}>{plural(report.errors, "error")}, {plural(report.warnings, "warning")}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Findings">
        <table>
          <thead><tr><th scope="col">Severity</th><th scope="col">What</th><th scope="col">Where</th><th scope="col">Expected</th><th scope="col">Found</th></tr></thead>
          <tbody>
            {sorted.map((finding, index) => (
              <tr key={index} class={finding.severity}>
                <td>{finding.severity === "error" ? "✕ error" : "! warning"}</td><td>{finding.code}</td>
                <td>{Object.entries(finding.place).map(([name, value]) => `${name} ${String(value)}`).join(", ") || "filesystem"}</td>
                <td>{finding.expected}</td><td>{finding.found}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** What two plans differ in, by what it means. */
function Comparison({ diff, names }: { diff: Diff; names: readonly string[] }) {
  return (
    <section>
      <h3>Compared</h3>
      <p class={diff.same ? "good" : ""}>{diff.same ? "✓ The seals are equal: it is the same plan" : `The plans differ in ${plural(diff.changes.length, "point")}`}</p>
      {!diff.same && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Differences">
          <table>
            <thead><tr><th scope="col">Part</th><th scope="col">What</th>{names.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
            <tbody>
              {diff.changes.slice(0, 1000).map((change, index) => <tr key={index}><td>{change.group}</td><td>{change.subject}</td><td>{change.before ?? "–"}</td><td>{change.after ?? "–"}</td></tr>)}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Copyable({ title, text, help }: { title: string; text: string; help: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="copyable">
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>{text}</pre>
      <button onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false))} aria-label={`Copy: ${title}`}>{copied ? "Copied" : "Copy"}</button>
      <p class="help">{help}</p>
    </div>
  );
}

export function PlanView() {
  const plan = made.value;
  const { value: json, of } = useAnswer([plan?.number], "text", "made", "json");
  const { value: seal, of: sealed } = useAnswer([plan?.number], "text", "made", "seal");
  const audit = useAnswer([plan?.number], "audit", "made").value;
  // Of the plan that is shown, which may not be that of the request as it is by now.
  const commands = plan && (readCommands(plan.request) as Commands);
  const save = (kind: "svg" | "report", name: string, type: string) => void ask("text", "made", kind).then((text) => download(name, text, type));
  return (
    <div class="plan">
      <section>
        <h2>The plan</h2>
        {plan !== undefined && (
          <>
            <p>Seal <code class="seal">{sealed === plan.number ? seal : ""}</code>{json !== undefined && <> · {digits(json.length)} bytes</>}</p>
            <div class="buttons">
              <button class="primary" disabled={json === undefined || of !== plan.number} onClick={() => json !== undefined && download("plan.json", json, "application/json")}>Download plan.json</button>
              <button onClick={() => download("request.json", plan.text, "application/json")}>Download request.json</button>
              <button onClick={() => save("report", "plan.html", "text/html")}>Report (HTML)</button>
              <button onClick={() => save("svg", "plan.svg", "image/svg+xml")}>Map (SVG)</button>
            </div>
            <h3>Audit</h3>
            {audit !== undefined && <Findings report={audit} />}
          </>
        )}
      </section>
      {commands !== undefined && <section>
        <h2>On a real machine</h2>
        <Copyable title="The same options for real devices" text={commands.devices} help="Fill in the devices. The plan names what would be lost, and nothing is written before btrfs-exec runs it." />
        {commands.described && <Copyable title="The same plan, byte for byte" text={commands.described} help="Devices are described; bind them to real ones with btrfs-exec --device." />}
        <Copyable title="The same plan from the saved request" text={commands.request} help="With request.json from above." />
      </section>}
      <section>
        <h2>Audit and compare plans</h2>
        <div class={over.value ? "drop over" : "drop"}>
          <label for="files">Drop a plan to audit it, two to compare them, or a request to load it</label>
          <input id="files" type="file" multiple accept=".json,application/json" onChange={(event) => void open([...(event.currentTarget.files ?? [])])} />
        </div>
        {dropped.value.map((one) => (
          <article key={one.name} class="dropped" aria-label={one.name}>
            <h3>{one.name}</h3>
            {one.problem !== undefined && <ProblemNote problem={one.problem} />}
            {one.glance !== undefined && <p>{one.glance.filesystem.label || "no label"} · {size(one.glance.filesystem.total_size)} · {plural(one.glance.devices.length, "device")} · seal <code>{one.seal?.slice(0, 16)}…</code></p>}
            {one.report !== undefined && <Findings report={one.report} />}
          </article>
        ))}
        {compared.value !== undefined && <Comparison diff={compared.value} names={dropped.value.map((one, index, all) => (all.some((other, at) => at !== index && other.name === one.name) ? `${one.name} (${index + 1})` : one.name))} />}
      </section>
      {json !== undefined && (
        <details>
          <summary>JSON</summary>
          <pre class="json" tabIndex={0} aria-label="The plan as JSON">{json.slice(0, 20000)}{json.length > 20000 && "\n…"}</pre>
        </details>
      )}
    </div>
  );
}
