import { words } from "../../../base/text/words.ts";
import { programName } from "../../command/programs/program-name.ts";
import { knownField } from "../../command/shell/field.ts";
import { isWrapper } from "../../command/wrappers/payloads.ts";
import { shellNames } from "../../command/wrappers/shells.ts";

/**
 * Returns whether the program is a shell, an interpreter or a wrapper, so that its arguments are code or another
 * command.
 */
export function runsOtherPrograms(program: string): boolean {
  const name = programName(knownField(program)) ?? program;
  return isWrapper(name) || interpreters.has(name);
}

/** Returns whether the program without arguments opens a prompt that accepts commands. */
export function acceptsCommands(word: string): boolean {
  const name = programName(knownField(word)) ?? word;
  return shellNames.has(name) || interpreters.has(name) || name === "su";
}

const interpreters: ReadonlySet<string> = new Set(
  words(`
  python node perl ruby php lua awk deno osascript powershell cmd tclsh expect rscript julia ghci irb ipython pypy
  groovy scala jshell sqlite3 psql mysql
`),
);
