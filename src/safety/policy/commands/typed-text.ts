import { oneLine } from "../../../base/text/text.ts";
import { rowsByName, words } from "../../../base/text/words.ts";
import type { ProcessHandle } from "../../../contracts/environment/environment.ts";
import type { PolicyRequest } from "../../../contracts/safety/approval.ts";
import { programName } from "../../command/programs/program-name.ts";
import type { StartState } from "../../command/shell/shell-state.ts";
import { askAbout, type SubjectAsk } from "../approvals/question.ts";
import { namedSubject } from "../rules/subject.ts";
import { AnalysedCommand } from "./analysed-command.ts";

/** The program that reads typed text. */
export interface TypedReader {
  /** The text as a command line with the same effect. Undefined if the text consists only of keys, not code. */
  readonly command?: string;
  /** The name of a program in which single keys run commands or write files. */
  readonly keys?: string;
}

/**
 * Returns how the process with this id interprets the text: as code of its language, as keys, or, by default, as shell
 * code.
 */
export function typedReader(
  process: Pick<ProcessHandle, "command"> | undefined,
  text: string,
  start: StartState,
): TypedReader {
  if (!process) return { command: text };
  const names = new AnalysedCommand(process.command, start).judgement.commands.map(
    ({ argv }) => programName(argv[0]) ?? "",
  );
  const name = names.findLast((each) => readers.has(each) || keyReaders.has(each));
  if (name === undefined) return { command: text };
  const reader = readers.get(name);
  if (reader === undefined) return { keys: name };
  return { command: `${reader} <<'${end}'\n${text.replaceAll(end, "")}\n${end}\n` };
}

const end = "END_OF_TYPED_TEXT";

/** Interpreters, by the way in which they read code from their input. */
const readers: ReadonlyMap<string, string> = new Map(
  rowsByName({
    "python ipython bpython ptpython jupyter": "python3 -",
    "node deno bun ts-node tsx": "node -",
    "perl reply": "perl -",
    "ruby irb pry": "ruby -",
    php: "php",
    lua: "lua -",
    "psql pgcli": "psql",
    "mysql mycli": "mysql",
    "sqlite3 litecli": "sqlite3 typed.db",
    mongosh: "mongosh",
    "redis-cli": "redis-cli",
    ed: "ed",
    sftp: "sftp host",
  }),
);

/** Programs in which single keys run commands or change files, and interpreters that the analysis does not support. */
const keyReaders: ReadonlySet<string> = new Set(
  words(`
  vim nano pico emacs micro hx kak less more most man top htop btop tig lazygit ranger mc nnn mutt gdb lldb pdb
  ghci iex erl scala jshell julia r clojure sbcl guile racket tclsh expect gnuplot octave maxima groovy swift utop ocaml ftp
`),
);

/** Asks about keys that do more than move or exit. */
export function askAboutKeys(
  id: string,
  name: string,
  text: string,
  { place }: Pick<PolicyRequest, "place">,
): readonly SubjectAsk[] {
  if (harmlessKeys.test(text)) return [];
  const message = `types into ${name}, which runs commands or writes files at single keys: ${oneLine(text, maxSaid)}`;
  return [askAbout(namedSubject(["@type", id], place.cwd), { rule: "typed_keys", message })];
}

/** Keys for moving, searching for a word, and leaving without saving. */
const harmlessKeys = /^(?:[ jqGgnNbf\n]|:q!?\n?|\/[\w .-]*\n|\d)*$/u;

const maxSaid = 300;
