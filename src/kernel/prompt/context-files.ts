import { basename, dirname, join, relative } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { cut } from "../../base/text/text.ts";

/** Reads files of the folder where the session works. */
export interface ContextFolder {
  /** Returns the text and its real path, or undefined if there is no readable file. */
  read(path: string): Promise<{ readonly text: string; readonly real: string } | undefined>;
  /** Returns the file names in a folder, or an empty list if the folder does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** The real path, with all links resolved. */
  real(path: string): Promise<string>;
}

export interface ContextFile {
  readonly path: string;
  readonly text: string;
  /** True if the text may contain instructions that the user did not give, so that the model gets it as data. */
  readonly isSuspect?: boolean;
}

/** `real`: the path that the text was read from, with all links resolved. */
type ReadFile = ContextFile & { readonly real: string };

/** Returns why a text must not be used as rules, or undefined if it may be used. */
export type JudgeText = (text: string) => Promise<string | undefined>;

export interface ContextFilesOptions {
  /** The working folder of the session, and the project folder that contains it. Both are real paths. */
  readonly cwd: string;
  readonly root: string;
  readonly maxChars: number;
  readonly judge: JudgeText;
}

export interface ContextFiles {
  /** The rules files, with paths relative to the project root. */
  readonly files: readonly ContextFile[];
  /** Notices for the user about omitted files, with the reason. */
  readonly notices: readonly string[];
}

const ownNames = [".hermes.md", "HERMES.md"];
const maxRules = 50;
const agentsNames = ["AGENTS.override.md", "AGENTS.md", "agents.md"];

/**
 * Finds the rules that a project has for agents. Only the first existing kind of rules file is used; the others are not
 * read.
 */
export async function contextFiles(folder: ContextFolder, options: ContextFilesOptions): Promise<ContextFiles> {
  const candidates =
    (await own(folder, options)) ??
    (await agentsChain(folder, options)) ??
    (await readFirstFile(folder, options.cwd, ["CLAUDE.md", "claude.md"])) ??
    (await cursorRules(folder, options.cwd)) ??
    [];
  const files: ContextFile[] = [];
  const notices: string[] = [];
  for (const file of candidates) {
    const path = relative(options.root, file.path) || file.path;
    const link = await linkFault(file, folder, options.root);
    if (link !== undefined) {
      notices.push(`${path} is not among the rules of this session: ${link}.`);
      continue;
    }
    const why = await options.judge(file.text);
    if (why !== undefined) notices.push(suspectNotice(path, file.path, why));
    files.push({
      path,
      text: shortenMiddle(file.text, options.maxChars),
      ...(why !== undefined && { isSuspect: true }),
    });
  }
  return { files, notices };
}

/**
 * Returns why a link is not followed: a link that leaves the project could send any file of this machine to the
 * provider, and a link to `.env` could send the project's secrets.
 */
export async function linkFault(file: ContextFile, folder: ContextFolder, root: string): Promise<string | undefined> {
  const real = await folder.real(file.path);
  if (!isInside(root, real)) return `it is a link out of the project, to ${real}`;
  return real === file.path || isText(real) ? undefined : `it is a link to ${relative(root, real)}`;
}

/** A notice for the user: the suspicious sentence, its consequence, and how to trust the file. */
export function suspectNotice(shown: string, path: string, why: string): string {
  return (
    `${shown} is treated as untrusted text in this session: ${why}. Leaving the workspace and using the network need ` +
    `your approval. If the file is fine: hermes trust ${quoteForShellIfNeeded(path)}`
  );
}

function isText(path: string): boolean {
  return /\.(?:md|mdc|mdx|markdown|txt|rst|adoc|cursorrules)$/iu.test(path);
}

/** The nearest file, from the folder up to the project root. */
async function own(folder: ContextFolder, { cwd, root }: ContextFilesOptions): Promise<ReadFile[] | undefined> {
  for (const path of parentFolders(cwd, root)) {
    const [file] = (await readFirstFile(folder, path, ownNames)) ?? [];
    const text = file && contextText(file.path, file.text);
    if (file && text) return [{ ...file, text }];
  }
  return undefined;
}

/** Reads one file per folder, from the project root down. */
async function agentsChain(folder: ContextFolder, { cwd, root }: ContextFilesOptions): Promise<ReadFile[] | undefined> {
  const chain: ReadFile[] = [];
  for (const path of parentFolders(cwd, root).toReversed()) {
    for (const file of (await readFirstFile(folder, path, agentsNames)) ?? []) {
      if (!chain.some(({ text }) => text === file.text)) chain.push(file);
    }
  }
  return chain.length === 0 ? undefined : chain;
}

async function cursorRules(folder: ContextFolder, cwd: string): Promise<ReadFile[] | undefined> {
  const rules = join(cwd, ".cursor", "rules");
  const names = (await folder.list(rules))
    .filter((name) => name.endsWith(".mdc"))
    .toSorted()
    .slice(0, maxRules);
  const files = [...((await readFirstFile(folder, cwd, [".cursorrules"])) ?? [])];
  for (const name of names) files.push(...((await readFirstFile(folder, rules, [name])) ?? []));
  return files.length === 0 ? undefined : files;
}

/** Returns the first of these files that exists and is not empty. */
export async function readFirstFile(
  folder: ContextFolder,
  path: string,
  names: readonly string[],
): Promise<ReadFile[] | undefined> {
  for (const name of names) {
    const file = join(path, name);
    const read = await folder.read(file);
    const text = read?.text.replace(/^\uFEFF/u, "").trim();
    if (read && text) return [{ path: file, text, real: read.real }];
  }
  return undefined;
}

/** Returns the part of a file that contains rules, without the front matter, which is for programs. */
export function contextText(path: string, text: string): string {
  const plain = text.replace(/^\uFEFF/u, "").trim();
  return ownNames.includes(basename(path)) ? plain.replace(/^---\r?\n[\s\S]*?\n---\s*(?:\n|$)/u, "").trim() : plain;
}

/** Returns a folder and its parents up to the project root. */
export function parentFolders(cwd: string, root: string): readonly string[] {
  const folders = [cwd];
  // Outside the project, no parent folder belongs to the project.
  if (!isInside(root, cwd)) return folders;
  for (let above = cwd; above !== root && dirname(above) !== above;) folders.push((above = dirname(above)));
  return folders;
}

/** Returns the beginning and the end of a text that is too long, with the number of omitted characters in between. */
export function shortenMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = cut(text, Math.floor(maxChars * 0.7));
  const tail = text.slice(-Math.floor(maxChars * 0.2)).replace(/^[\uDC00-\uDFFF]/u, "");
  const left = text.length - head.length - tail.length;
  return `${head}\n\n[… ${left} characters left out; read the file for them …]\n\n${tail}`;
}
