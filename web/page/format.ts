// Numbers for people.
import { readableSize, sizeText } from "./planner/planner.js";

/** For reading: two decimals and a unit, `10.00 GiB`. */
export const size = (bytes: bigint): string => readableSize(bytes).replace(/(?<=\d)(?=[A-Z])/, " ");
/** Exact, and as short as can be. */
export const exact = (bytes: bigint): string => sizeText(bytes);
/** Digits in groups of three. */
export const digits = (value: bigint | number): string => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
/** A share of a whole, in percent. */
export const percent = (part: bigint, whole: bigint): string => (whole === 0n ? "0 %" : `${Number((part * 10000n) / whole) / 100} %`);
export const plural = (count: bigint | number, word: string): string => `${digits(count)} ${word}${BigInt(count) === 1n ? "" : "s"}`;
