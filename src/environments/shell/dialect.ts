import { quoteForShell } from "../../base/text/shell-quote.ts";

export type ShellName = "bash" | "zsh" | "sh";

/**
 * How one kind of shell runs a command and dumps its state afterwards. None of this code starts a process, so a shell
 * that runs only built-ins costs no more than the shell itself.
 */
export interface ShellDialect {
  readonly name: ShellName;
  /** Prefix of each line that Hermes adds, so that no alias or function of the user interferes. */
  readonly plain: string;
  readonly prepare: readonly string[];
  /** Resets settings that would show in the output or prevent saving: traps, tracing, file size limits. */
  readonly quiet: readonly string[];
  /** One command each to print exports, aliases, options, names of functions, and functions. */
  readonly tell: readonly [exports: string, aliases: string, options: string, names: string, functions: string];
  /** The first line of a function as the shell prints it. */
  functionStart(name: string): string;
  /**
   * Code that reads `__hermes_command` from descriptor 3 up to a NUL and closes the descriptor. Missing: this shell
   * cannot do that.
   */
  readonly waits?: { readonly read: string; readonly close: string };
}

export const dialects: Readonly<Record<ShellName, ShellDialect>> = {
  bash: {
    name: "bash",
    plain: "\\builtin",
    prepare: ["shopt -s expand_aliases"],
    quiet: ["trap - DEBUG ERR", "trap '' XFSZ", "set +exv"],
    tell: ["export -p", "alias -p", `printf '%s\\n' "$BASHOPTS"`, "declare -F", "declare -f"],
    functionStart: (name) => `${name} () \n{`,
    waits: {
      // Sets an explicit timeout, because otherwise TMOUT would apply.
      read: "IFS= \\builtin read -t 86400 -r -d '' -u 3 __hermes_command",
      // With `builtin` the redirection would not persist.
      close: "\\command exec 3<&-",
    },
  },
  zsh: {
    name: "zsh",
    plain: "\\builtin",
    prepare: ["setopt aliases"],
    quiet: ["trap - DEBUG ZERR", "trap '' XFSZ", "set +exv"],
    tell: ["export -p", "alias -L", ":", "typeset +f", "functions"],
    functionStart: (name) => `${name} () {`,
    waits: {
      read: "IFS= \\builtin read -r -d '' -u 3 __hermes_command",
      close: "\\builtin exec 3<&-",
    },
  },
  /** sh cannot print its functions, so functions exist only within one command. */
  sh: {
    name: "sh",
    plain: "\\command",
    prepare: [],
    quiet: ["set +exv"],
    tell: ["export -p", "alias", ":", ":", ":"],
    functionStart: (name) => `${name}() {`,
  },
};

export interface WrapOptions {
  /** The file for the state; it must not exist. Missing: the state is not saved. */
  readonly saveTo?: string;
  /** An unguessable line between the parts of the state. */
  readonly mark: string;
  /** A file of shell code that restores state that the environment cannot hold. */
  readonly script?: string;
}

/**
 * The arguments after the shell's own: run `command`, then save the state, even if the command ends with `exit` or `set
 * -e`. The state is not saved when the shell is killed, replaced with `exec`, or has its own EXIT trap and ends with
 * `exit`.
 */
export function shellArguments(
  dialect: ShellDialect,
  command: string | typeof laterArguments,
  wrapping: WrapOptions,
): string[] {
  const pieces = inPieces(command === laterArguments ? "" : command);
  const run = (line: string) => `${dialect.plain} ${line}`;
  const save = saving(dialect, wrapping);
  const before = [
    ...(wrapping.saveTo === undefined ? [] : [run(`trap ${quoteForShell(`{ ${save}; } >/dev/null 2>&1`)} EXIT`)]),
    ...dialect.prepare.map(run),
    ...(wrapping.script === undefined ? [] : [run(`. ${quoteForShell(wrapping.script)} >/dev/null 2>&1`)]),
    ...(command === laterArguments
      ? [
          `${dialect.waits?.read ?? run("false")} || { ${run("trap - EXIT")}; ${run("exit")}; }`,
          ...(dialect.waits ? [dialect.waits.close] : []),
          "SECONDS=0",
        ]
      : [`__hermes_command=${pieces.map((_, index) => `"\${${index + 1}}"`).join("")}`]),
    run("set --"),
    run(`eval "$__hermes_command"`),
  ];
  const after = `{ __hermes_status=$?; ${save}; } >/dev/null 2>&1; ${run('exit "${__hermes_status:-$?}"')}`;
  // Everything is on one line: the shell reads it before the command runs, so that neither an open quote nor `set -v`
  // in the command affects the rest, and the shell counts the command's lines from 1.
  return ["-c", [...before, after].join("; "), dialect.name, ...pieces];
}

/**
 * The shell reads its command later from descriptor 3, terminated by NUL; if the descriptor closes first, the shell
 * exits.
 */
export const laterArguments = Symbol("later");

function saving(dialect: ShellDialect, { saveTo, mark }: WrapOptions): string {
  const run = (line: string) => `${dialect.plain} ${line}`;
  const divide = run(`printf '%s\\n' ${quoteForShell(mark)}`);
  const dump = ["pwd", ...dialect.tell].flatMap((line) => [run(line), divide]).join("; ");
  const quiet = dialect.quiet.map(run).join("; ");
  if (saveTo === undefined) return quiet;
  return `${quiet}; ${run(`[ -e ${quoteForShell(saveTo)} ]`)} || { ${dump}; } >| ${quoteForShell(saveTo)}`;
}

/** Linux accepts no argument over 128 KiB. Never splits a surrogate pair. */
function inPieces(command: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  do {
    let end = start + maxPieceChars;
    const code = command.charCodeAt(end - 1);
    if (end < command.length && code >= 0xd800 && code <= 0xdbff) end -= 1;
    pieces.push(command.slice(start, end));
    start = end;
  } while (start < command.length);
  return pieces;
}

/** At most three bytes per UTF-16 unit. */
const maxPieceChars = 40_000;
