import { posix } from "node:path";

import type { SyntaxNode, Word } from "unbash";

import { eachNode } from "./each-node.ts";
import { isNumberWord } from "./evaluate.ts";
import { type Field, hole, literal } from "./field.ts";
import {
  dropItems,
  everyVariable,
  isNumberVariable,
  type ScriptState,
  separators,
  setArray,
  setVariable,
} from "./shell-state.ts";
import type { Input, SimpleCommand } from "./simple-command.ts";
import { roundLimits } from "./walk.ts";

/** Returns the output of a command that only computes. */
type Printed = (ran: SimpleCommand) => string | undefined;

/** Applies a command to the state of the shell: folder, aliases, and variables that `read` and other commands set. */
export function changeState(name: string, ran: SimpleCommand, state: ScriptState, printed: Printed): void {
  const words = ran.argv.slice(1);
  switch (name) {
    case "cd":
    case "pushd":
    case "chdir": {
      const target = words.find(({ text }) => !/^-[LPen@]+$|^--$/u.test(text));
      const isElsewhere =
        ran.assignments.some((each) => each.name === "CDPATH") || state.variables.get("CDPATH") !== "";
      const isSearched = isElsewhere && (state.variables.has("CDPATH") || ran.assignments.length > 0);
      if (name === "pushd") {
        // `-n` only changes the list, a number rotates it, and without an operand the two newest folders change places.
        if (words.some(({ text }) => text === "-n")) {
          state.folders = [target ? folderAfter(target.text, state) : hole, ...state.folders].slice(0, maxFolders);
          return;
        }
        const [next = hole, ...rest] = state.folders;
        state.folders = [state.cwd, ...(target ? state.folders : rest)].slice(0, maxFolders);
        if (target === undefined || /^[+-]\d+$/u.test(target.text)) return goTo(target ? hole : next, state);
      }
      return goTo(isSearched && /^[^./-]/u.test(target?.text ?? "") ? hole : folderAfter(target?.text, state), state);
    }
    case "popd": {
      const [folder = hole, ...rest] = words.length === 0 ? state.folders : [];
      state.folders = rest;
      return goTo(folder, state);
    }
    case "dirs":
      if (words.some(({ text }) => text === "-c")) state.folders = [];
      return;
    case "alias":
      for (const { text } of words) {
        const [, alias, value] = /^([^=]+)=([^]*)$/u.exec(text) ?? [];
        if (alias !== undefined && value !== undefined) state.aliases.set(alias, value);
      }
      return;
    case "unalias":
      for (const { text } of words) state.aliases.delete(text);
      return;
    case "unset":
      for (const { text } of words) {
        state.variables.set(text, "");
        state.removed.set(text, true);
        state.arrays.delete(text);
        state.functions.delete(text);
      }
      return;
    case "read":
      return readInto(words, ran, state);
    case "mapfile":
    case "readarray": {
      const array = words.findLast(({ text }) => isName.test(text))?.text ?? "MAPFILE";
      const lines = ran.stdin.text?.replace(/\n$/u, "").split("\n") ?? [hole];
      return setArray(state, array, words.some(({ text }) => /^-[a-su-z]/u.test(text)) ? [hole] : lines);
    }
    case "getopts":
      for (const { text } of words) if (isName.test(text)) setVariable(state, text, undefined);
      return;
    case "printf":
      if (words[0]?.text === "-v" && words[1] && isName.test(words[1].text))
        setVariable(state, words[1].text, printed({ ...ran, argv: [...ran.argv.slice(0, 1), ...words.slice(2)] }));
      return;
    case "shift":
      state.positional = state.positional?.slice(Number(words[0]?.text ?? 1) || 1);
      return;
    case "export":
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      return declare(name, words, state);
    case "set": {
      if (words.some(({ text }) => /^-[a-z]*a/u.test(text) || text === "allexport"))
        state.exported.set(everyVariable, true);
      const from = words.findIndex(({ text }) => text === "--");
      if (from >= 0) state.positional = words.slice(from + 1).map(({ text }) => text);
    }
  }
}

/**
 * `declare -n` makes a name refer to another one. `-i`, `-l` and `-u` change the stored value, which becomes unknown.
 */
function declare(name: string, words: SimpleCommand["argv"], state: ScriptState): void {
  const flags = words.flatMap(({ text }) => (/^-[A-Za-z]/u.test(text) ? [text.slice(1)] : [])).join("");
  const isChanged = name !== "export" && /[niluc]/u.test(flags);
  for (const { text } of words) {
    const [, variable = "", value] = /^([A-Za-z_]\w*)(?:\+?=([^]*))?$/u.exec(text) ?? [];
    if (variable === "") continue;
    if (name === "export" || flags.includes("x"))
      state.exported.set(flags.includes("f") ? `${variable}()` : variable, true);
    if (flags.includes("A")) state.kinds.set(variable, "keys");
    if (!isChanged) continue;
    setVariable(state, variable, undefined);
    if (flags.includes("i")) state.kinds.set(variable, "integer");
    if (flags.includes("n") && value !== undefined && isName.test(value)) setVariable(state, value, undefined);
  }
}

const isName = /^[A-Za-z_]\w*$/u;

/** Handles `read a b`: splits the first line of the input; the last variable gets the rest. */
function readInto(words: SimpleCommand["argv"], { stdin, assignments }: SimpleCommand, state: ScriptState): void {
  const offset = words.findIndex(
    ({ text }, index) => !text.startsWith("-") && !/^-[pdnNtui]$/u.test(words[index - 1]?.text ?? ""),
  );
  const options = offset < 0 ? words : words.slice(0, offset);
  const names = offset < 0 ? ["REPLY"] : words.slice(offset).map(({ text }) => text);
  const isSimple = options.every(({ text }) => text === "-r" || text === "-er" || text === "-e" || text === "-s");
  const lines = stdin.text?.replace(/\n$/u, "").split("\n") ?? [];
  // If the input has several lines, each `read` gets another one.
  const given = lines.length === 1 && lines[0]?.includes(hole) === false ? lines[0] : undefined;
  const isRaw = options.some(({ text }) => /^-[a-z]*r/u.test(text));
  const line = isRaw || !given?.includes("\\") ? given : unescaped(given);
  const own = assignments.findLast(({ name }) => name === "IFS")?.value;
  const parting = own ? literal(own) : separators(state);
  if (options.some(({ text }) => /^-[A-Za-z]*a$/u.test(text))) {
    const items = line !== undefined && parting === " \t\n" ? line : undefined;
    return setArray(state, names[0] ?? "REPLY", items?.split(/[ \t]+/u).filter(Boolean) ?? [hole]);
  }
  const values = isSimple && line !== undefined ? pieces(line, names.length, parting) : undefined;
  for (const [index, name] of names.entries())
    if (isName.test(name)) setVariable(state, name, values ? (values[index] ?? "") : undefined);
}

/** `read` without -r removes backslashes. Undefined if one of them joins words. */
function unescaped(line: string): string | undefined {
  return /\\(?:\W|$)/u.test(line) ? undefined : line.replaceAll("\\", "");
}

/** Splits a line into at most `count` fields at the separators `parting`. Undefined if unknown. */
function pieces(line: string, count: number, parting: string | undefined): readonly string[] | undefined {
  if (parting === undefined) return undefined;
  const isSeparator = (char: string) => parting.includes(char);
  const isBlank = (char: string) => isSeparator(char) && /\s/u.test(char);
  const parts: string[] = [];
  let rest = line;
  const trim = () => {
    let from = 0;
    while (from < rest.length && isBlank(rest[from] ?? "")) from += 1;
    rest = rest.slice(from);
  };
  for (trim(); parts.length < count - 1 && rest !== ""; trim()) {
    const end = Array.from(rest).findIndex(isSeparator);
    parts.push(end < 0 ? rest : rest.slice(0, end));
    rest = end < 0 ? "" : rest.slice(end + 1);
  }
  let end = rest.length;
  while (end > 0 && isBlank(rest[end - 1] ?? "")) end -= 1;
  return [...parts, rest.slice(0, end)];
}

const maxFolders = 20;

function goTo(folder: string, state: ScriptState): void {
  state.lastCwd = state.cwd;
  state.cwd = folder;
}

function folderAfter(target: string | undefined, state: ScriptState): string {
  const { variables, cwd } = state;
  if (target === undefined) return variables.get("HOME") ?? hole;
  if (/^[-+]\d+$/u.test(target)) return hole;
  if (target === "-") return variables.has("OLDPWD") ? (variables.get("OLDPWD") ?? hole) : state.lastCwd;
  if (target.startsWith(hole)) return hole;
  const folder = target.startsWith("/") ? target : `${cwd}/${target}`;
  if (folder.length > maxPath) return hole;
  return /\/(?:\.|\/|$)/u.test(target) || target.startsWith(".") || cwd.endsWith("/")
    ? posix.normalize(folder)
    : folder;
}

const maxPath = 1_024;

/** Returns one input line for each iteration of `while read`. */
export function inputLines(stdin: Input): readonly Input[] {
  if (stdin.text === undefined || stdin.text === "") return [stdin];
  const lines = stdin.text.replace(/\n$/u, "").split("\n");
  return lines.length > maxLines
    ? [{ from: stdin.from }]
    : lines.map((text) => ({ text: `${text}\n`, from: stdin.from }));
}

const maxLines = 24;

/** Makes variables that a loop changes unknown, for its later iterations. */
export function forgetLoopVariables(tree: SyntaxNode, state: ScriptState): void {
  /** Handles assignments before a command, which apply only to it. */
  const passing = new Set<SyntaxNode>();
  eachNode(tree, (child) => {
    if (child.type === "Command" && child.name) for (const each of child.prefix) passing.add(each);
    if (child.type === "Assignment" && !passing.has(child)) {
      const { name, value } = child;
      const isNumber = value.type === "Word" && isNumberWord(value, state) && isNumberVariable(state, name);
      setVariable(state, name, undefined, isNumber);
      if (state.arrays.has(child.name) || child.value.type === "ArrayValue") state.arrays.set(child.name, [hole]);
      dropItems(state, child.name);
    }
    return true;
  });
}

/**
 * The values of a loop. `values`: all values, if they are known and few enough to walk each of them, given `rounds` of
 * the enclosing loops. `start`: otherwise, the beginning of each value.
 */
export function loopValues(
  list: readonly Word[] | undefined,
  fields: readonly Field[] | undefined,
  state: ScriptState,
  rounds: number,
): { readonly values?: readonly string[]; readonly start: string | undefined; readonly isNumber: boolean | undefined } {
  const all = fields ? valuesOf(fields) : state.positional;
  const values = all?.every((value) => value !== undefined) ? all : undefined;
  const isShort =
    values && values.length > 0 && values.length <= roundLimits.own && values.length * rounds <= roundLimits.all;
  return {
    ...(isShort && { values }),
    start: all?.length === 1 ? all[0] : commonPrefix(all),
    isNumber: list?.every((word) => isNumberWord(word, state)),
  };
}

/**
 * Returns the values that a loop iterates over, or undefined if they are unknown. A file name pattern counts as two
 * values.
 */
function valuesOf(fields: readonly Field[]): readonly (string | undefined)[] {
  return fields.flatMap(({ text, isPattern, maySplit }) =>
    maySplit ? [undefined] : isPattern ? [text, text] : [text],
  );
}

function commonPrefix(values: readonly (string | undefined)[] | undefined): string | undefined {
  const [first, ...others] = values ?? [];
  if (first === undefined || others.includes(undefined)) return undefined;
  let length = first.length;
  for (const other of others) while (other?.startsWith(first.slice(0, length)) === false) length -= 1;
  return length === 0 ? undefined : first.slice(0, length) + hole;
}
