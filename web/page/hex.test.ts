import { expect, test } from "vitest";
import { rows } from "./hex.ts";

test("rows of zeros come together, but for those that are looked at", () => {
  const hex = "01".repeat(16) + "00".repeat(64) + "02".repeat(16);
  expect(rows(hex).map((row) => ("zeros" in row ? row.zeros : row.bytes.length))).toEqual([16, 64, 16]);
  const looked = rows(hex, { offset: 36, length: 4 });
  expect(looked.map((row) => row.offset)).toEqual([0, 16, 32, 48, 80]);
  expect(looked[2]).toEqual({ offset: 32, bytes: Array.from({ length: 16 }, () => "00") });
});

test("every byte is in exactly one row", () => {
  const hex = Array.from({ length: 1000 }, (_, at) => ((at * 7) % 5 === 0 ? "00" : "ff")).join("") + "00".repeat(200);
  for (const shown of [undefined, { offset: 900, length: 300 }, { offset: 0, length: 1 }]) {
    let at = 0;
    for (const row of rows(hex, shown)) {
      expect(row.offset).toBe(at);
      at += "zeros" in row ? row.zeros : row.bytes.length;
    }
    expect(at).toBe(1200);
  }
});
