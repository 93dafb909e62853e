// The way of a device's head through a list of requests.
import type { ByteRange, DiscardRequests } from "./planner/types.ts";

export type Way = keyof DiscardRequests;

/** Requests that are drawn at most, evenly chosen: more could not be told apart. */
const DRAWN = 400;

export interface Place {
  from: number;
  to: number;
  y: number;
}

/** Where each request is drawn: across by its place on the device, at least a pixel wide; down by its turn. */
export function headPath(requests: readonly ByteRange[], whole: bigint, width: number, height: number): Place[] {
  const count = Math.min(requests.length, DRAWN);
  const drawn = Array.from({ length: count }, (_, turn) => requests[Math.floor((turn * requests.length) / count)]).filter((range) => range !== undefined);
  // Half by place, half by rank among all edges: what is small and close together stays apart.
  const edges = [...new Set(drawn.flatMap(([start, length]) => [start, start + length]))].sort((left, right) => (left < right ? -1 : 1));
  const ranks = new Map(edges.map((edge, rank) => [edge, edges.length < 2 ? 0 : rank / (edges.length - 1)]));
  const across = (at: bigint) => ((Number(at) / Number(whole) + (ranks.get(at) ?? 0)) / 2) * width;
  return drawn.map(([start, length], turn) => {
    const from = across(start);
    return { from, to: Math.max(from + 1, across(start + length)), y: count === 1 ? height / 2 : (turn * height) / (count - 1) };
  });
}
