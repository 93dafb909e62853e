// The planner, off the main thread.
import { initSync, Planned } from "./planner/planner.js";
import { problemOf, type Answer, type Ask, type Name, type Questions, type Slot } from "./protocol.ts";

const plans = new Map<Slot, Planned>();

function keep(slot: Slot, plan: Planned): Planned {
  plans.get(slot)?.free();
  plans.set(slot, plan);
  return plan;
}

function of(slot: Slot): Planned {
  const plan = plans.get(slot);
  if (plan === undefined) throw new Error("there is no such plan any more");
  return plan;
}

const questions: { [N in Name]: Questions[N] } = {
  plan(request) {
    const start = performance.now();
    const glance = keep("made", Planned.plan(request)).glance();
    return { glance, milliseconds: performance.now() - start };
  },
  read: (slot, text) => keep(slot, Planned.read(text)).glance(),
  drop: (slot) => {
    plans.get(slot)?.free();
    plans.delete(slot);
  },
  window: (slot, devid, start, length, cells) => of(slot).window(devid, start, length, cells),
  device: (slot, devid) => of(slot).device(devid),
  zones: (slot, devid) => of(slot).zones(devid),
  blocks: (slot) => of(slot).blocks(),
  block: (slot, logical) => of(slot).block(logical),
  superblock: (slot, devid) => of(slot).superblock(devid),
  discardRequests: (slot, devid) => of(slot).discardRequests(devid),
  audit: (slot) => of(slot).audit(),
  capacity: (slot) => of(slot).capacity(),
  diff: (before, after) => of(before).diff(of(after)),
  resilience: (slot, lost) => of(slot).resilience(BigUint64Array.from(lost)),
  text: (slot, kind) => of(slot)[kind](),
};

self.addEventListener("message", (event: MessageEvent<WebAssembly.Module | Ask>) => {
  if (event.data instanceof WebAssembly.Module) {
    initSync({ module: event.data });
    return;
  }
  const { id, name, args } = event.data;
  let answer: Answer;
  try {
    const ask = questions[name] as (...args: unknown[]) => unknown;
    answer = { id, value: ask(...args) };
  } catch (error) {
    answer = { id, problem: problemOf(error) };
  }
  self.postMessage(answer);
});
