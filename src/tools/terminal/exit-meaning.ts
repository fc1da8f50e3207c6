import { constants } from "node:os";

import type { ExecResult } from "../../contracts/environment/environment.ts";

/**
 * Returns the exit code as in a shell: 124 after a timeout, 130 after an interrupt, 128 plus the signal's number, -1 if
 * unknown.
 */
export function exitCodeOf({ ended, exitCode, signal }: Pick<ExecResult, "ended" | "exitCode" | "signal">): number {
  switch (ended) {
    case "timeout":
      return 124;
    case "aborted":
      return 130;
    case "signal":
      return signalCode(signal);
    case "lost":
      return -1;
    case "exit":
      return exitCode ?? 0;
  }
}

/** Returns the exit code that a shell reports for a program that was killed by a signal. */
export function signalCode(signal: string | undefined): number {
  return 128 + (Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0);
}

/** Returns the meaning of an exit code that is not a failure, or that is not obvious. */
export function exitMeaning(command: string, exitCode: number, output: string): string | undefined {
  if (exitCode === 0) return undefined;
  const own = meanings.get(deciding(command, output))?.[exitCode];
  if (own !== undefined) return own;
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return signal && `ended by ${signal}`;
}

/** Returns a suggestion, derived from the output of a failed command. */
export function hintFrom(output: string): string | undefined {
  const start = output.slice(0, hintChars);
  return hints.find(([pattern]) => pattern.test(start))?.[1];
}

const hintChars = 4_000;

const noMatch = { 1: "no match; not an error" };
const differ = { 1: "there are differences; not an error" };
const isFalse = { 1: "the condition is false; not an error" };

const meanings: ReadonlyMap<string, Readonly<Record<number, string>>> = new Map<string, Record<number, string>>([
  ...["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"].map((name) => [name, noMatch] as const),
  ["diff", differ],
  ["cmp", differ],
  ["colordiff", differ],
  ["test", isFalse],
  ["[", isFalse],
  ["[[", isFalse],
  ["find", { 1: "some folders could not be read; what was found is shown" }],
  [
    "curl",
    {
      6: "the host name could not be resolved",
      7: "no connection to the host",
      22: "the server answered with an HTTP error",
      28: "the time limit of the transfer was reached",
    },
  ],
  ["git", { 1: "for git diff: there are differences; for others: see the output" }],
]);

const hints: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/Unknown JSON field/u, "Ask gh for the fields that exist: the same command with --json and nothing behind it."],
  [
    /API rate limit exceeded|secondary rate limit/iu,
    "GitHub's rate limit is reached: wait until it is reset (gh api rate_limit), and ask for less.",
  ],
  [
    /command not found|: not found$/mu,
    "The program is not installed or not in PATH: look for it with `command -v`, or install it.",
  ],
  [
    /ModuleNotFoundError|No module named|Cannot find (?:module|package)/u,
    "A module is missing: install it, or use the project's own environment.",
  ],
  [
    /^CONFLICT |Automatic merge failed|fix conflicts and then/mu,
    "There are merge conflicts: `git status` lists the files; resolve, add and continue, or abort.",
  ],
  [/already exists/iu, "It exists already: use it, choose another name, or remove it first if it may go."],
  [/permission denied|operation not permitted/iu, "Permission is missing: check owner and mode with `ls -l`."],
];

/**
 * Returns the program that determines the exit code of the line: the last one. After `&&` it may be an earlier one,
 * which usually has printed something.
 */
function deciding(command: string, output: string): string {
  const bare = command.trim().replace(quotes, "Q");
  const last = bare.split(/\|\|?&?|;|\n/u).at(-1) ?? "";
  if (last.includes("&&") && output !== "") return "";
  const words = (last.split("&&").at(-1) ?? "").trim().split(/\s+/u);
  const program = words.find((word) => !/^\w+=/u.test(word) && !prefixes.has(word)) ?? "";
  return program.slice(program.lastIndexOf("/") + 1);
}

const quotes = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gsu;
const prefixes: ReadonlySet<string> = new Set(["!", "time", "command", "exec", "env", "nice", "sudo", "("]);
