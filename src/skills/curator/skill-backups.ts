import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { readSkillEntries } from "../skill-folder.ts";
import { skillPlaces } from "../skill-roots.ts";

export const curatorFolder = ".hermes-curator";

export interface SkillBackups {
  /** Saves all skills of the Hermes home in one `.tar.gz`. */
  make(keep: number): Promise<Result<string>>;
  /** Backups, newest last. */
  list(): readonly string[];
  /** Skills by their path below the skills folder. */
  read(name: string): Result<ReadonlyMap<string, readonly SkillEntry[]>>;
}

export function createSkillBackups(skills: string, clock: Clock): SkillBackups {
  const folder = join(skills, curatorFolder, "backups");
  const list = () =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith(".tar.gz"))
          .toSorted()
      : [];
  return {
    list,
    async make(keep) {
      try {
        const files = skillPlaces([{ path: skills, kind: "home" }]).flatMap((place) =>
          readSkillEntries(place.folder).flatMap((entry) =>
            entry.kind === "file" ? [{ ...entry, path: `${place.path}/${entry.path}` }] : [],
          ),
        );
        await makeFolder(folder, 0o700);
        const name = `${new Date(clock.now()).toISOString().replaceAll(/[:.]/gu, "-")}.tar.gz`;
        const written = await writeFileAtomic(join(folder, name), gzipSync(packTar(files)), { mode: 0o600 });
        if (!written.ok) return err({ message: written.error.message });
        await Promise.all(
          list()
            .slice(0, -keep)
            .map((old) => rm(join(folder, old), { force: true })),
        );
        return ok(name);
      } catch (thrown) {
        return err({ message: reasonOf(thrown) });
      }
    },
    read(name) {
      try {
        const match = list().find((each) => each === name || each.startsWith(name));
        if (match === undefined) return err({ message: `there is no backup ${name}` });
        const bySkill = new Map<string, SkillEntry[]>();
        const files = unpackTar(gunzipSync(readFileSync(join(folder, match)), { maxOutputLength: maxBytes }));
        const roots = files.flatMap(({ path }) =>
          path.endsWith("/SKILL.md") ? [path.slice(0, -"/SKILL.md".length)] : [],
        );
        for (const file of files) {
          const root = roots.find((each) => file.path.startsWith(`${each}/`));
          if (root === undefined) continue;
          bySkill.set(root, [...(bySkill.get(root) ?? []), { ...file, path: file.path.slice(root.length + 1) }]);
        }
        return ok(bySkill);
      } catch (thrown) {
        return err({ message: `the backup ${name} cannot be used: ${reasonOf(thrown)}` });
      }
    },
  };
}

/** The maximum size, far above that of all skills of a home. */
const maxBytes = 500_000_000;

type FileEntry = Extract<SkillEntry, { readonly kind: "file" }>;

/** Packs the files into a tar archive that every tar program can unpack. */
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

/**
 * Reads the files of an archive that `packTar` wrote. Throws for any other archive and for paths that leave the
 * folder.
 */
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

/** The checksum field itself counts as spaces in the sum. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}

function textIn(bytes: Buffer, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return (end < 0 ? field : field.subarray(0, end)).toString("utf8").trim();
}
