import { expect, test } from "vitest";
import { become, keysOf } from "./identity.ts";

test("a device keeps its key while it moves and changes, and no two have the same", () => {
  const [first, second] = [{ size: 1 }, { size: 1 }];
  const [one, two] = keysOf([first, second]);
  expect(one).not.toBe(two);
  expect(keysOf([second, first])).toEqual([two, one]);
  const grown = become(first, { size: 2 });
  expect(keysOf([grown, second])).toEqual([one, two]);
  expect(keysOf([first, second])).toEqual([one, two]);
  expect(new Set(keysOf([first, first, second, grown])).size).toBe(4);
});
