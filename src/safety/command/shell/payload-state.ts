import { posix } from "node:path";

import { words } from "../../../base/text/words.ts";
import { withHoles } from "./assignment.ts";
import { hole } from "./field.ts";
import { childState, copyState, type ScriptState, setVariable } from "./shell-state.ts";
import type { SimpleCommand } from "./simple-command.ts";
import type { Payload, Visitor } from "./walk.ts";

/**
 * Returns the initial state for code that a command runs: this shell, a copy of it, or a new shell with the exported
 * variables.
 */
export function stateFor(
  payload: Payload,
  ran: SimpleCommand,
  { state: own }: { readonly state: ScriptState },
): ScriptState {
  const isSame = "text" in payload ? !payload.isOwnShell && payload.via !== "trap" : sameShell.has(payload.via);
  if (isSame && ran.assignments.length === 0 && payload.cwd === undefined && !hasPositional(payload)) return own;
  const state = isSame ? own : "text" in payload && payload.isOwnShell ? childState(own) : copyState(own);
  for (const { name, value } of ran.assignments) {
    setVariable(state, name, withHoles(value));
    state.exported.set(name, true);
  }
  if (payload.cwd !== undefined) state.cwd = posix.resolve(own.cwd, payload.cwd);
  if (hasPositional(payload)) state.positional = payload.positional;
  if ("text" in payload && payload.zero !== undefined) state.zero = payload.zero;
  return state;
}

/**
 * Returns whether a part of the code is unknown. An entirely unknown text has an unknown command name and is reported
 * there. `sh` is another shell on many machines and differs from bash in some syntax and options.
 */
export function isPartlyKnown(payload: Extract<Payload, { readonly text: string }>): boolean {
  if (payload.via === "sh" && otherInSh.test(payload.text)) return true;
  return payload.text.includes(hole) && payload.text.trim() !== hole && readsCode.has(payload.via);
}

/**
 * Returns the texts that a shell with unknown input may read: the output and the arguments of the commands before it.
 * Returns each text once and adds it to `guessed`.
 */
export function likelyCode(
  payload: Payload,
  { stdin }: SimpleCommand,
  visitor: Pick<Visitor, "output">,
  guessed: Set<string>,
): readonly string[] {
  if (!("text" in payload) || payload.text.trim() !== hole || !readsCode.has(payload.via)) return [];
  const texts = stdin.from.flatMap((ran) => [
    ...ran.argv.slice(1).flatMap(({ text }) => Array.from(text.matchAll(quotedText), ([, , inner = ""]) => inner)),
    visitor.output(ran) ?? "",
  ]);
  const fresh = texts.filter((text) => text !== "" && !text.includes(hole) && !guessed.has(text)).slice(0, maxTexts);
  for (const text of fresh) guessed.add(text);
  return fresh;
}

/**
 * Matches syntax that `sh` interprets differently: `((…))` as commands, the words after `&> file` as a command, `echo`
 * with escapes.
 */
const otherInSh =
  /\bprintf\s+-v|\bexec\s+-|\[\[[^\]]*[<>]|\b(?:declare|typeset|let|mapfile|readarray|shopt)\s|\bread\s+(?:-\w+\s+)*-\w*[adnNtu]|[A-Za-z_]\w*(?:\[[^\]]*\])?\+=|(?<!\$)\(\(|&>>?\s*\S+[ \t]+[^\s;&|)<>#]|\$'|(?:\$\(|`)[^)`]*\becho\b[^)`]*(?:\\|\s-\w*e)|\becho\b[^|]*\\[^|]*\|\s*\w*sh\b/u;

const quotedText = /(["'`])((?:(?!\1)[^\\\n]){2,200})\1/gu;
const maxTexts = 8;

const readsCode: ReadonlySet<string> = new Set(words("eval sh bash zsh ksh fish csh tcsh source ."));

function hasPositional(payload: Payload): payload is Payload & { readonly positional: readonly string[] } {
  return "text" in payload && payload.positional !== undefined;
}

const sameShell: ReadonlySet<string> = new Set(["command", "builtin", "exec", "time"]);
