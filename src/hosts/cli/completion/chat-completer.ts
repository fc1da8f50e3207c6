import { once } from "../../../base/async/once.ts";
import type { Clock } from "../../../base/clock.ts";
import type { SlashContext } from "../../../commands/slash-command.ts";
import type { Command } from "../../../contracts/host/command.ts";
import type { RunOperation } from "../../../operations/run-operation.ts";
import type { Completer, Completions } from "../screen/editor/completion-menu.ts";
import {
  argumentChoices,
  argumentCompletions,
  commandNames,
  type OtherName,
  typedArguments,
} from "./complete-command.ts";
import { type FileList, instantReferences, referenceWord, completeSlowReferences } from "./complete-reference.ts";

export interface CompleterParts {
  commands(): readonly Command[];
  /** Skills and bundles that can be used by name. */
  names(): readonly OtherName[];
  /** Runs operations in the current session. */
  run(signal: AbortSignal): RunOperation;
  slash(signal: AbortSignal): SlashContext;
  /** False: there are no MCP servers to ask. */
  hasServers(): boolean;
  /** The current folder of the session. */
  folder(): string;
  readonly clock: Clock;
}

/** The list of files is read again after this time. */
const freshMs = 5_000;

/** Completions of a chat: commands with their arguments, skills, prompts of servers, and references. */
export function createChatCompleter(parts: CompleterParts): Completer {
  let listed: { readonly list: FileList; readonly readAt: number } | undefined;
  let reading: Promise<FileList | undefined> | undefined;

  async function readFiles(): Promise<FileList | undefined> {
    const outcome = await parts.run(new AbortController().signal)("references.files", {});
    if (!outcome.ok) return undefined;
    const { folder, files } = outcome.value;
    const list = { folder, files, folders: once(() => foldersOf(files)) };
    listed = { list, readAt: parts.clock.elapsed() };
    return list;
  }

  /** Uses the last list until the new one is read. */
  async function files(): Promise<FileList | undefined> {
    const isFresh = listed?.list.folder === parts.folder() && parts.clock.elapsed() - (listed?.readAt ?? 0) < freshMs;
    if (!isFresh) reading ??= readFiles().finally(() => void (reading = undefined));
    return listed?.list.folder === parts.folder() ? listed.list : reading;
  }

  async function serverLines(line: string, signal: AbortSignal): Promise<readonly string[]> {
    if (!parts.hasServers()) return [];
    const more = await parts.run(signal)("servers.completions", { line });
    return more.ok ? more.value.lines : [];
  }

  async function laterArguments(before: string, signal: AbortSignal): Promise<Completions | undefined> {
    const typed = typedArguments(before, parts.commands());
    if (typed) return argumentCompletions(typed, await argumentChoices(typed, parts.slash(signal)));
    const lines = await serverLines(before, signal);
    const from = before.search(/\S*$/u);
    return lines.length === 0
      ? undefined
      : { from, items: lines.map((line) => ({ label: line.slice(from).trim(), insert: line.slice(from) })) };
  }

  return {
    now(before) {
      const name = /^\/([^\s/]*)$/u.exec(before)?.[1];
      if (name !== undefined) return commandNames(name, parts.commands(), parts.names());
      const typed = typedArguments(before, parts.commands());
      if (typed) {
        const choices = typed.command.choices ? [] : argumentChoices(typed, parts.slash(never));
        return argumentCompletions(typed, Array.isArray(choices) ? choices : []);
      }
      const word = referenceWord(before);
      return word && instantReferences(word);
    },
    async later(before, signal) {
      const name = /^\/([^\s/]*)$/u.exec(before)?.[1];
      if (name !== undefined) {
        if (!parts.hasServers()) return undefined;
        const listedPrompts = await parts.run(signal)("servers.prompts", {});
        const prompts = listedPrompts.ok ? listedPrompts.value.prompts : [];
        const others = prompts.map((prompt) => ({ name: prompt.name, description: prompt.description }));
        return commandNames(name, parts.commands(), [...parts.names(), ...others]);
      }
      if (before.startsWith("/") && /\s/u.test(before) && !before.includes("\n")) return laterArguments(before, signal);
      const word = referenceWord(before);
      if (!word) return undefined;
      const sources = { run: parts.run(signal), files, serverLines: (line: string) => serverLines(line, signal) };
      return completeSlowReferences(before, word, sources, signal);
    },
  };
}

/** Completes a line to whole lines, for editors without a menu. */
export async function completedLines(
  completer: Completer,
  line: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const offer = (await completer.later?.(line, signal)) ?? completer.now(line);
  const lines = offer?.items.map(({ insert }) => line.slice(0, offer.from) + insert) ?? [];
  return [...new Set(lines)].filter((each) => each.startsWith(line));
}

const never = new AbortController().signal;

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders];
}
