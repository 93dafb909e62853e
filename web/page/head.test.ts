import { expect, test } from "vitest";
import { headPath } from "./head.ts";

test("requests are drawn across by place and rank, and down by turn", () => {
  expect(headPath([[0n, 50n], [90n, 10n], [20n, 0n]], 100n, 200, 100)).toEqual([
    { from: 0, to: 100, y: 0 },
    { from: 165, to: 200, y: 50 },
    { from: 45, to: 46, y: 100 },
  ]);
  expect(headPath([[0n, 100n]], 100n, 200, 100)).toEqual([{ from: 0, to: 200, y: 50 }]);
  expect(headPath([], 100n, 200, 100)).toEqual([]);
});

test("places keep their order, and small ones stay apart", () => {
  const path = headPath([[1n << 20n, 4096n], [1n << 21n, 4096n], [1n << 39n, 1n << 38n]], 1n << 40n, 300, 100);
  for (let turn = 1; turn < path.length; turn++) expect((path[turn]?.from ?? 0) - (path[turn - 1]?.to ?? 0)).toBeGreaterThan(10);
});

test("of very many requests some are drawn", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => [BigInt(at), 1n] as [bigint, bigint]);
  expect(headPath(many, 10_000n, 200, 100).length).toBe(400);
});
