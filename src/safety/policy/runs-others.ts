import { programName } from "../command/program-name.ts";
import { known } from "../command/shell/field.ts";
import { isWrapper } from "../command/wrappers/payloads.ts";

/** A shell, an interpreter or a wrapper: its words are code, or another command. */
export function runsOthers(program: string): boolean {
  const name = programName(known(program)) ?? program;
  return isWrapper(name) || interpreters.has(name);
}

const interpreters: ReadonlySet<string> = new Set([
  "python",
  "node",
  "perl",
  "ruby",
  "php",
  "lua",
  "awk",
  "deno",
  "osascript",
  "powershell",
  "cmd",
  "tclsh",
  "expect",
  "rscript",
  "julia",
  "ghci",
  "irb",
  "ipython",
  "pypy",
  "groovy",
  "scala",
  "jshell",
  "sqlite3",
  "psql",
  "mysql",
]);
