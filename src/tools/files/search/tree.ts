import { dirname } from "node:path";

import { err, ok, type Result } from "../../../base/result.ts";
import { byText } from "../../../base/text/order.ts";
import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { readFiles } from "./file-reader.ts";
import { globPattern } from "./glob.ts";
import { decodePath, decodeUtf8 } from "./matched-file.ts";
import { readPaths, withTrailer, runSearchCommand, type SearchPlace } from "./search-command.ts";
import type { Root, SearchScope, SearchFault } from "./search.ts";

export interface TreeFile {
  /** The path below the root folder, as bytes, one per character. */
  readonly raw: string;
  readonly path: string;
}

export interface Tree {
  /** Files in the order of their paths. */
  readonly files: readonly TreeFile[];
  readonly unreadable: number;
  readonly stopped?: "time" | "size";
}

/**
 * Returns the files below a root that ripgrep would search, determined with `find` and the ignore files. Symbolic links
 * are not followed.
 */
export async function listTree(root: Root, scope: SearchScope, place: SearchPlace): Promise<Result<Tree, SearchFault>> {
  if (root.file !== undefined) {
    const raw = Buffer.from(root.file).toString("latin1");
    return ok({ files: [{ raw, path: root.file }], unreadable: 0 });
  }
  const listing = await listed(root, scope, place);
  if (!listing.ok) return listing;
  const { paths, unreadable, stopped } = listing.value;
  const below = paths.filter((path) => path.startsWith("./")).map((path) => path.slice(2));
  const repositories = new Set(
    paths.filter((path) => /(?:^|\/)\.git$/u.test(path)).map((path) => path.replace(/^\.\/|\/?\.git$/gu, "")),
  );
  const names = below.filter((path) => !/(?:^|\/)\.git$/u.test(path));
  const rules = scope.noIgnore ? ok(noRules) : await readRules(root, names, repositories, place);
  if (!rules.ok) return rules;
  const files = names
    .filter((raw) => scope.hidden || !/(?:^|\/)\./u.test(raw))
    .map((raw) => ({ raw, path: decodePath(raw) }))
    .filter(({ path }) => scope.filter.takes(path))
    .filter(rules.value.keeps)
    .toSorted((a, b) => byText(a.path, b.path));
  return ok({ files, unreadable, ...(stopped && { stopped }) });
}

async function listed(root: Root, scope: SearchScope, place: SearchPlace) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const above = ancestors(root.folder).map(quoteForShell).join(" ");
  const find = `command find . -name .git -prune -print0 -o ${scope.hidden ? "" : "-type d -name '.?*' -prune -o "}-type f -print0`;
  const ran = await runSearchCommand(
    `for d in ${above}; do [ -e "$d/.git" ] && printf '%s/.git\\0' "\${d%/}"; done; ` + withTrailer(find),
    {
      cwd: root.folder,
      onOutput(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        return bytes < maxListBytes;
      },
    },
    place,
  );
  if (!ran.ok) return ran;
  const { paths, trailer } = readPaths(Buffer.concat(chunks));
  if (trailer?.exitCode === 127 || (ran.value.how === "exit" && trailer === undefined))
    return err<SearchFault>({ kind: "failed", message: "neither rg nor find is available for the search" });
  const unreadable = trailer?.messages.split("\n").filter((line) => line.startsWith("find: ")).length ?? 0;
  const stopped =
    ran.value.how === "exit" ? undefined : ran.value.how === "time" ? ("time" as const) : ("size" as const);
  return ok({ paths, unreadable, stopped });
}

interface Rules {
  keeps(file: TreeFile): boolean;
}

const noRules: Rules = { keeps: () => true };

async function readRules(
  root: Root,
  names: readonly string[],
  repositories: ReadonlySet<string>,
  place: SearchPlace,
): Promise<Result<Rules, SearchFault>> {
  const above = ancestors(root.folder);
  const ignoreFiles = [
    ...names.filter((path) => /(?:^|\/)\.(?:git|rg)?ignore$/u.test(path)),
    ...[...repositories].map((folder) => join(folder, ".git/info/exclude")),
    ...above.flatMap((folder) => [".gitignore", ".ignore", ".rgignore"].map((name) => join(rawText(folder), name))),
  ];
  const folders = new Map<string, Record<string, IgnoreFile>>();
  const read = await readFiles(ignoreFiles, root.folder, place, (path, bytes) => {
    const [name = ""] = /(?:^|(?<=\/))(?:\.git\/info\/exclude|[^/]+)$/su.exec(path) ?? [];
    const folder = path.slice(0, -name.length - 1);
    const own = folder === "" && path.startsWith("/") ? "/" : folder;
    const file = ignoreFile(decodeUtf8(bytes ?? new Uint8Array()));
    folders.set(own, { ...folders.get(own), [name]: file });
    return true;
  });
  if (!read.ok) return read;

  const rulesOf = (folder: string): FolderRules => {
    const own = folders.get(folder) ?? {};
    return {
      ...(own[".rgignore"] && { rgignore: own[".rgignore"] }),
      ...(own[".ignore"] && { ignore: own[".ignore"] }),
      ...(own[".gitignore"] && { gitignore: own[".gitignore"] }),
      ...(own[".git/info/exclude"] && { exclude: own[".git/info/exclude"] }),
    };
  };
  const rooted = rawText(root.folder);
  const outer = above.map((folder) => {
    const raw = rawText(folder);
    return { rules: rulesOf(raw), prefix: rooted.slice(raw === "/" ? 1 : raw.length + 1) };
  });
  const cached = new Map<string, boolean>();

  function levelsOf(path: string): Level[] {
    const levels: Level[] = [];
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      levels.push({ rules: rulesOf(folder), path: folder === "" ? path : path.slice(folder.length + 1) });
      if (folder === "") break;
    }
    return [...levels, ...outer.map(({ rules, prefix }) => ({ rules, path: join(prefix, path) }))];
  }

  function isKept(path: string, isFolder: boolean): boolean {
    const parent = parentOf(path);
    return (parent === "" || isKeptFolder(parent)) && !isIgnored(levelsOf(path), isFolder);
  }

  function isKeptFolder(path: string): boolean {
    const before = cached.get(path);
    if (before !== undefined) return before;
    const kept = isKept(path, true);
    cached.set(path, kept);
    return kept;
  }

  return ok({ keeps: ({ raw }) => isKept(raw, false) });
}

/** The parent folders from the nearest to `/`. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...ancestors(parent)];
}

function parentOf(path: string): string {
  const index = path.lastIndexOf("/");
  return index < 0 ? "" : path.slice(0, index);
}

function join(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;
}

function rawText(text: string): string {
  return Buffer.from(text).toString("latin1");
}

const maxListBytes = 256 * 1024 * 1024;

/** The verdict of an ignore file on a path: none, ignored, or kept regardless of files with lower precedence. */
type Opinion = "ignored" | "kept" | undefined;

interface IgnoreFile {
  /**
   * Judges a path below the folder of the file. `path` is given as bytes, one per character, because `?` matches one
   * byte in ripgrep.
   */
  of(path: string, isFolder: boolean): Opinion;
}

/** The ignore files of one folder. */
interface FolderRules {
  readonly rgignore?: IgnoreFile;
  readonly ignore?: IgnoreFile;
  readonly gitignore?: IgnoreFile;
  /** The rules of `.git/info/exclude`. */
  readonly exclude?: IgnoreFile;
}

interface Level {
  readonly rules: FolderRules;
  /** The path relative to the folder of these ignore files. */
  readonly path: string;
}

/** Parses a file in the format of `.gitignore`. Skips lines that are not globs. */
function ignoreFile(text: string): IgnoreFile {
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
 * Returns whether a path is ignored. `levels` are its parent folders from the nearest upwards. `.rgignore` takes
 * precedence over `.ignore`, and that over git's files; among files of one kind, the nearest folder takes precedence.
 */
function isIgnored(levels: readonly Level[], isFolder: boolean): boolean {
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
