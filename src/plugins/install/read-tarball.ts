import { promisify } from "node:util";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { byPath, treeKindFault, treePathFault, type PluginFile, treeSizeFault, treeLimits } from "./plugin-tree.ts";

/**
 * The files of a package (`.tgz`), without its top folder. Nothing is written to disk. Rejects links, devices, paths that
 * leave the folder, two files of one name, and archives that are too large.
 */
export async function readTarball(bytes: Uint8Array): Promise<Result<readonly PluginFile[]>> {
  const { gunzip } = process.getBuiltinModule("node:zlib");
  const bad = (fault: string) => err({ message: `the archive ${fault}` });
  let tar: Buffer;
  try {
    tar = await promisify(gunzip)(bytes, { maxOutputLength: maxTarBytes });
  } catch (thrown) {
    return bad(`cannot be unpacked: ${reasonOf(thrown)}`);
  }
  const files: PluginFile[] = [];
  const names = new Set<string>();
  let total = 0;
  let long: { readonly path?: string; readonly size?: number } = {};
  for (let offset = 0; offset + blockBytes <= tar.length;) {
    const header = tar.subarray(offset, offset + blockBytes);
    if (header.every((byte) => byte === 0)) break;
    const entry = readHeader(header);
    const size = long.size ?? entry.size;
    const start = offset + blockBytes;
    if (!entry.isIntact || !Number.isSafeInteger(size) || size < 0 || start + size > tar.length)
      return bad("is damaged. Fetch it again.");
    const content = tar.subarray(start, start + size);
    offset = start + Math.ceil(size / blockBytes) * blockBytes;
    if (entry.type === "x") Object.assign(long, paxFields(content));
    else if (entry.type === "L") Object.assign(long, { path: textIn(content) });
    if (["x", "g", "L", "K"].includes(entry.type)) continue;
    const path = (long.path ?? entry.path).replace(/^(?:\.\/)+|\/$/gu, "");
    long = {};
    const isRoot = entry.type === "5" && /^\.?$/u.test(path);
    const fault = isRoot ? undefined : treePathFault(path);
    if (fault !== undefined) return bad(fault);
    if (entry.type === "5") continue;
    const isFile = entry.type === "0" || entry.type === "\0" || entry.type === "7";
    total += size;
    const excess =
      treeKindFault(path, isFile, entry.type === "1" || entry.type === "2") ??
      treeSizeFault({ path, size, total, count: files.length + 1 });
    if (excess !== undefined) return bad(excess);
    // Some file systems ignore case, so the second file would overwrite the first one, which the user saw.
    if (names.has(path.toLowerCase())) return bad(`names ${JSON.stringify(path)} twice. Do not install it.`);
    names.add(path.toLowerCase());
    files.push({ path, bytes: Uint8Array.from(content), isExecutable: (entry.mode & 0o111) !== 0 });
  }
  const folder = files.find(({ path }) => files.some((other) => other.path.startsWith(`${path}/`)));
  if (folder) return bad(`names ${JSON.stringify(folder.path)} as a file and as a folder. Do not install it.`);
  return files.length === 0 ? bad("holds no file. Fetch it again.") : ok(withoutTop(files).toSorted(byPath));
}

/** npm packages have all files in one top folder. */
function withoutTop(files: readonly PluginFile[]): readonly PluginFile[] {
  const top = /^[^/]+\//u.exec(files[0]?.path ?? "")?.[0];
  if (top === undefined || !files.every(({ path }) => path.startsWith(top))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length) }));
}

const blockBytes = 512;
/** The limit leaves room for the headers. */
const maxTarBytes = treeLimits.bytes + treeLimits.files * 4 * blockBytes;

interface Header {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  /** Whether the checksum of the header is correct. */
  readonly isIntact: boolean;
}

function readHeader(header: Buffer): Header {
  const field = (start: number, length: number) => textIn(header.subarray(start, start + length));
  const octal = (start: number, length: number) => Number.parseInt(field(start, length).trim() || "0", 8);
  const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
  const sum = header.reduce((all, byte, index) => all + (index >= 148 && index < 156 ? 32 : byte), 0);
  return {
    path: prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`,
    mode: octal(100, 8),
    size: octal(124, 12),
    type: String.fromCharCode(header[156] ?? 0),
    isIntact: octal(148, 8) === sum,
  };
}

function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

/** Parses the `LENGTH NAME=VALUE\n` records of a pax header. */
function paxFields(content: Buffer): { path?: string; size?: number } {
  const fields: { path?: string; size?: number } = {};
  for (let offset = 0; offset < content.length;) {
    const blank = content.indexOf(0x20, offset);
    const length = blank < 0 ? Number.NaN : Number(content.toString("utf8", offset, blank));
    if (!Number.isSafeInteger(length) || length <= blank - offset) break;
    const record = content.toString("utf8", blank + 1, offset + length - 1);
    const [name, value] = [record.slice(0, record.indexOf("=")), record.slice(record.indexOf("=") + 1)];
    if (name === "path") fields.path = value;
    if (name === "size") fields.size = Number(value);
    offset += length;
  }
  return fields;
}
