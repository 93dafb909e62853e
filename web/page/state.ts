// What the page knows: the request with its history, the plan it gives, and what is looked at.
import { computed, effect, signal } from "@preact/signals";
import { ask } from "./engine.ts";
import { begin, redo, step, undo, type History } from "./history.ts";
import { fromLink, toLink } from "./link.ts";
import type { Choices, Glance, Problem, Request } from "./planner/types.ts";
import { choices as readChoices, writeRequest } from "./planner/planner.js";
import { beginning } from "./presets.ts";
import { problemOf } from "./protocol.ts";

export type View = "map" | "schedule" | "trees" | "resilience" | "plan";
export const views: View[] = ["map", "schedule", "trees", "resilience", "plan"];

const history = signal<History<Request>>(begin(beginning()));
export const request = computed(() => history.value.now);
/** The request as a document: what is planned, linked to and saved. */
export const requestText = computed(() => writeRequest(request.value));
export const canUndo = computed(() => history.value.before.length > 0);
export const canRedo = computed(() => history.value.after.length > 0);
export const view = signal<View>("map");
/** The last plan that could be made, of which request (also as a document), and which one it is: questions about an older one are not worth an answer. */
export const made = signal<{ request: Request; text: string; glance: Glance; number: number; milliseconds: number } | undefined>(undefined);
/** From a change to the plan on the page, in milliseconds. */
export const latency = signal(0);
/** Why the request as it is now cannot be planned. */
export const problem = signal<Problem | undefined>(undefined);
/** What went wrong outside of planning. */
export const notice = signal<string | undefined>(undefined);
export const choices = signal<Choices | undefined>(undefined);

/** Changes the request, as a step that can be undone. */
export function change(next: Partial<Request>): void {
  const merged: Record<string, unknown> = { ...request.value, ...next };
  // In requests what is not said is left out.
  for (const [name, value] of Object.entries(merged)) if (value === undefined) delete merged[name];
  history.value = step(history.value, merged as unknown as Request);
}
export const replaceRequest = (next: Request): void => void (history.value = step(history.value, next));
export const goBack = (): void => void (history.value = undo(history.value));
export const goForward = (): void => void (history.value = redo(history.value));

let busy = false;
let stale = false;
let number = 0;
async function plan(): Promise<void> {
  if (busy) {
    stale = true;
    return;
  }
  busy = true;
  do {
    stale = false;
    const start = performance.now();
    try {
      const asked = request.peek();
      const text = requestText.peek();
      const { glance, milliseconds } = await ask("plan", text);
      made.value = { request: asked, text, glance, number: ++number, milliseconds };
      problem.value = undefined;
      latency.value = performance.now() - start;
    } catch (error) {
      problem.value = problemOf(error);
    }
  } while (stale);
  busy = false;
}

let written = "";
async function write(now: Request, where: View): Promise<void> {
  const hash = `#${where}=${await toLink(requestText.peek())}`;
  if (now !== request.peek() || where !== view.peek()) return;
  written = hash;
  window.history.replaceState(null, "", hash);
}

/** Takes the request and the view of the address, if there are any. */
async function restore(): Promise<void> {
  const [, where = "", packed = ""] = /^#([a-z]+)=([\w-]+)$/.exec(location.hash) ?? [];
  if (location.hash === "" || location.hash === written) return;
  try {
    if (packed === "") throw new Error("it is cut off");
    const restored = await fromLink(packed);
    history.value = made.peek() === undefined ? begin(restored) : step(history.value, restored);
    const found = views.find((one) => one === where);
    if (found !== undefined) view.value = found;
  } catch (error) {
    notice.value = `The link cannot be read (${problemOf(error).message}): the page begins anew`;
  }
}

/** Begins, once the planner is there. */
export async function open(): Promise<void> {
  choices.value = readChoices() as Choices;
  await restore();
  effect(() => {
    void request.value;
    void plan();
  });
  effect(() => void write(request.value, view.value));
  window.addEventListener("hashchange", () => void restore());
}
