import { dirname, join, normalize } from "node:path/posix";
import { inflateRawSync } from "node:zlib";

import { err, ok, type Result } from "../../../base/result.ts";
import { readXml, type XmlEvents } from "./xml-events.ts";

/** The entries of an archive, unpacked one by one within limits. Sizes and offsets are untrusted and are checked. */
export interface ZipArchive {
  readonly names: readonly string[];
  has(name: string): boolean;
  /**
   * Returns an entry, or undefined if it does not exist. Names are compared case-insensitively, as in office programs.
   * Throws `BadZip`.
   */
  read(name: string): Uint8Array | undefined;
}

export interface ZipLimits {
  readonly entries: number;
  /** The maximum unpacked size of one entry, and of all entries that are read. */
  readonly entryBytes: number;
  readonly totalBytes: number;
}

/** Thrown if the archive cannot be read further. The message says why. */
export class BadZip extends Error {}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly packedBytes: number;
  readonly headerAt: number;
}

export function openZip(bytes: Uint8Array, limits: ZipLimits): Result<ZipArchive, string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let entries: readonly Entry[];
  try {
    entries = directory(view, limits.entries);
  } catch (thrown) {
    return err(thrown instanceof BadZip ? thrown.message : "its directory is damaged");
  }
  const byName = new Map(entries.map((entry) => [key(entry.name), entry]));
  let left = limits.totalBytes;

  return ok({
    names: entries.map(({ name }) => name),
    has: (name) => byName.has(key(name)),
    read(name) {
      const entry = byName.get(key(name));
      if (!entry) return undefined;
      const content = unpack(view, entry, Math.min(left, limits.entryBytes));
      left -= content.length;
      return content;
    },
  });
}

function key(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\//u, "").toLowerCase();
}

function directory(view: DataView, maxEntries: number): readonly Entry[] {
  const end = endOfDirectory(view);
  let count = view.getUint16(end + 10, true);
  let offset = view.getUint32(end + 16, true);
  if (count === 0xffff || offset === 0xffffffff) {
    const big = bigEnd(view, end);
    if (big !== undefined) {
      count = long(view, big + 32);
      offset = long(view, big + 48);
    }
  }
  if (count > maxEntries) throw new BadZip(`it has ${count} entries, more than ${maxEntries}`);
  const entries: Entry[] = [];
  for (let index = 0; index < count; index++) {
    if (view.getUint32(offset, true) !== 0x02014b50) throw new BadZip("its directory is damaged");
    const nameBytes = view.getUint16(offset + 28, true);
    const extraBytes = view.getUint16(offset + 30, true);
    const name = decoder.decode(part(view, offset + 46, nameBytes));
    const sizes = bigSizes(view, offset, offset + 46 + nameBytes, extraBytes);
    entries.push({
      name,
      method: view.getUint16(offset + 10, true),
      isEncrypted: (view.getUint16(offset + 8, true) & 1) === 1,
      ...sizes,
    });
    offset += 46 + nameBytes + extraBytes + view.getUint16(offset + 32, true);
  }
  return entries;
}

function endOfDirectory(view: DataView): number {
  const first = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let index = view.byteLength - 22; index >= first; index--)
    if (view.getUint32(index, true) === 0x06054b50) return index;
  throw new BadZip("its end is missing: it was perhaps not copied whole");
}

function bigEnd(view: DataView, end: number): number | undefined {
  if (end < 20 || view.getUint32(end - 20, true) !== 0x07064b50) return undefined;
  const index = long(view, end - 12);
  return view.getUint32(index, true) === 0x06064b50 ? index : undefined;
}

/** Sizes of 4 GB and more are in an extra field, in this order, each only if the normal field overflows. */
function bigSizes(
  view: DataView,
  index: number,
  extraAt: number,
  extraBytes: number,
): Pick<Entry, "packedBytes" | "headerAt"> {
  let packedBytes = view.getUint32(index + 20, true);
  let headerAt = view.getUint32(index + 42, true);
  const isBig = view.getUint32(index + 24, true) === 0xffffffff;
  for (let field = extraAt; field + 4 <= extraAt + extraBytes; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue;
    let value = field + 4 + (isBig ? 8 : 0);
    if (packedBytes === 0xffffffff) {
      packedBytes = long(view, value);
      value += 8;
    }
    if (headerAt === 0xffffffff) headerAt = long(view, value);
  }
  return { packedBytes, headerAt };
}

function unpack(view: DataView, entry: Entry, maxBytes: number): Uint8Array {
  if (entry.isEncrypted) throw new BadZip("it is protected by a password");
  let packed: Uint8Array;
  try {
    if (view.getUint32(entry.headerAt, true) !== 0x04034b50) throw new BadZip(`${entry.name} in it is damaged`);
    const from =
      entry.headerAt + 30 + view.getUint16(entry.headerAt + 26, true) + view.getUint16(entry.headerAt + 28, true);
    packed = part(view, from, entry.packedBytes);
  } catch (thrown) {
    throw thrown instanceof BadZip ? thrown : new BadZip(`${entry.name} in it is damaged`);
  }
  if (entry.method === 0) {
    if (packed.length > maxBytes) throw tooBig(entry.name);
    return packed;
  }
  if (entry.method !== 8) throw new BadZip(`${entry.name} in it is packed in a way that is not supported`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (thrown) {
    const isTooBig = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooBig ? tooBig(entry.name) : new BadZip(`${entry.name} in it is damaged`);
  }
}

function tooBig(name: string): BadZip {
  return new BadZip(`${name} in it is too big when unpacked`);
}

function part(view: DataView, index: number, length: number): Uint8Array {
  if (index < 0 || index + length > view.byteLength) throw new BadZip("it is cut off: it was perhaps not copied whole");
  return new Uint8Array(view.buffer, view.byteOffset + index, length);
}

function long(view: DataView, index: number): number {
  return Number(view.getBigUint64(index, true));
}

const decoder = new TextDecoder();

/** A reference from one part of an office document to another. */
export interface Relation {
  /** The last word of the relation's type, such as `worksheet`. */
  readonly type: string;
  /** The name of a part, or a URL outside of the document. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** Returns the relations of a part by id. For "", returns those of the document. */
export function relationsOf(zip: ZipArchive, part: string): ReadonlyMap<string, Relation> {
  const relations = new Map<string, Relation>();
  const folder = dirname(part);
  const list = part === "" ? "_rels/.rels" : join(folder, "_rels", `${part.slice(part.lastIndexOf("/") + 1)}.rels`);
  readPart(zip, list, {
    open(name, tag) {
      const id = tag.attribute("Id");
      const target = tag.attribute("Target");
      if (name !== "Relationship" || id === undefined || target === undefined) return;
      const isExternal = tag.attribute("TargetMode") === "External";
      relations.set(id, {
        type: tag.attribute("Type")?.split("/").at(-1) ?? "",
        target: isExternal ? target : partName(folder, target),
        isExternal,
      });
    },
  });
  return relations;
}

/** Parses a part, if it exists. Returns false if it is damaged. */
export function readPart(zip: ZipArchive, name: string, events: XmlEvents): boolean {
  const bytes = zip.read(name);
  return bytes === undefined || readXml(bytes, events);
}

function partName(folder: string, target: string): string {
  return target.startsWith("/") ? normalize(target.slice(1)) : normalize(join(folder, target));
}
