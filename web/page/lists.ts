// What is done to lists of devices.

/** The list with one element moved; the same list where it would leave it. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const copy = [...list];
  if (to < 0 || to >= copy.length) return copy;
  const [one] = copy.splice(from, 1);
  if (one !== undefined) copy.splice(to, 0, one);
  return copy;
}

export const without = <T>(list: readonly T[], index: number): T[] => list.filter((_, at) => at !== index);

export const replaced = <T>(list: readonly T[], index: number, value: T): T[] => list.map((old, at) => (at === index ? value : old));

/** The list with a copy of an element behind it, as `copy` makes it. */
export function doubled<T>(list: readonly T[], index: number, copy: (value: T) => T): T[] {
  return list.flatMap((value, at) => (at === index ? [value, copy(value)] : [value]));
}
