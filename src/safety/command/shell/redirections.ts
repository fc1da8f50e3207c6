import { type HereDoc, parse, type Redirection, type Word } from "unbash";

import { evaluateName } from "./evaluate.ts";
import { expandOne } from "./expand-word.ts";
import type { WordExpansion } from "./expansion.ts";
import { hole } from "./field.ts";
import { setVariable } from "./shell-state.ts";
import { contentOf, type FileContents, type Input, type Redirected } from "./simple-command.ts";

/**
 * Returns the files that redirections open. `2>&1` and similar redirections open none. `isUnread`: no command reads the
 * input.
 */
export function redirectionsOf(
  list: readonly Redirection[],
  scope: WordExpansion,
  isUnread = false,
): readonly Redirected[] {
  if (isUnread || list.length > 1) expandUnreadTexts(list, scope, isUnread);
  return list.flatMap((tree): Redirected[] => {
    if (tree.type !== "Redirect" || !tree.target) return [];
    const target = expandOne(tree.target, scope);
    // `{name}> file` stores the number of the descriptor in the variable.
    if (tree.descriptor?.type === "FileDescriptorVariable") {
      const { name } = tree.descriptor;
      if (name.includes("[")) evaluateName(name, scope);
      else setVariable(scope.state, name, undefined, true);
    }
    const descriptor = tree.descriptor?.type === "FileDescriptor" ? tree.descriptor.value : undefined;
    if ((tree.operator === ">&" || tree.operator === "<&") && /^(?:\d+-?|-)$/u.test(target.text)) return [];
    return [{ how: howOf(tree.operator), target, descriptor }];
  });
}

/**
 * Expands here-documents and here-strings that no command reads: those before the last one, and all of them if there is
 * no command (`isUnread`). Bash runs the commands in them.
 */
function expandUnreadTexts(list: readonly Redirection[], scope: WordExpansion, isUnread: boolean): void {
  const read = isUnread ? undefined : list.findLast(isInput);
  for (const each of list) {
    if (each === read) continue;
    if (each.type === "HereString" && each.target) expandOne(each.target, scope);
    if (each.type === "HereDoc" && !each.delimiter?.quoted && each.body.parts) expandOne(bodyWord(each.body), scope);
  }
}

function isInput(tree: Redirection): boolean {
  return tree.type !== "Redirect" || /^<[&>]?$/u.test(tree.operator);
}

/**
 * Returns the input of a command according to its redirections: a here-document, a here-string or a file. Undefined if
 * it has none.
 */
export function inputOf(
  list: readonly Redirection[],
  scope: WordExpansion,
  place: { readonly contents: FileContents; readonly cwd: string },
): Input | undefined {
  const inputTree = list.findLast(isInput);
  if (inputTree === undefined) return undefined;
  // Handles `<&3`: the file that the same command opened as 3, or unknown.
  const copied =
    inputTree.type === "Redirect" && inputTree.operator === "<&" ? (inputTree.target?.text ?? "") : undefined;
  const last = copied === undefined ? inputTree : list.find((each) => String(numberOf(each)) === copied);
  if (last === undefined)
    return copied === "-" ? { text: "", from: [] } : copied === "0" ? undefined : { text: hole, from: [] };
  if (last.type === "HereString")
    return { text: `${last.target ? expandOne(last.target, scope).text : ""}\n`, from: [] };
  if (last.type === "HereDoc") {
    const { body, delimiter } = last;
    if (delimiter?.quoted || !body.parts) return { text: body.text, from: [] };
    return { text: expandOne(bodyWord(body), scope).text, from: [] };
  }
  const target = last.target && expandOne(last.target, scope).text;
  if (target === "/dev/null") return { text: "", from: [] };
  const text = target === undefined ? undefined : contentOf(place, { text: target });
  return text === undefined ? { from: [] } : { text, from: [] };
}

function bodyWord({ text, pos, end, parts }: HereDoc["body"]): Word {
  return { type: "Word", text, value: text, pos, end, parts };
}

/**
 * Returns the text of a here-document as a word that is expanded like double quotes, but in which quotes have no
 * special meaning.
 */
export function hereText(text: string): Word {
  const command = parse(`: <<END_OF_TEXT\n${text}\nEND_OF_TEXT\n`).commands[0]?.command;
  const tree = command?.type === "Command" ? command.redirects[0] : undefined;
  const none: Word = { type: "Word", text: "", value: "", pos: 0, end: 0, parts: undefined };
  return tree?.type === "HereDoc" ? bodyWord(tree.body) : none;
}

function numberOf({ descriptor }: Redirection): number | undefined {
  return descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;
}

/** Returns whether the output goes elsewhere (`>&2`), so that it cannot be tracked. */
export function redirectsOutput(tree: Redirection): boolean {
  if (tree.type !== "Redirect" || tree.operator.startsWith("<")) return false;
  const descriptor = tree.descriptor?.type === "FileDescriptor" ? tree.descriptor.value : 1;
  return descriptor === 1 && tree.operator === ">&" && tree.target?.text !== "1";
}

function howOf(operator: string): Redirected["how"] {
  if (operator === "<" || operator === "<&") return "read";
  if (operator === "<>") return "both";
  return operator.endsWith(">>") ? "append" : "write";
}
