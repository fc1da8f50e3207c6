import { statSync } from "node:fs";
import { resolve } from "node:path";

import { findProgram, isProgram } from "../../base/process/find-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { splitWords } from "../../base/text/split-words.ts";
import { hookAliases, hookFacts, type HookName, originalHookNames } from "../../contracts/host/hook.ts";
import { type OriginalHook, originalHook } from "../hooks/original-hooks.ts";

/** One entry of the `hooks` settings, under the name of its event. */
export interface ShellHookSetting {
  readonly matcher?: string | undefined;
  readonly command?: string | undefined;
  readonly timeout?: number | undefined;
  readonly policy?: boolean | undefined;
}

/** A program of the user that runs at an event. */
export interface ShellHook {
  /** The name of the event in the settings. */
  readonly event: string;
  readonly hook: HookName;
  /** Undefined if the settings use our name of the hook; the program then gets the typed event. */
  readonly original: OriginalHook | undefined;
  readonly command: string;
  /** The words of the command. The first one is an absolute path or a name on PATH. */
  readonly words: readonly [string, ...string[]];
  readonly matcher?: RegExp;
  readonly timeoutMs: number;
  /** Whether a failure of the program blocks the call. */
  readonly isPolicy: boolean;
}

export interface ShellHookPlace {
  /** The folder that relative script paths refer to. */
  readonly home: string;
  readonly userFolder: string;
}

const defaultTimeoutS = 60;

/** The shell hooks in the settings. `problems` lists entries that cannot run, with the reason. */
export function readShellHooks(
  settings: Readonly<Record<string, readonly ShellHookSetting[]>>,
  place: ShellHookPlace,
): { readonly hooks: readonly ShellHook[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const hooks = Object.entries(settings).flatMap(([event, entries]) => {
    const original = originalHook(event);
    // The cast is safe: the keys of `hookFacts` are the names of all hooks.
    const hook = original?.hook ?? (Object.hasOwn(hookFacts, event) ? (event as HookName) : undefined);
    if (hook === undefined) {
      problems.push(`hooks.${event}: there is no event of this name. ${didYouMean(event, eventNames)}`.trim());
      return [];
    }
    return entries.flatMap((entry, index): readonly ShellHook[] => {
      const read = readEntry(entry, place);
      if (typeof read !== "string") {
        const isPolicy = hook === "beforeToolCall" && entry.policy !== false;
        return [{ event, hook, original, isPolicy, timeoutMs: (entry.timeout ?? defaultTimeoutS) * 1000, ...read }];
      }
      problems.push(`hooks.${event}.${index}: ${read}`);
      return [];
    });
  });
  return { hooks, problems };
}

const eventNames = [...Object.keys(originalHookNames), ...Object.keys(hookAliases), ...Object.keys(hookFacts)];

/** Returns a string with the reason if the entry cannot run. */
function readEntry(
  { command = "", matcher }: ShellHookSetting,
  place: ShellHookPlace,
): string | Pick<ShellHook, "command" | "words" | "matcher"> {
  const [first, ...rest] = splitWords(command) ?? [];
  if (first === undefined)
    return command.trim() === "" ? "the entry has no command" : `${command} has a quote that is not closed`;
  const words = [first.includes("/") ? toPath(first, place) : first, ...rest.map((word) => ownFile(word, place))];
  try {
    const pattern = matcher === undefined || matcher === "" ? undefined : new RegExp(`^(?:${matcher})$`, "u");
    return { command, words: words as [string, ...string[]], ...(pattern && { matcher: pattern }) };
  } catch {
    return `${JSON.stringify(matcher)} is not a regular expression`;
  }
}

function toPath(word: string, place: ShellHookPlace): string {
  return resolve(place.home, expandHome(word, place));
}

/**
 * Resolves a script in the Hermes home to its path, so that no project file can replace it. Other words stay
 * unchanged.
 */
function ownFile(word: string, place: ShellHookPlace): string {
  const path = toPath(word, place);
  return word !== "" && statSync(path, { throwIfNoEntry: false })?.isFile() ? path : expandHome(word, place);
}

function expandHome(word: string, { userFolder }: ShellHookPlace): string {
  return word === "~" || word.startsWith("~/") ? userFolder + word.slice(1) : word;
}

/** The program to start; undefined if it does not exist or is not executable. */
export function programOf({ words: [first] }: ShellHook, env: Variables): string | undefined {
  return first.includes("/") ? (isProgram(first) ? first : undefined) : findProgram([first], env);
}
