import { relative, resolve, sep } from "node:path";

import { isInside } from "../../base/files/path.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { TurnTaint } from "../../contracts/safety/text-source.ts";
import type { PendingCall } from "../../contracts/tool/dispatch.ts";
import { fenceText } from "../dispatch/result/untrusted.ts";
import {
  linkFault,
  shortenMiddle,
  type ContextFolder,
  parentFolders,
  type JudgeText,
  readFirstFile,
  suspectNotice,
} from "./context-files.ts";

export interface FolderHintsDeps {
  /** Returns the folder that the call uses and its project. Undefined: no hint. */
  at(call: PendingCall): Promise<{ readonly folder: ContextFolder; readonly root: string } | undefined>;
  readonly judge: JudgeText;
  /** Returns the current messages. Hints in them are not repeated. */
  history(): readonly Message[];
  /** Shows a notice to the user. */
  say(notice: string): void;
}

export interface FolderHints {
  /** Returns the rules of folders that this call is the first to use. */
  remark(call: PendingCall): Promise<string | undefined>;
  /** Called after a compaction, which may have removed results with their hints. These hints are then added again. */
  forget(): void;
}

const names = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".cursorrules"];
const maxChars = 8_000;
const maxFoldersUp = 5;
const maxPaths = 20;

/** Adds the rules in subfolders of a project to the first result that comes from such a folder. */
export function createFolderHints({ at: placeOf, judge, history, say }: FolderHintsDeps): FolderHints {
  let seen: Set<string> | undefined;
  /** Digests of the rules so far, to skip copies of the same rules in other folders. */
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
      const folders = (seen ??= knownFolders(root, await folder.real(call.scope.place.cwd), history()));
      const hints: string[] = [];
      const touched = touchedPaths(call).filter((path) => isInside(root, path) && !isForeign(relative(root, path)));
      for (const path of touched.slice(0, maxPaths)) {
        // The path may be a folder itself; a file contains no rules files.
        for (const above of parentFolders(path, root).slice(0, maxFoldersUp + 1)) {
          if (folders.has(above)) break;
          folders.add(above);
          const hint = await hintIn(above, place, touched, call.scope.taint);
          if (hint !== undefined) hints.push(hint);
        }
      }
      return hints.length === 0 ? undefined : hints.toReversed().join("\n\n");
    },
  };

  async function hintIn(
    hinted: string,
    { folder, root }: { readonly folder: ContextFolder; readonly root: string },
    touched: readonly string[],
    taint: TurnTaint | undefined,
  ): Promise<string | undefined> {
    const [file] = (await readFirstFile(folder, hinted, names)) ?? [];
    if (!file || touched.includes(file.path) || shown.has(file.text)) return undefined;
    const path = relative(root, file.path);
    const link = await linkFault(file, folder, root);
    if (link !== undefined) {
      say(`${path} was not shown to the model: ${link}.`);
      return undefined;
    }
    shown.add(file.text);
    const text = shortenMiddle(file.text, maxChars);
    const why = await judge(file.text);
    if (why === undefined) return `${marker(relative(root, hinted))}from ${path}]\n${text}`;
    say(suspectNotice(path, file.path, why));
    taint?.record({ kind: "suspect", name: path });
    return fenceText(text, path);
  }
}

function marker(folder: string): string {
  return `[Rules of the project for work in ${folder}/, `;
}

/** Folders whose rules are in the system prompt or still in the history. */
function knownFolders(root: string, cwd: string, history: readonly Message[]): Set<string> {
  const folders = new Set([root, ...parentFolders(cwd, root)]);
  for (const message of history) {
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "text") continue;
      for (const [, path] of part.text.matchAll(shownHint)) folders.add(resolve(root, path ?? ""));
    }
  }
  return folders;
}

const shownHint = /^\[Rules of the project for work in (.+)\/, from /gmu;

/** The real paths of effects, and the words of a command as it spells them. */
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

/** Returns words that look like paths (with a slash, and not a URL, option or pattern) and the folders of `cd`. */
function pathWords(command: string): readonly string[] {
  const begin = command.slice(0, 4_000);
  const words = begin.match(/[^\s'"`;&|<>()$*?{}=]+/gu) ?? [];
  const visited = Array.from(
    begin.matchAll(/(?:^|[;&|\n(])\s*(?:cd|pushd)\s+([\w.-]+)(?=\s|[;&|)]|$)/gu),
    ([, to = ""]) => to,
  );
  return [...words.filter((word) => word.includes("/") && !word.includes("://") && !word.startsWith("-")), ...visited];
}

/** Folders with copies of third-party code, whose rules do not apply to this project. */
function isForeign(path: string): boolean {
  return path.split(sep).some((name) => foreignFolders.has(name));
}

const foreignFolders: ReadonlySet<string> = new Set(
  ".git .hg .svn node_modules vendor site-packages .venv venv __pycache__ .cache backup backups .backup".split(" "),
);
