// Bytes in rows, for people.

/** Bytes of a row. */
const ROW = 16;

export type Row = { offset: number; bytes: string[] } | { offset: number; zeros: number };

/** Rows of 16 bytes from a text in hexadecimal; rows of zeros come together as one, but for those that are highlighted. */
export function rows(hex: string, shown?: { offset: number; length: number }): Row[] {
  const result: Row[] = [];
  const count = hex.length / 2;
  for (let offset = 0; offset < count; offset += ROW) {
    const text = hex.slice(offset * 2, (offset + ROW) * 2);
    const touched = shown !== undefined && offset < shown.offset + shown.length && shown.offset < offset + ROW;
    const last = result.at(-1);
    // A long field of zeros is not worth its rows either: its first row says where it is.
    const first = touched && shown !== undefined && shown.offset >= offset;
    if (/^0*$/.test(text) && !(touched && (first || shown.length <= 256))) {
      if (last !== undefined && "zeros" in last) last.zeros += text.length / 2;
      else result.push({ offset, zeros: text.length / 2 });
      continue;
    }
    result.push({ offset, bytes: text.match(/../g) ?? [] });
  }
  return result;
}
