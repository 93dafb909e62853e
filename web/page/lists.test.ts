import { expect, test } from "vitest";
import { doubled, moved, replaced, without } from "./lists.ts";

test("lists are changed in one place and never in place", () => {
  const list = [1, 2, 3];
  expect(moved(list, 0, 1)).toEqual([2, 1, 3]);
  expect(moved(list, 2, 0)).toEqual([3, 1, 2]);
  expect(moved(list, 0, -1)).toEqual(list);
  expect(moved(list, 2, 3)).toEqual(list);
  expect(without(list, 1)).toEqual([1, 3]);
  expect(replaced(list, 1, 9)).toEqual([1, 9, 3]);
  expect(doubled(list, 1, (value) => value * 10)).toEqual([1, 2, 20, 3]);
  expect(list).toEqual([1, 2, 3]);
});
