// Undo and redo.

/** How many steps are kept. */
const STEPS = 200;

/** A value with what it was before, and what it was before undoing. */
export interface History<T> {
  before: T[];
  now: T;
  after: T[];
}

export const begin = <T>(now: T): History<T> => ({ before: [], now, after: [] });

/** A step on. What was undone is gone. */
export function step<T>(history: History<T>, now: T): History<T> {
  return { before: [...history.before, history.now].slice(-STEPS), now, after: [] };
}

export function undo<T>(history: History<T>): History<T> {
  const now = history.before.at(-1);
  if (now === undefined) return history;
  return { before: history.before.slice(0, -1), now, after: [history.now, ...history.after] };
}

export function redo<T>(history: History<T>): History<T> {
  const [now, ...after] = history.after;
  if (now === undefined) return history;
  return { before: [...history.before, history.now], now, after };
}
