// Zone resets of a device, three ways: for people who want to see what planning saves.
import type { ByteRange, Zones } from "./planner/types.ts";

/** Zones of these states are as they have to be, or cannot be reset. */
const LEFT_ALONE = new Set(["conventional", "empty", "readonly", "offline"]);

/** A request for each zone that is not empty, at most `most` of them, with how many there are. */
export function zoneByZone(zones: Zones, most: number): { requests: ByteRange[]; count: bigint } {
  const requests: ByteRange[] = [];
  let count = 0n;
  let first = 0n;
  for (const run of zones.runs) {
    if (!LEFT_ALONE.has(run[1])) {
      count += run[0];
      for (let zone = first; zone < first + run[0] && requests.length < most; zone++) requests.push([zone * zones.size, zones.size]);
    }
    first += run[0];
  }
  return { requests, count };
}

/** The same, neighbours as one. */
export function mergedZones(zones: Zones): ByteRange[] {
  const requests: ByteRange[] = [];
  let first = 0n;
  for (const run of zones.runs) {
    const [start, length] = [first * zones.size, run[0] * zones.size];
    const last = requests.at(-1);
    if (!LEFT_ALONE.has(run[1])) {
      if (last !== undefined && last[0] + last[1] === start) last[1] += length;
      else requests.push([start, length]);
    }
    first += run[0];
  }
  return requests;
}
