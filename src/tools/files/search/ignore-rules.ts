import { globPattern } from "./glob.ts";

/** The verdict of an ignore file on a path: none, ignored, or kept regardless of weaker files. */
export type Opinion = "ignored" | "kept" | undefined;

export interface IgnoreFile {
  /** `path` is below the folder of the file, bytes, one to a character: to ripgrep `?` is one byte here. */
  of(path: string, isFolder: boolean): Opinion;
}

/** The ignore files of one folder. */
export interface FolderRules {
  readonly rgignore?: IgnoreFile;
  readonly ignore?: IgnoreFile;
  readonly gitignore?: IgnoreFile;
  /** `.git/info/exclude`. */
  readonly exclude?: IgnoreFile;
}

export interface Level {
  readonly rules: FolderRules;
  /** The path as the ignore files of this folder see it. */
  readonly path: string;
}

/** Reads a file in the format of `.gitignore`. Lines that are not globs are skipped. */
export function ignoreFile(text: string): IgnoreFile {
  const rules = text
    .replace(/^\ufeff/u, "")
    .split("\n")
    .flatMap((line) => ruleOf(line) ?? [])
    .toReversed();
  return {
    of(path, isFolder) {
      const rule = rules.find((one) => (isFolder || !one.isFolderOnly) && one.pattern.test(path));
      return rule && (rule.isNegated ? "kept" : "ignored");
    },
  };
}

/**
 * Is it ignored? `levels`: the folders from the one that holds it upwards. `.rgignore` is stronger than `.ignore`, that
 * than git's files; of the same kind the nearest folder is the strongest.
 */
export function isIgnored(levels: readonly Level[], isFolder: boolean): boolean {
  let custom: Opinion;
  let plain: Opinion;
  let git: Opinion;
  let exclude: Opinion;
  for (const { rules, path } of levels) {
    custom ??= rules.rgignore?.of(path, isFolder);
    plain ??= rules.ignore?.of(path, isFolder);
    git ??= rules.gitignore?.of(path, isFolder);
    exclude ??= rules.exclude?.of(path, isFolder);
  }
  return (custom ?? plain ?? git ?? exclude) === "ignored";
}

interface Rule {
  readonly pattern: RegExp;
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
}

function ruleOf(text: string): Rule | undefined {
  let line = text.replace(/\r$/u, "");
  if (line.startsWith("#")) return undefined;
  if (!line.endsWith("\\ ")) line = line.trimEnd();
  if (line === "") return undefined;
  const isNegated = line.startsWith("!");
  let isAnchored = false;
  if (/^\\[!#]/u.test(line)) line = line.slice(1);
  else {
    if (isNegated) line = line.slice(1);
    isAnchored = line.startsWith("/");
    if (isAnchored) line = line.slice(1);
  }
  const isFolderOnly = line.endsWith("/");
  if (isFolderOnly) line = line.slice(0, -1).replace(/\\$/u, "");
  if (!isAnchored && !line.includes("/") && line !== "**") line = `**/${line}`;
  // Matches the content of the folder, not the folder itself.
  if (line.endsWith("/**")) line += "/*";
  const pattern = globPattern(Buffer.from(line).toString("latin1"), { ignoreCase: false });
  return pattern.ok ? { pattern: pattern.value, isNegated, isFolderOnly } : undefined;
}
