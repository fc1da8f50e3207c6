import type { Assignment, Command } from "unbash";

import { evaluatedText, evaluateText, isNumberWord } from "./evaluate.ts";
import { expandBraces } from "./expand-braces.ts";
import { expandOne, expandWord } from "./expand-word.ts";
import type { WordExpansion } from "./expansion.ts";
import { type Field, hole, knownField, unknown } from "./field.ts";
import { setArray, setItem, setVariable } from "./shell-state.ts";

/**
 * The variable that an assignment sets. `isItem`: an array or an item of one, which `assignment` has already stored.
 */
export interface Assigned {
  readonly name: string;
  readonly value: Field;
  readonly isItem?: boolean;
  /** True if the value is a number, even if it is unknown. */
  readonly isNumber?: boolean;
}

/** The words of a command after expansion. `own` is the number of words that its name expanded to. */
export function expandCommand(
  { name, args, prefix }: Command,
  scope: WordExpansion,
): { readonly argv: readonly Field[]; readonly own: number; readonly assigned: readonly Assigned[] } {
  const argv: Field[] = name ? [...expandWord(name, scope)] : [];
  const own = argv.length;
  for (const arg of args) {
    if (arg.type === "Word") for (const field of expandWord(arg, scope)) argv.push(field);
    else argv.push(declared(arg, scope));
  }
  return {
    argv,
    own,
    assigned:
      prefix.length === 0
        ? nothingAssigned
        : prefix.flatMap((each) => (each.type === "Assignment" ? [assignment(each, scope)] : [])),
  };
}

const nothingAssigned: readonly Assigned[] = [];

/** Parses `NAME=value`, `NAME+=value`, `NAME=(…)`, `NAME[0]=value`. */
function assignment(tree: Assignment, scope: WordExpansion): Assigned {
  const { name, value, append, index } = tree;
  const { state } = scope;
  const hasKeys = state.kinds.get(name) === "keys";
  const offset = index && evaluatedText(index, scope);
  if (offset !== undefined && !hasKeys) evaluateText(offset, scope);
  const before = state.arrays.get(name) ?? [];
  if (value.type === "ArrayValue") {
    const given = value.elements.flatMap((word) => expandWord(word, scope).map(({ text }) => text));
    // `[3]=x` sets items in another order.
    const keyed = given.map((text) => /^\[([^]*?)\]\+?=([^]*)$/u.exec(text));
    const isFirst = keyed.length === 1 && (hasKeys || keyed[0]?.[1] === "0");
    const items = keyed.some((match) => match !== null) ? [(isFirst ? keyed[0]?.[2] : undefined) ?? hole] : given;
    setArray(state, name, append ? [...before, ...items] : items);
    for (const [, key = "", item = ""] of keyed.filter((match) => match !== null)) {
      if (!hasKeys) evaluateText(key, scope);
      setItem(state, name, key, item);
    }
    return { name, value: knownField(items.join(" ")), isItem: true };
  }
  if (offset !== undefined) {
    const item = expandOne(value, scope);
    const isNext = /^\d+$/u.test(offset) && Number(offset) <= before.length;
    if (isNext && !append)
      setArray(state, name, [...before.slice(0, Number(offset)), item.text, ...before.slice(Number(offset) + 1)]);
    else setArray(state, name, [hole]);
    setItem(state, name, offset, item.text);
    return { name, value: item, isItem: true };
  }
  const field = expandOne(value, scope);
  if (state.kinds.get(name) === "integer") evaluateText(evaluatedText(value, scope), scope);
  const old = append ? (state.variables.has(name) ? (state.variables.get(name) ?? hole) : "") : "";
  const isNumber = isNumberWord(value, state) && /^[-+]?\d*$/u.test(old);
  return { name, value: old === "" ? field : { ...field, text: old + field.text }, isNumber };
}

/**
 * Handles `export NAME=value` and similar words: sets the variable and returns the word. `NAME={a,b}` expands to two
 * words, and the last one sets the value.
 */
function declared(tree: Assignment, scope: WordExpansion): Field {
  const { name, isItem, isNumber, ...set } = assignment(tree, scope);
  const value = lastOfBraces(tree, scope) ?? set.value;
  if (!isItem) setVariable(scope.state, name, withHoles(value), isNumber);
  return { ...value, text: `${name}=${value.text}`, at: { start: tree.pos, end: tree.end } };
}

function lastOfBraces({ value }: Assignment, scope: WordExpansion): Field | undefined {
  if (value.type === "ArrayValue" || !value.text.includes("{")) return undefined;
  const words = expandBraces(value.text);
  if (words?.length === 1) return undefined;
  const fields = expandWord(value, scope);
  return (fields.length === words?.length && fields.at(-1)) || unknown;
}

/** Returns the value to store. Undefined if it is unknown. */
export function withHoles({ text }: Field): string | undefined {
  return text === hole ? undefined : text;
}
