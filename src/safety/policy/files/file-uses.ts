import { posix } from "node:path";

import { resolvePathText } from "../../command/checks/path-rules.ts";
import type { Fact, PathUse } from "../../command/fact.ts";
import { codeFacts } from "../../command/interpreters/interpreters.ts";
import { readOptions } from "../../command/programs/options.ts";
import { programFacts } from "../../command/programs/program-facts.ts";
import { programName } from "../../command/programs/program-name.ts";
import { type Field, hole, isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import type { FileUse } from "./path-lists.ts";

/** A file that a command uses, and how. */
export interface UsedFile {
  readonly ran: SimpleCommand;
  readonly use: FileUse;
  /** The absolute path as the command spells it. */
  readonly path: string;
  readonly word: Field;
  /** True if the shell itself opens the file. */
  readonly isRedirected: boolean;
}

/** Returns the files that commands are known to use, without duplicates, unknown paths and other objects. */
export function usedFiles(commands: readonly SimpleCommand[]): readonly UsedFile[] {
  const byKey = new Map<string, UsedFile>();
  for (const ran of commands) {
    const redirected = new Set(ran.redirections.map(({ target }) => target));
    for (const { how, path: word } of programFacts(ran).flatMap(pathFacts)) {
      const path = resolvePathText(word.text, ran.cwd);
      const use = uses[how];
      if (use === undefined || !isKnown(word) || word.isPattern || !isFile(path)) continue;
      const key = `${use} ${path}`;
      const isRedirected = redirected.has(word);
      if (isRedirected || !byKey.has(key)) byKey.set(key, { ran, use, path, word, isRedirected });
    }
  }
  return [...byKey.values()];
}

/** Resolves symbolic links that the script itself creates, which do not exist yet during the analysis. */
export function resolveScriptLinks(commands: readonly SimpleCommand[]): (path: string) => string {
  const links = new Map(commands.flatMap(linksOf));
  if (links.size === 0) return (path) => path;
  return (path) => {
    let led = path;
    for (let steps = 0; steps < maxSteps; steps++) {
      const link = above(led).find((each) => links.has(each));
      if (link === undefined) break;
      led = posix.join(links.get(link) ?? "", led.slice(link.length));
    }
    return led;
  };
}

const maxSteps = 10;

/** Returns a path and the folders above it. */
function above(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

/**
 * Returns the links that `ln` creates, each with its path and its target. The last operand may be a folder for them.
 */
function linksOf({ argv, cwd }: SimpleCommand): readonly (readonly [string, string])[] {
  if (programName(argv[0]) !== "ln") return [];
  const { operands, value } = readOptions(argv.slice(1), { short: "tS", long: ["target-directory", "suffix"] });
  const folder = value("t", "target-directory");
  const last = operands.length > 1 ? operands.at(-1) : undefined;
  const place = resolvePathText((folder ?? last)?.text ?? ".", cwd);
  return (folder || !last ? operands : operands.slice(0, -1)).flatMap(({ text }) => {
    const inside = posix.join(place, posix.basename(text));
    return (folder || !last ? [inside] : [place, inside]).map(
      (link) => [link, resolvePathText(text, posix.dirname(link))] as const,
    );
  });
}

function pathFacts(fact: Fact): readonly Extract<Fact, { readonly kind: "path" }>[] {
  if (fact.kind === "code") return codeFacts(fact.language, fact.text.text).flatMap(pathFacts);
  return fact.kind === "path" ? [fact] : [];
}

/** `raw` counts as a write. Modes and owners are checked only by the rules for commands. */
const uses: Readonly<Partial<Record<PathUse, FileUse>>> = {
  read: "read",
  write: "write",
  append: "write",
  place: "write",
  edit: "write",
  link: "write",
  delete: "delete",
  move: "delete",
};

function isFile(path: string): boolean {
  return path.startsWith("/") && !path.includes(hole) && !/^\/(?:dev|proc)\//u.test(path);
}
