import { posix } from "node:path";

import { words } from "../../../base/text/words.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import { type Field, hole, isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import type { WordMark } from "./rule-text.ts";

/** The words that rules match: one command or one effect. */
export interface Subject {
  readonly kind: "command" | "effect";
  readonly words: readonly SubjectWord[];
  readonly cwd: string;
  /** The programs that run the command and change its effect, without those that only wait or count. */
  readonly via: readonly string[];
  /** True if the input comes from another command or from the script. */
  readonly isFed: boolean;
}

export interface SubjectWord {
  readonly text: string;
  /** True if the shell replaces the word by file names. */
  readonly isPattern: boolean;
  readonly isKnown: boolean;
  /** True if the word may become several words, or none. */
  readonly maySplit: boolean;
  readonly mark?: WordMark;
}

/** `via` lists the programs that run the command, with their relevant arguments. */
export function commandSubject(ran: SimpleCommand, via: readonly string[]): Subject {
  const { argv, assignments, redirections, cwd, stdin } = ran;
  return {
    kind: "command",
    words: [
      ...assignments.map(({ name, value }) => ({
        ...wordOf(value),
        text: `${name}=${value.text}`,
        mark: "=" as const,
      })),
      ...argv.map((field, index) =>
        index === 0 ? { ...wordOf(field), text: plainProgram(field.text) } : wordOf(field),
      ),
      ...redirections
        .filter(({ target }) => !quietFiles.test(target.text))
        .map(({ how, target }) => ({ ...wordOf(target), mark: marks[how] })),
    ],
    cwd,
    via: via.filter((name) => !transparent.has(name)),
    isFed: stdin.from.length > 0 || stdin.text !== undefined,
  };
}

/**
 * Returns the subject of an effect, such as `@write /path`. Undefined for a command, which has subjects for the
 * programs that it runs.
 */
export function effectSubject(effect: Effect, tool: string, cwd: string): Subject | undefined {
  const words = effectWords(effect, tool);
  return words && namedSubject(words, cwd);
}

/** Creates a subject of literal words. The first word starts with `@`. */
export function namedSubject(words: readonly string[], cwd: string): Subject {
  const literalWords = words.map((text) => ({ text, isPattern: false, isKnown: true, maySplit: false }));
  return { kind: "effect", words: literalWords, cwd, via: [], isFed: false };
}

function effectWords(effect: Effect, tool: string): readonly string[] | undefined {
  switch (effect.kind) {
    case "read":
    case "write":
    case "delete":
      return [`@${effect.kind}`, effect.path];
    case "move":
      return ["@move", effect.from, effect.to];
    case "network":
      return ["@connect", effect.url];
    case "message":
      return ["@message", effect.target];
    case "state":
      return ["@state", effect.store];
    case "spawn":
      return ["@spawn", effect.agent];
    case "sample":
      return ["@sample", effect.server];
    case "process":
      return [`@${effect.action}`, effect.id];
    case "opaque":
      return ["@call", tool];
    case "exec":
      return undefined;
  }
}

function wordOf(field: Field): SubjectWord {
  return { text: field.text, isPattern: field.isPattern, isKnown: isKnown(field), maySplit: field.maySplit };
}

const marks = { read: "<", write: ">", append: ">>", both: "<>" } as const;

/** Special files that cannot be changed and reveal nothing. */
const quietFiles = /^(?:\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)|\/proc\/self\/fd\/\d+|\d+|-)$/u;

/** Programs that start a command unchanged. Variables that `env` sets count as words of the command. */
const transparent: ReadonlySet<string> = new Set(
  words(`
  time timeout gtimeout nice ionice nohup setsid stdbuf unbuffer command builtin exec env
`),
);

/**
 * Returns whether the command itself changes nothing: a builtin that only prints or reads, or a program that starts
 * another command unchanged.
 */
export function isHarmless({ kind, words, via }: Subject): boolean {
  const program = words.find(({ mark }) => mark === undefined);
  if (kind !== "command" || program === undefined || via.length > 0 || words.some(({ mark }) => mark?.includes(">")))
    return false;
  return quietBuiltins.has(program.text) || transparent.has(program.text);
}

const quietBuiltins: ReadonlySet<string> = new Set(["cd", "echo", "printf", "true", ":", "pwd", "test", "["]);

/** Returns the name of a program in a system folder; otherwise the whole path. */
function plainProgram(text: string): string {
  return systemFolders.has(posix.dirname(text)) ? posix.basename(text) : text;
}

const systemFolders: ReadonlySet<string> = new Set(["/bin", "/sbin", "/usr/bin", "/usr/sbin"]);

/** Formats the words for the user as the program gets them, with "…" for unknown parts. */
export function shownWords({ words }: Subject): readonly string[] {
  return words.map(
    ({ text, mark }) => `${mark === undefined || mark === "=" ? "" : mark}${text.replaceAll(hole, "…")}`,
  );
}
