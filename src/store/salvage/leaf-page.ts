// https://sqlite.org/fileformat2.html#b_tree_pages

/** A column value of a row. */
export type Value = null | number | string | Buffer;

export interface Cell {
  /** The row id; an index entry has none. */
  readonly rowid: number;
  /** Undefined if the row continues on damaged pages. The values on this page come first. */
  readonly values: readonly Value[];
}

export interface LeafPage {
  readonly kind: "table" | "index";
  readonly cells: readonly Cell[];
  /** False if a part of the page could not be read. */
  readonly isWhole: boolean;
}

/** The rows of a leaf page. `overflow` returns the page on which a long row continues. */
export function readLeafPage(
  page: Buffer,
  number: number,
  overflow: (page: number) => Buffer | undefined,
): LeafPage | undefined {
  const start = number === 1 ? 100 : 0;
  const type = page[start];
  if (type !== tableLeaf && type !== indexLeaf) return undefined;
  const kind = type === tableLeaf ? "table" : "index";
  const count = page.readUInt16BE(start + 3);
  const cells: Cell[] = [];
  for (let offset = 0; offset < count; offset++) {
    const pointer = start + 8 + offset * 2;
    if (pointer + 2 > page.length) break;
    const cell = readCell(page, page.readUInt16BE(pointer), kind, overflow);
    if (cell) cells.push(cell);
  }
  return { kind, cells, isWhole: cells.length === count };
}

const tableLeaf = 0x0d;
const indexLeaf = 0x0a;
/** The maximum length in SQLite. */
const maxBytes = 1_000_000_000;

function readCell(
  page: Buffer,
  offset: number,
  kind: LeafPage["kind"],
  overflow: (page: number) => Buffer | undefined,
): Cell | undefined {
  const length = readVarint(page, offset);
  const rowid = length && kind === "table" ? readVarint(page, length.end) : length;
  if (!length || !rowid || length.value <= 0 || length.value > maxBytes) return undefined;
  const local = localBytes(length.value, page.length, kind);
  const begin = rowid.end;
  if (begin + local > page.length) return undefined;
  const parts = [page.subarray(begin, begin + local)];
  // The header is checked first, so that random bytes are not followed through the file.
  const types = readTypes(page.subarray(begin, begin + local), length.value);
  let left = length.value - local;
  if (!types || (left > 0 && begin + local + 4 > page.length)) return undefined;
  let next = left > 0 ? page.readUInt32BE(begin + local) : 0;
  while (left > 0) {
    const more = next > 0 ? overflow(next) : undefined;
    if (!more) break;
    parts.push(more.subarray(4, Math.min(more.length, 4 + left)));
    left -= more.length - 4;
    next = more.readUInt32BE(0);
  }
  const record = parts.length === 1 ? (parts[0] ?? page) : Buffer.concat(parts);
  return { rowid: kind === "table" ? rowid.value : 0, values: readValues(record, types) };
}

/** How many bytes of a row are on the page itself. */
function localBytes(bytes: number, usable: number, kind: LeafPage["kind"]): number {
  const max = kind === "table" ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (bytes <= max) return bytes;
  const min = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = min + ((bytes - min) % (usable - 4));
  return fitting <= max ? fitting : min;
}

interface RowTypes {
  /** The offset of the values. */
  readonly begin: number;
  readonly types: readonly number[];
}

/** The column types of a row; undefined if its header contradicts its length. */
function readTypes(record: Buffer, length: number): RowTypes | undefined {
  const head = readVarint(record, 0);
  if (!head || head.value > record.length || head.value < 1) return undefined;
  const types: number[] = [];
  let bytes = head.value;
  for (let offset = head.end; offset < head.value;) {
    const type = readVarint(record, offset);
    if (!type) return undefined;
    types.push(type.value);
    bytes += sizeOf(type.value);
    offset = type.end;
  }
  return bytes === length ? { begin: head.value, types } : undefined;
}

/** The values that are on this page. */
function readValues(record: Buffer, { begin, types }: RowTypes): readonly Value[] {
  const values: Value[] = [];
  let offset = begin;
  for (const type of types) {
    const value = readValue(record, offset, type);
    if (value === undefined) break;
    values.push(value);
    offset += sizeOf(type);
  }
  return values;
}

const numberBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

function sizeOf(type: number): number {
  return type < 12 ? (numberBytes[type] ?? 0) : (type - (type % 2 === 0 ? 12 : 13)) / 2;
}

function readValue(record: Buffer, offset: number, type: number): Value | undefined {
  const end = offset + sizeOf(type);
  if (end > record.length) return undefined;
  if (type === 0) return null;
  if (type <= 5) return record.readIntBE(offset, numberBytes[type] ?? 1);
  if (type === 6) return Number(record.readBigInt64BE(offset));
  if (type === 7) return record.readDoubleBE(offset);
  if (type === 8 || type === 9) return type - 8;
  if (type < 12) return undefined;
  return type % 2 === 0 ? record.subarray(offset, end) : record.toString("utf8", offset, end);
}

function readVarint(bytes: Buffer, offset: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let read = 0; read < 9; read++) {
    const byte = bytes[offset + read];
    if (byte === undefined) return undefined;
    // A store contains no 64-bit numbers, so rounding such a value does no harm.
    value = read === 8 ? value * 256 + byte : value * 128 + (byte & 0x7f);
    if (byte < 0x80 || read === 8) return { value, end: offset + read + 1 };
  }
  return undefined;
}
