// A part of a device that is looked at.

export interface Range {
  start: bigint;
  length: bigint;
}

/** The least that can be looked at: a sector. */
const LEAST = 4096n;

/** The part, `factor` times as long around a point (`at`, from 0 to 1), kept on the device. All of it is no part. */
export function zoomed(range: Range, whole: bigint, factor: number, at: number): Range | undefined {
  const scaled = BigInt(Math.round(Number(range.length) * factor));
  const length = scaled < LEAST ? LEAST : scaled;
  if (length >= whole) return undefined;
  const centre = range.start + BigInt(Math.round(Number(range.length) * at));
  const wanted = centre - BigInt(Math.round(Number(length) * at));
  const last = whole - length;
  const start = wanted < 0n ? 0n : wanted > last ? last : wanted;
  return { start, length };
}
