import { posix } from "node:path";

import { words } from "../../../base/text/words.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import { type Field, hole, isKnown } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import type { WordMark } from "./rule-text.ts";

/** The words that a rule is matched with: one command or one effect. */
export interface Subject {
  readonly kind: "command" | "effect";
  readonly words: readonly SubjectWord[];
  readonly cwd: string;
  /** Programs that run it and change what it can do; those that only wait or count are left out. */
  readonly via: readonly string[];
  /** Its input comes from another command or from the script. */
  readonly isFed: boolean;
}

export interface SubjectWord {
  readonly text: string;
  /** The shell puts names of files in its place. */
  readonly isPattern: boolean;
  readonly isKnown: boolean;
  /** It may be several words, or none. */
  readonly maySplit: boolean;
  readonly mark?: WordMark;
}

/** `via`: the programs that run it, with as many of their words as matter. */
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

/** As `@write /path`. Undefined for a command, which is judged by what it runs. */
export function effectSubject(effect: Effect, tool: string, cwd: string): Subject | undefined {
  const words = effectWords(effect, tool);
  return words && namedSubject(words, cwd);
}

/** Words that mean themselves, of which the first begins with `@`. */
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

/** Nothing is changed or learned there. */
const quietFiles = /^(?:\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)|\/proc\/self\/fd\/\d+|\d+|-)$/u;

/** They start a command as it is; variables that `env` sets are words of the command. */
const transparent: ReadonlySet<string> = new Set(
  words(`
  time timeout gtimeout nice ionice nohup setsid stdbuf unbuffer command builtin exec env
`),
);

/** It changes nothing by itself: a builtin that only says or looks, or what starts another command as it is. */
export function isHarmless({ kind, words, via }: Subject): boolean {
  const program = words.find(({ mark }) => mark === undefined);
  if (kind !== "command" || program === undefined || via.length > 0 || words.some(({ mark }) => mark?.includes(">")))
    return false;
  return quietBuiltins.has(program.text) || transparent.has(program.text);
}

const quietBuiltins: ReadonlySet<string> = new Set(["cd", "echo", "printf", "true", ":", "pwd", "test", "["]);

/** The bare name of a program in a folder that only the system writes; of any other the whole path. */
function plainProgram(text: string): string {
  return systemFolders.has(posix.dirname(text)) ? posix.basename(text) : text;
}

const systemFolders: ReadonlySet<string> = new Set(["/bin", "/sbin", "/usr/bin", "/usr/sbin"]);

/** Text for the user: the words as the program gets them, with "…" for unknown parts. */
export function shownWords({ words }: Subject): readonly string[] {
  return words.map(
    ({ text, mark }) => `${mark === undefined || mark === "=" ? "" : mark}${text.replaceAll(hole, "…")}`,
  );
}
