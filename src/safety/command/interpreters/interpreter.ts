import { words } from "../../../base/text/words.ts";
import type { CodeLanguage } from "../../code/code-judgement.ts";
import type { PathUse } from "../fact.ts";
import { programName } from "../programs/program-name.ts";
import type { RuleId } from "../rules.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import { isInputFile } from "../wrappers/shells.ts";

/** Finds the code that a program runs in its arguments and input. */
export type Interpreter = (ran: SimpleCommand, name: string) => Interpreted;

export interface Interpreted {
  readonly codes: readonly InlineCode[];
  /** Commands of other programs that the code runs: `python -m pip …`. */
  readonly commands?: readonly (readonly Field[])[];
  /** Texts that the code passes to a shell. */
  readonly shell?: readonly string[];
  readonly paths?: readonly { readonly how: PathUse; readonly path: Field }[];
  readonly rules?: readonly RuleId[];
}

interface InlineCode {
  readonly language: CodeLanguage;
  readonly text: Field;
  /** The arguments that the code receives. */
  readonly args: readonly Field[];
  readonly variables?: ReadonlyMap<string, string>;
}

/**
 * Returns code from input: a pipe, a here-document, or the file of a process substitution. Undefined if the program
 * reads a file or is interactive. `isData`: unknown text needs no approval, such as a database dump.
 */
export function inputCode(
  ran: SimpleCommand,
  file: Field | undefined,
  isData = false,
): { readonly text?: Field; readonly rules: readonly RuleId[] } {
  const { stdin } = ran;
  const content = file && contentOf(ran, file);
  if (content === hole) return { rules: isData ? [] : ["unknown_code"] };
  if (content !== undefined) return { text: knownField(content), rules: [] };
  if (file && file.text !== "-" && !isInputFile(file)) return { rules: [] };
  if (stdin.text !== undefined && !(isData && stdin.text === hole)) return { text: knownField(stdin.text), rules: [] };
  const isFetched = stdin.from.some(({ argv: [name] }) => fetching.has(programName(name) ?? ""));
  if (isFetched) return { rules: ["remote_code"] };
  return { rules: stdin.from.length > 0 && !isData ? ["unknown_code"] : [] };
}

/** Returns the code in files that options name, if it is known. */
export function loadedCodes(ran: SimpleCommand, files: readonly Field[]): readonly Field[] {
  return files.flatMap((file) => contentOf(ran, file) ?? []).map(knownField);
}

const fetching: ReadonlySet<string> = new Set(words("curl wget wget2 http https xh aria2c fetch lynx nc axel"));
