import type { Problem } from "./planner/types.ts";
import { problem } from "./state.ts";

export function ProblemNote({ problem, stale, devices }: { problem: Problem; stale?: boolean; devices?: number }) {
  const where = problem.device === undefined || problem.device === null || devices === undefined ? "" : `Device ${problem.device + 1}: `;
  const message = problem.message.startsWith("device ") ? problem.message.replace(/^d/, "D") : where + problem.message;
  return (
    <div class="problem">
      <strong>{message}</strong>
      {problem.hint && <span class="hint">{problem.hint}</span>}
      {stale && <span class="hint">What is shown below is the last plan that could be made.</span>}
    </div>
  );
}

/** The planner's own words at the field that is at fault; nothing where another one is. */
export function FieldProblem({ field, device, id }: { field: string; device?: number; id: string }) {
  const wrong = problem.value;
  if (wrong === undefined || !atFault(field, device)) return null;
  return (
    <p class="field-problem" id={id}>
      {wrong.message}
      {wrong.hint && <span class="hint">{wrong.hint}</span>}
    </p>
  );
}

export function atFault(field: string, device?: number): boolean {
  const wrong = problem.value;
  return wrong !== undefined && wrong.field === field && (wrong.device ?? undefined) === device;
}
