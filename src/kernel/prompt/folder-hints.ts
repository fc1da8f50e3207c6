import { relative, resolve, sep } from "node:path";

import { isInside } from "../../base/files/path.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { PendingCall } from "../../contracts/tool/dispatch.ts";
import { bounded, type ContextFolder, foldersUp, type JudgeText, one, whyNot } from "./context-files.ts";

export interface FolderHintsDeps {
  /** Where the call looks and what is the project there; undefined: nothing is said of it. */
  at(call: PendingCall): Promise<{ readonly folder: ContextFolder; readonly root: string } | undefined>;
  readonly judge: JudgeText;
  /** What is before the model: hints that are there are not given again. */
  history(): readonly Message[];
  /** For the person. */
  say(notice: string): void;
}

export interface FolderHints {
  /** The rules of folders that this call touches and no call before it did. */
  remark(call: PendingCall): Promise<string | undefined>;
  /** Results may have been left out of the context: what is not there any more is given again. */
  forget(): void;
}

const names = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".cursorrules"];
const maxChars = 8_000;
const mostFoldersUp = 5;
const mostPaths = 20;

/** Rules that lie deeper in a project reach the model with the first result from there. */
export function createFolderHints({ at: placeOf, judge, history, say }: FolderHintsDeps): FolderHints {
  let seen: Set<string> | undefined;
  /** Copies of the same rules in other folders say nothing new. */
  let shown = new Set<string>();

  return {
    forget() {
      seen = undefined;
      shown = new Set();
    },
    async remark(call) {
      const place = await placeOf(call);
      if (!place) return undefined;
      const { folder, root } = place;
      const known = (seen ??= knownFolders(root, await folder.real(call.scope.place.cwd), history()));
      const hints: string[] = [];
      const touched = touchedPaths(call).filter((path) => isInside(root, path) && !isForeign(relative(root, path)));
      for (const path of touched.slice(0, mostPaths)) {
        // The path itself may be a folder; in a file nothing is found.
        for (const at of foldersUp(path, root).slice(0, mostFoldersUp + 1)) {
          if (known.has(at)) break;
          known.add(at);
          const hint = await hintIn(at, place, touched);
          if (hint !== undefined) hints.push(hint);
        }
      }
      return hints.length === 0 ? undefined : hints.toReversed().join("\n\n");
    },
  };

  async function hintIn(
    at: string,
    { folder, root }: { readonly folder: ContextFolder; readonly root: string },
    touched: readonly string[],
  ): Promise<string | undefined> {
    const [file] = (await one(folder, at, names)) ?? [];
    if (!file || touched.includes(file.path) || shown.has(file.text)) return undefined;
    const path = relative(root, file.path);
    const why = await whyNot(file, folder, { root, judge });
    if (why === undefined) {
      shown.add(file.text);
      return `${marker(relative(root, at))}from ${path}]\n${bounded(file.text, maxChars)}`;
    }
    say(`${path} was not shown to the model: ${why}.`);
    return undefined;
  }
}

function marker(folder: string): string {
  return `[Rules of the project for work in ${folder}/, `;
}

/** Folders whose rules are in the system prompt, or still in the history. */
function knownFolders(root: string, cwd: string, history: readonly Message[]): Set<string> {
  const known = new Set([root, ...foldersUp(cwd, root)]);
  for (const message of history) {
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "text") continue;
      for (const [, at] of part.text.matchAll(shownHint)) known.add(resolve(root, at ?? ""));
    }
  }
  return known;
}

const shownHint = /^\[Rules of the project for work in (.+)\/, from /gmu;

/** Real paths where effects name them; words of a command as they stand. */
function touchedPaths({ effects }: PendingCall): readonly string[] {
  return effects.flatMap((effect) => {
    switch (effect.kind) {
      case "read":
      case "write":
      case "delete":
        return [effect.path];
      case "move":
        return [effect.to];
      case "exec":
        return [effect.cwd, ...pathWords(effect.command).map((word) => resolve(effect.cwd, word))];
      default:
        return [];
    }
  });
}

/** What looks like a path: it has a slash and is no address, option or pattern. And where a command goes to. */
function pathWords(command: string): readonly string[] {
  const begin = command.slice(0, 4_000);
  const words = begin.match(/[^\s'"`;&|<>()$*?{}=]+/gu) ?? [];
  const gone = Array.from(
    begin.matchAll(/(?:^|[;&|\n(])\s*(?:cd|pushd)\s+([\w.-]+)(?=\s|[;&|)]|$)/gu),
    ([, to = ""]) => to,
  );
  return [...words.filter((word) => word.includes("/") && !word.includes("://") && !word.startsWith("-")), ...gone];
}

/** Copies of what others wrote: their rules are for others. */
function isForeign(path: string): boolean {
  return path.split(sep).some((name) => foreignFolders.has(name));
}

const foreignFolders: ReadonlySet<string> = new Set(
  ".git .hg .svn node_modules vendor site-packages .venv venv __pycache__ .cache backup backups .backup".split(" "),
);
