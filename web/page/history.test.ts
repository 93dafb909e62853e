import { expect, test } from "vitest";
import { begin, redo, step, undo } from "./history.ts";

test("undo and redo go back and forth, and a step forgets what was undone", () => {
  let history = step(step(begin(1), 2), 3);
  history = undo(undo(history));
  expect(history.now).toBe(1);
  expect(undo(history)).toBe(history);
  history = redo(history);
  expect(history.now).toBe(2);
  history = step(history, 4);
  expect(history.after).toEqual([]);
  expect(redo(history)).toBe(history);
  expect(undo(undo(history)).now).toBe(1);
});

test("only so many steps are kept", () => {
  let history = begin(0);
  for (let value = 1; value < 1000; value++) history = step(history, value);
  expect(history.before.length).toBe(200);
  expect(undo(history).now).toBe(998);
});
