import { expect, test } from "vitest";
import { zoomed } from "./zoom.ts";

const whole = 1n << 60n;

test("a part stays on the device, and all of it is no part", () => {
  expect(zoomed({ start: 0n, length: whole }, whole, 0.5, 0.5)).toEqual({ start: whole / 4n, length: whole / 2n });
  expect(zoomed({ start: 0n, length: whole }, whole, 0.5, 0)).toEqual({ start: 0n, length: whole / 2n });
  expect(zoomed({ start: whole / 2n, length: whole / 2n }, whole, 2, 0.5)).toBeUndefined();
  expect(zoomed({ start: -5n, length: 8192n }, whole, 1, 0.5)).toEqual({ start: 0n, length: 8192n });
  expect(zoomed({ start: whole, length: 8192n }, whole, 1, 0.5)).toEqual({ start: whole - 8192n, length: 8192n });
});

test("nothing below a sector is looked at", () => {
  expect(zoomed({ start: 65536n, length: 4096n }, whole, 0.5, 0.5)?.length).toBe(4096n);
});

test("zooming keeps the place under the pointer", () => {
  let range = { start: 0n, length: 1n << 40n };
  for (let turn = 0; turn < 20; turn++) range = zoomed(range, 1n << 40n, 0.8, 0.25) ?? range;
  const place = range.start + range.length / 4n;
  expect(Number(place) / 2 ** 40).toBeCloseTo(0.25, 6);
});
