import { posix } from "node:path";

import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import type { SkillFinding } from "./skill-scan.ts";

/** Returns findings about the folder itself, independent of the text in it. */
export function structureFindings(entries: readonly SkillEntry[]): readonly SkillFinding[] {
  const files = entries.filter((entry) => entry.kind === "file");
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const whole = (rule: string): SkillFinding => ({ class: "structure", severity: "high", rule, path: "." });
  return [
    ...(entries.length > maxEntries ? [whole("too_many_files")] : []),
    ...(total > maxTotalBytes ? [whole("too_large")] : []),
    ...(files.some(({ path }) => path === "SKILL.md") ? [] : [whole("no_skill_file")]),
    ...entries.flatMap(entryFindings),
  ];
}

/** Returns whether the file can be read as text. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, 65_536).includes(0);
}

const maxEntries = 50;
const maxTotalBytes = 1024 * 1024;
const maxFileBytes = 256 * 1024;

function entryFindings(entry: SkillEntry): SkillFinding[] {
  const { path } = entry;
  const finding = (rule: string, severity: SkillFinding["severity"], of: SkillFinding["class"] = "structure") => [
    { class: of, severity, rule, path },
  ];
  if (!isInside(path) || /[\\\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(path))
    return finding("odd_path", "critical", "traversal");
  if (entry.kind === "other") return finding("no_file", "critical");
  if (entry.kind === "link") {
    const leads = posix.join(posix.dirname(path), entry.target);
    return posix.isAbsolute(entry.target) || !isInside(leads) ? finding("link_leaves", "critical", "traversal") : [];
  }
  const { bytes, isExecutable } = entry;
  if (bytes.length > maxFileBytes) return finding("file_too_large", "high");
  if (programs.some((magic) => startsWith(bytes, magic)) || programNames.test(path))
    return finding("program", "critical", "execution");
  if (archives.some((magic) => startsWith(bytes, magic)) && !documentNames.test(path))
    return finding("archive", "high", "obfuscation");
  if (!isText(bytes) && !assetNames.test(path) && !documentNames.test(path)) return finding("binary", "high");
  return isExecutable && !startsWith(bytes, [0x23, 0x21]) ? finding("odd_execute_bit", "medium") : [];
}

/** Returns whether `path` is relative to the folder and stays inside it. */
function isInside(path: string): boolean {
  return path !== "" && !posix.isAbsolute(path) && !/^[a-z]:/iu.test(path) && !path.split("/").includes("..");
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** The first bytes of programs: ELF, Windows, Mach-O in all byte orders, Java, WebAssembly. */
const programs: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a, 0x90, 0x00],
  [0xfe, 0xed, 0xfa, 0xce],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x00, 0x61, 0x73, 0x6d],
];
const programNames =
  /\.(?:exe|dll|so|dylib|msi|scr|com|jar|class|apk|app|dmg|pkg|deb|rpm|pyc|pyo|node|wasm|lnk|hta|vbs|vbe|jse|wsf|iso)$/iu;

/** The first bytes of archives: zip, gzip, bzip2, xz, 7z, RAR, zstd. */
const archives: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x1f, 0x8b],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58],
  [0x37, 0x7a, 0xbc, 0xaf],
  [0x52, 0x61, 0x72, 0x21],
  [0x28, 0xb5, 0x2f, 0xfd],
];
const documentNames = /\.(?:docx|xlsx|pptx|dotx|xltx|potx|odt|ods|odp|epub)$/iu;
const assetNames =
  /\.(?:png|jpe?g|gif|webp|ico|bmp|avif|pdf|ttf|otf|woff2?|eot|mp3|wav|ogg|mp4|webm|sqlite|db|parquet|npy)$/iu;
