// Answers of the planner as state of a component.
import { useEffect, useState } from "preact/hooks";
import { ask } from "./engine.ts";
import type { Problem } from "./planner/types.ts";
import { problemOf, type Name, type Questions } from "./protocol.ts";

export interface Answered<T> {
  value?: T;
  problem?: Problem;
  /** The first of `when`, as it was when this was asked: of which plan the answer is. */
  of?: unknown;
}

/** Asks again whenever `when` changes; the last answer stays until the next one is there. */
export function useAnswer<N extends Name>(when: readonly unknown[], name: N, ...args: Parameters<Questions[N]>): Answered<ReturnType<Questions[N]>> {
  const [answer, setAnswer] = useState<Answered<ReturnType<Questions[N]>>>({});
  useEffect(() => {
    let current = true;
    ask(name, ...args).then(
      (value) => current && setAnswer({ value, of: when[0] }),
      (error: unknown) => current && setAnswer({ problem: problemOf(error), of: when[0] }),
    );
    return () => void (current = false);
  }, when);
  return answer;
}
