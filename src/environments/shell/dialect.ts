import { quoteForShell } from "../../base/text/shell-quote.ts";

export type ShellName = "bash" | "zsh" | "sh";

/**
 * How one kind of shell is made to run a command and to tell its state afterwards. Nothing here starts a process: a shell
 * that only runs built-ins costs no more than the shell itself.
 */
export interface ShellDialect {
  readonly name: ShellName;
  /** Before the first word of each line of ours: neither an alias nor a function of the user's gets in the way. */
  readonly plain: string;
  readonly prepare: readonly string[];
  /** Undoes what would show in the output or stop the saving: traps, tracing, a limit on the size of files. */
  readonly quiet: readonly string[];
  /** One command each: exports, aliases, options, names of functions, functions. */
  readonly tell: readonly [exports: string, aliases: string, options: string, names: string, functions: string];
  /** The first line of a function as the shell prints it. */
  functionStart(name: string): string;
  /** Takes `__hermes_command` from descriptor 3, as far as a NUL, and closes it. Left out: this shell cannot. */
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
      // A time of its own, because TMOUT would be one too.
      read: "IFS= \\builtin read -t 86400 -r -d '' -u 3 __hermes_command",
      // After `builtin` it would not last.
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
  /** Cannot tell its functions: they last for one command. */
  sh: {
    name: "sh",
    plain: "\\command",
    prepare: [],
    quiet: ["set +exv"],
    tell: ["export -p", "alias", ":", ":", ":"],
    functionStart: (name) => `${name}() {`,
  },
};

export interface Wrapping {
  /** The file that the state goes to; it must not exist. Left out: nobody wants the state. */
  readonly saveTo?: string;
  /** A line that nobody can guess, between the parts of the state. */
  readonly mark: string;
  /** A file of shell code that brings back what the environment cannot hold. */
  readonly script?: string;
}

/**
 * The arguments after the shell's own: run `command`, then save the state, also when the command ends by `exit` or
 * `set -e`; not when the shell is killed, replaced by `exec`, or has an EXIT trap of its own and ends by `exit`.
 */
export function shellArguments(dialect: ShellDialect, command: string | typeof later, wrapping: Wrapping): string[] {
  const pieces = inPieces(command === later ? "" : command);
  const run = (line: string) => `${dialect.plain} ${line}`;
  const save = saving(dialect, wrapping);
  const before = [
    ...(wrapping.saveTo === undefined ? [] : [run(`trap ${quoteForShell(`{ ${save}; } >/dev/null 2>&1`)} EXIT`)]),
    ...dialect.prepare.map(run),
    ...(wrapping.script === undefined ? [] : [run(`. ${quoteForShell(wrapping.script)} >/dev/null 2>&1`)]),
    ...(command === later
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
  // All on one line: it is read before the command runs, so that neither an open quote at its end nor `set -v` reaches what
  // comes after it, and the shell counts the command's lines from 1.
  return ["-c", [...before, after].join("; "), dialect.name, ...pieces];
}

/** The shell waits for its command on descriptor 3, with a NUL behind it; without one it ends. */
export const later = Symbol("later");

function saving(dialect: ShellDialect, { saveTo, mark }: Wrapping): string {
  const run = (line: string) => `${dialect.plain} ${line}`;
  const divide = run(`printf '%s\\n' ${quoteForShell(mark)}`);
  const told = ["pwd", ...dialect.tell].flatMap((line) => [run(line), divide]).join("; ");
  const quiet = dialect.quiet.map(run).join("; ");
  if (saveTo === undefined) return quiet;
  return `${quiet}; ${run(`[ -e ${quoteForShell(saveTo)} ]`)} || { ${told}; } >| ${quoteForShell(saveTo)}`;
}

/** Linux takes no argument over 128 KiB. A surrogate pair is not split. */
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

/** At most three bytes to a UTF-16 unit. */
const maxPieceChars = 40_000;
