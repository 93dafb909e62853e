// What the page asks of the planner in its worker.
import type { Block, BlockView, CapacityView, DeviceDetail, Diff, DiscardRequests, Glance, Problem, Report, Resilience, SuperblockView, Window, ZoneView } from "./planner/types.ts";

/** Every question, by name. Those about a plan name it first: "made" from the request, or a document that was dropped. */
export interface Questions {
  plan(request: string): { glance: Glance; milliseconds: number };
  read(slot: Slot, text: Uint8Array): Glance;
  drop(slot: Slot): void;
  window(slot: Slot, devid: bigint, start: bigint, length: bigint, cells: number): Window;
  device(slot: Slot, devid: bigint): DeviceDetail;
  zones(slot: Slot, devid: bigint): ZoneView[];
  blocks(slot: Slot): Block[];
  block(slot: Slot, logical: bigint): BlockView;
  superblock(slot: Slot, devid: bigint): SuperblockView;
  discardRequests(slot: Slot, devid: bigint): DiscardRequests | undefined;
  audit(slot: Slot): Report;
  capacity(slot: Slot): CapacityView;
  diff(before: Slot, after: Slot): Diff;
  resilience(slot: Slot, lost: bigint[]): Resilience;
  text(slot: Slot, kind: "json" | "seal" | "svg" | "report" | "summary"): string;
}

/** Where a plan is kept. */
export type Slot = "made" | "first" | "second";

export type Name = keyof Questions;

export type Ask = { [N in Name]: { id: number; name: N; args: Parameters<Questions[N]> } }[Name];

export type Answer = { id: number; value: unknown } | { id: number; problem: Problem };

/** An error of the planner, or whatever else was thrown, as the object that the page shows. */
export function problemOf(error: unknown): Problem {
  if (typeof error === "object" && error !== null && "message" in error && !(error instanceof Error)) {
    return error as Problem;
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
