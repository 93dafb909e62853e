// The planner as the page sees it: small questions answered at once, large ones by the worker.
import wasmUrl from "./planner/planner_bg.wasm?url";
import { initSync } from "./planner/planner.js";
import type { Answer, Name, Questions } from "./protocol.ts";
import PlannerWorker from "./worker.ts?worker";

interface Waiting {
  resolve(value: unknown): void;
  reject(problem: unknown): void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let next = 0;

/** Compiles the planner once, for this thread and for the worker. */
export async function start(): Promise<void> {
  const module = await WebAssembly.compileStreaming(fetch(wasmUrl));
  initSync({ module });
  worker = new PlannerWorker();
  worker.postMessage(module);
  worker.addEventListener("message", (event: MessageEvent<Answer>) => {
    const answer = event.data;
    const one = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("problem" in answer) one?.reject(answer.problem);
    else one?.resolve(answer.value);
  });
}

/** Asks the worker. A refusal is a `Problem`. */
export function ask<N extends Name>(name: N, ...args: Parameters<Questions[N]>): Promise<ReturnType<Questions[N]>> {
  return new Promise((resolve, reject) => {
    const id = next++;
    waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    worker?.postMessage({ id, name, args });
  });
}
