/** The header of one file in the tar format, with a pax header where a plain one cannot hold the path or the size. */
export function tarHeader(path: string, size: number, mode: number): Buffer {
  const isPlain = /^[\x20-\x7e]{1,99}$/u.test(path) && size < 8 * 2 ** 30;
  const header = block(isPlain ? path : "long", size, mode, "0");
  if (isPlain) return header;
  const records = Buffer.concat([paxRecord("path", path), paxRecord("size", String(size))]);
  return Buffer.concat([block("pax", records.length, 0o600, "x"), records, tarPadding(records.length), header]);
}

/** Zeros up to the next block boundary. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

/** The end of an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * 512);

export interface TarEntry {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** The content, which must be read to its end before the next entry. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** An archive that violates the format or contains something other than files. The message gives the details. */
export class BadArchive extends Error {}

/** Reads the files of an archive. Links, devices and other special entries are rejected; folders are not returned. */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const queue = byteQueue(bytes);
  let long: { path?: string; size?: number } = {};
  for (;;) {
    const header = await queue.take(blockBytes);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    const { path: plain, size: short, mode, type, isIntact } = parseHeader(header);
    const size = long.size ?? short;
    if (!isIntact || !Number.isSafeInteger(size) || size < 0) throw new BadArchive("it is damaged");
    if (type === "x") {
      if (size > maxPaxBytes) throw new BadArchive("it has a header that is too large");
      const records = await queue.take(size + tarPadding(size).length);
      if (records === undefined) throw new BadArchive("it ends too early");
      long = paxFields(records.subarray(0, size));
      continue;
    }
    if (type !== "0" && type !== "\0") throw new BadArchive(`${JSON.stringify(plain)} is not a file`);
    const path = long.path ?? plain;
    long = {};
    let isRead = false;
    const content = (async function* () {
      yield* queue.stream(size);
      if ((await queue.take(tarPadding(size).length)) === undefined) throw new BadArchive("it ends too early");
      isRead = true;
    })();
    yield { path, size, mode, content };
    if (!isRead) throw new Error("an entry was not read to its end");
  }
}

const blockBytes = 512;
const maxPaxBytes = 64 * 1024;

function block(path: string, size: number, mode: number, type: string): Buffer {
  const header = Buffer.alloc(blockBytes);
  header.write(path, 0, 100, "latin1");
  header.write(`${(mode & 0o777).toString(8).padStart(7, "0")}\0`, 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${(size < 8 * 2 ** 30 ? size : 0).toString(8).padStart(11, "0")}\0`, 124);
  header.write(`${"0".padStart(11, "0")}\0`, 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function paxRecord(name: string, value: string): Buffer {
  const body = ` ${name}=${value}\n`;
  let length = Buffer.byteLength(body) + 1;
  while (Buffer.byteLength(`${length}${body}`) !== length) length++;
  return Buffer.from(`${length}${body}`);
}

function paxFields(records: Buffer): { path?: string; size?: number } {
  const fields: { path?: string; size?: number } = {};
  for (let offset = 0; offset < records.length;) {
    const blank = records.indexOf(0x20, offset);
    const length = blank < 0 ? Number.NaN : Number(records.toString("latin1", offset, blank));
    if (!Number.isSafeInteger(length) || length <= blank - offset || offset + length > records.length)
      throw new BadArchive("it is damaged");
    const record = records.toString("utf8", blank + 1, offset + length - 1);
    const [name, value] = [record.slice(0, record.indexOf("=")), record.slice(record.indexOf("=") + 1)];
    if (name === "path") fields.path = value;
    if (name === "size") fields.size = Number(value);
    offset += length;
  }
  return fields;
}

function parseHeader(header: Buffer) {
  const field = (start: number, length: number) => {
    const bytes = header.subarray(start, start + length);
    const end = bytes.indexOf(0);
    return bytes.toString("utf8", 0, end < 0 ? length : end);
  };
  const octal = (start: number, length: number) => Number.parseInt(field(start, length).trim() || "0", 8);
  const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
  const sum = header.reduce((all, byte, index) => all + (index >= 148 && index < 156 ? 32 : byte), 0);
  return {
    path: prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`,
    mode: octal(100, 8) & 0o777,
    size: octal(124, 12),
    type: String.fromCharCode(header[156] ?? 0),
    isIntact: octal(148, 8) === sum,
  };
}

/** Reads exact numbers of bytes from chunks of any size. */
function byteQueue(bytes: AsyncIterable<Uint8Array>) {
  const source = bytes[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { done, value } = await source.next();
    if (done) return false;
    rest = rest.length === 0 ? Buffer.from(value) : Buffer.concat([rest, value]);
    return true;
  };
  return {
    /** Undefined if the stream ends earlier. */
    async take(count: number): Promise<Buffer | undefined> {
      while (rest.length < count) if (!(await more())) return undefined;
      const bytesRead = rest.subarray(0, count);
      rest = rest.subarray(count);
      return bytesRead;
    },
    async *stream(count: number): AsyncGenerator<Buffer> {
      for (let left = count; left > 0;) {
        if (rest.length === 0 && !(await more())) throw new BadArchive("it ends too early");
        const chunk = rest.subarray(0, left);
        rest = rest.subarray(chunk.length);
        left -= chunk.length;
        yield chunk;
      }
    },
  };
}
