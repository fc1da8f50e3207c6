import type { SkillEntry } from "../../contracts/knowledge/skill.ts";

type FileEntry = Extract<SkillEntry, { readonly kind: "file" }>;

/** The files as a tar archive that every tar can unpack. */
export function packTar(files: readonly FileEntry[]): Buffer {
  const blocks = files.flatMap((file) => {
    const bytes = Buffer.from(file.bytes);
    const padding = Buffer.alloc((block - (bytes.length % block)) % block);
    return [
      ...longName(file.path),
      headerOf(shortName(file.path), bytes.length, file.isExecutable ? 0o755 : 0o644, "0"),
      bytes,
      padding,
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * block)]);
}

/** The files of an archive that `packTar` wrote. Throws for anything else and for paths that leave the folder. */
export function unpackTar(archive: Buffer): readonly FileEntry[] {
  const files: FileEntry[] = [];
  let name: string | undefined;
  for (let index = 0; index + block <= archive.length;) {
    const header = archive.subarray(index, index + block);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textIn(header, 124, 12), 8);
    const bytes = archive.subarray(index + block, index + block + size);
    if (checksum(header) !== Number.parseInt(textIn(header, 148, 8), 8) || bytes.length !== size)
      throw new Error("the archive is damaged");
    const type = textIn(header, 156, 1);
    if (type === "L") name = textIn(bytes, 0, size);
    else {
      const path = name ?? textIn(header, 0, 100);
      const isPlain = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
      if ((type !== "0" && type !== "") || !isPlain)
        throw new Error(`${JSON.stringify(path)} in it is not a file of a skill`);
      const isExecutable = (Number.parseInt(textIn(header, 100, 8), 8) & 0o111) !== 0;
      files.push({ kind: "file", path, bytes, isExecutable });
      name = undefined;
    }
    index += block + Math.ceil(size / block) * block;
  }
  return files;
}

const block = 512;

/** GNU extension for long names. */
function longName(path: string): readonly Buffer[] {
  const bytes = Buffer.from(path);
  if (bytes.length <= 100) return [];
  const padding = Buffer.alloc(block - (bytes.length % block));
  return [headerOf("././@LongLink", bytes.length, 0o644, "L"), bytes, padding];
}

function shortName(path: string): string {
  return Buffer.from(path).subarray(0, 100).toString("latin1");
}

function headerOf(name: string, size: number, mode: number, type: string): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0, 100, "latin1");
  header.write(octal(mode, 7), 100, "latin1");
  header.write(octal(0, 7), 108, "latin1");
  header.write(octal(0, 7), 116, "latin1");
  header.write(octal(size, 11), 124, "latin1");
  header.write(octal(0, 11), 136, "latin1");
  header.write(type, 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(octal(checksum(header), 6), 148, "latin1");
  header.write(" ", 155, "latin1");
  return header;
}

/** The checksum field itself counts as spaces. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}

function textIn(bytes: Buffer, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return (end < 0 ? field : field.subarray(0, end)).toString("utf8").trim();
}
