import { useEffect } from "preact/hooks";
import { Devices } from "./devices.tsx";
import { size, digits, plural } from "./format.ts";
import { MapView } from "./map.tsx";
import { Options } from "./options.tsx";
import { PlanView, takeDrops } from "./plan.tsx";
import { ProblemNote } from "./problem.tsx";
import { ResilienceView } from "./resilience.tsx";
import { ScheduleView } from "./schedule.tsx";
import { canRedo, canUndo, goBack, goForward, latency, made, notice, problem, request, view, views, type View } from "./state.ts";
import { TreesView } from "./trees.tsx";

const titles: Record<View, string> = { map: "Map", schedule: "Schedule", trees: "Trees", resilience: "Resilience", plan: "Plan" };

function onKey(event: KeyboardEvent): void {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey) goForward();
  else goBack();
}

function Tabs() {
  const move = (event: KeyboardEvent, by: number) => {
    event.preventDefault();
    const next = views[(views.indexOf(view.value) + by + views.length) % views.length];
    if (next === undefined) return;
    view.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views of the plan">
      {views.map((one) => (
        <button
          key={one}
          id={`tab-${one}`}
          role="tab"
          aria-selected={view.value === one}
          aria-controls="view"
          tabIndex={view.value === one ? 0 : -1}
          onClick={() => (view.value = one)}
          onKeyDown={(event) => {
            if (event.key === "ArrowRight") move(event, 1);
            if (event.key === "ArrowLeft") move(event, -1);
          }}
        >
          {titles[one]}
        </button>
      ))}
    </div>
  );
}

function Summary() {
  const glance = made.value?.glance;
  if (glance === undefined) return null;
  const { filesystem, devices, discards, statistics } = glance;
  const figures: [string, string, string?][] = [
    ["Filesystem", size(filesystem.total_size), plural(devices.length, "device")],
    ["Data", filesystem.profiles.data],
    ["Metadata", filesystem.profiles.metadata],
    ["Written", size(statistics.bytes_written), plural(statistics.writes, "write")],
    ["Discards", digits(discards), `${digits(statistics.discard.hole_by_hole)} hole by hole`],
  ];
  return (
    <dl class="summary" aria-label="Summary of the plan">
      {figures.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {more !== undefined && <small>{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Views() {
  switch (view.value) {
    case "map":
      return <MapView />;
    case "schedule":
      return <ScheduleView />;
    case "trees":
      return <TreesView />;
    case "resilience":
      return <ResilienceView />;
    case "plan":
      return <PlanView />;
  }
}

export function App() {
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    const end = takeDrops();
    return () => {
      window.removeEventListener("keydown", onKey);
      end();
    };
  }, []);
  const wrong = problem.value;
  const warnings = made.value?.glance.warnings ?? [];
  return (
    <>
      <a class="skip" href="#view" onClick={(event) => {
        event.preventDefault();
        document.getElementById("view")?.focus();
      }}>Skip to the plan</a>
      <header class="top">
        <h1>btrfs-plan</h1>
        <p>What a filesystem will be, to the byte, before any disk exists</p>
        <div class="actions">
          <button onClick={goBack} disabled={!canUndo.value} title="Undo (Ctrl+Z)">Undo</button>
          <button onClick={goForward} disabled={!canRedo.value} title="Redo (Ctrl+Shift+Z)">Redo</button>
          <CopyLink />
        </div>
      </header>
      {notice.value !== undefined && (
        <p class="notice" role="status">
          {notice.value} <button onClick={() => (notice.value = undefined)}>Close</button>
        </p>
      )}
      <div class="columns">
        <section class="form" aria-label="Request">
          <Devices />
          <Options />
        </section>
        <main class="result">
          <div role="alert">{wrong !== undefined && <ProblemNote problem={wrong} stale={made.value !== undefined} devices={request.value.devices.length} />}</div>
          <Summary />
          {wrong === undefined && warnings.length > 0 && (
            <details class="warnings">
              <summary>{plural(warnings.length, "warning")}</summary>
              <ul>{warnings.map((warning) => <li key={warning.message}>{warning.message}</li>)}</ul>
            </details>
          )}
          <Tabs />
          <div id="view" role="tabpanel" aria-labelledby={`tab-${view.value}`} tabIndex={-1} class={wrong === undefined ? "" : "stale"}>
            <Views />
          </div>
        </main>
      </div>
      <footer>
        <span>Everything is computed in this page; nothing leaves it.</span>
        {made.value !== undefined && (
          <span data-planned={made.value.number}>
            Planned in {made.value.milliseconds.toFixed(1)} ms, shown after {latency.value.toFixed(1)} ms
          </span>
        )}
      </footer>
    </>
  );
}

function CopyLink() {
  return (
    <button onClick={() => void navigator.clipboard.writeText(location.href).then(() => (notice.value = "The link to this layout is copied"), () => (notice.value = "The browser does not let the page copy: take the link from the address bar"))}>
      Copy link
    </button>
  );
}
