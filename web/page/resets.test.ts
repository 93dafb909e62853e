import { expect, test } from "vitest";
import type { Zones } from "./planner/types.ts";
import { mergedZones, zoneByZone } from "./resets.ts";

const zones: Zones = {
  max_active: 0, max_open: 0, model: "host-managed", size: 10n,
  runs: [[2n, "conventional"], [3n, "full"], [1n, "open", null, 4n], [4n, "empty"], [1n, "offline"], [2n, "closed"]],
};

test("each zone that is not empty is a request, and neighbours are one", () => {
  const each = zoneByZone(zones, 100);
  expect(each).toEqual({ requests: [[20n, 10n], [30n, 10n], [40n, 10n], [50n, 10n], [110n, 10n], [120n, 10n]], count: 6n });
  expect(mergedZones(zones)).toEqual([[20n, 40n], [110n, 20n]]);
});

test("of very many zones all are counted and some are listed", () => {
  const each = zoneByZone({ ...zones, runs: [[1_000_000_000n, "full"]] }, 5);
  expect([each.requests.length, each.count]).toEqual([5, 1_000_000_000n]);
});
