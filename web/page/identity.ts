// Which device of one request is which of the next, so that a row keeps what is typed in it, wherever its device moves.

const numbers = new WeakMap<object, number>();
let next = 0;

function numberOf(device: object): number {
  const known = numbers.get(device);
  if (known !== undefined) return known;
  numbers.set(device, next);
  return next++;
}

/** Says that a device has become another value, and is the same device still. */
export function become<T extends object>(before: object, after: T): T {
  numbers.set(after, numberOf(before));
  return after;
}

/** A key for each device, that it keeps while it moves. A value that is there more than once gets one for each. */
export function keysOf(devices: readonly object[]): string[] {
  const seen = new Map<number, number>();
  return devices.map((device) => {
    const number = numberOf(device);
    const times = seen.get(number) ?? 0;
    seen.set(number, times + 1);
    return `${number}-${times}`;
  });
}
