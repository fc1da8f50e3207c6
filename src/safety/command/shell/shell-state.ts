import { type Function as FunctionNode, parse, type Word } from "unbash";

import { quoteForShell } from "../../../base/text/shell-quote.ts";
import { defaultVariables, mayUseDefaults } from "./default-variables.ts";
import { type Field, hole } from "./field.ts";
import { SharedMap } from "./shared-map.ts";
import type { FileContents } from "./simple-command.ts";

/** The state of a running script. A subshell gets a copy. */
export interface ScriptState {
  /**
   * The variables. A value of undefined: set to an unknown value. Missing: never set here, and therefore unknown too,
   * unless `isBare`.
   */
  readonly variables: SharedMap<string | undefined>;
  readonly arrays: SharedMap<readonly string[]>;
  readonly functions: SharedMap<DefinedFunction>;
  readonly aliases: SharedMap<string>;
  /** Variables that programs and other shells see. */
  readonly exported: SharedMap<true>;
  /** Variables that were unset and therefore have an empty value. */
  readonly removed: SharedMap<true>;
  /**
   * The kind of a variable. `keys`: an associative array; `integer`: its values are evaluated; `number`: an unknown
   * number.
   */
  readonly kinds: SharedMap<VariableKind>;
  /** True if variables that were never set are empty. */
  readonly isBare: boolean;
  /** `$0`. */
  zero: string;
  /** The positional parameters `$1`…; undefined if their number is unknown. */
  positional: readonly string[] | undefined;
  /**
   * The working folder. Unknown parts are marked as holes. `$PWD` is the same, unless a variable of this name was set.
   */
  cwd: string;
  /** `$OLDPWD`. */
  lastCwd: string;
  /** The folders that `popd` returns to, the next one first. */
  folders: readonly string[];
}

export type VariableKind = "keys" | "integer" | "number";

export interface DefinedFunction {
  readonly body: FunctionNode["body"];
  /** The source text; positions in the body are offsets in it. */
  readonly source: string;
  /** True if the function existed before this script. */
  readonly isCarried: boolean;
  /** The function that the name refers to on another path through the script. */
  readonly otherwise?: DefinedFunction;
}

/** The known state of the shell that will run a command. */
export interface StartState {
  readonly cwd: string;
  /** Folders whose files may change without approval. Default: `cwd`. */
  readonly workspace?: string;
  readonly home: string;
  readonly user: string;
  /** Functions as `declare -f` prints them, or only their bodies. */
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  /** Files that earlier commands of the session changed. */
  readonly contents?: FileContents;
  /** True if only these variables exist. Otherwise missing variables are unknown. */
  readonly isBare?: boolean;
}

/** Creates the start state. `text` is the script. */
export function startState(start: StartState, text?: string): ScriptState {
  return {
    variables: new SharedMap(() => startVariables(start, text)),
    arrays: new SharedMap(),
    functions: new SharedMap(
      () => new Map(Object.entries(start.functions).map(([name, body]) => [name, carried(body)])),
    ),
    aliases: new SharedMap(() => new Map(Object.entries(start.aliases))),
    exported: new SharedMap(
      () =>
        new Map(
          startVariables(start, text)
            .keys()
            .map((name) => [name, true]),
        ),
    ),
    removed: new SharedMap(),
    kinds: new SharedMap(() => new Map(initialKinds)),
    isBare: start.isBare ?? false,
    zero: "bash",
    positional: [],
    cwd: start.cwd,
    lastCwd: hole,
    folders: [],
  };
}

function startVariables(start: StartState, text: string | undefined): Map<string, string | undefined> {
  const isOwnText = !start.contents && isEmpty(start.functions) && isEmpty(start.aliases);
  const isPlain = text !== undefined && isOwnText && !mayUseDefaults(text);
  const variables = isPlain ? new Map() : defaultVariables(start.home, start.workspace ?? start.cwd);
  variables.set("HOME", start.home);
  variables.set("USER", start.user);
  variables.set("LOGNAME", start.user);
  variables.set("IFS", defaultSeparators);
  variables.set("SHELL", "/bin/bash");
  variables.set("BASH", "/bin/bash");
  variables.set("OSTYPE", "linux-gnu");
  // PATH is assumed to start with an absolute folder.
  variables.set("PATH", `/${hole}`);
  // The parent process is Hermes, so killing it is as severe as killing process 1.
  variables.set("PPID", "1");
  for (const name of Object.keys(start.variables)) variables.set(name, start.variables[name]);
  return variables;
}

const initialKinds: readonly (readonly [string, VariableKind])[] = [
  ["RANDOM", "integer"],
  ["SRANDOM", "integer"],
  ["OPTIND", "integer"],
  ["HISTCMD", "integer"],
];

function isEmpty(record: Readonly<Record<string, string>>): boolean {
  for (const _ in record) return false;
  return true;
}

/** A function of the start state, which is parsed on its first call. */
function carried(text: string): DefinedFunction {
  let body: DefinedFunction["body"] | undefined;
  return {
    get body() {
      if (body) return body;
      const { commands } = parse(text);
      const first = commands[0]?.command;
      return (body =
        first?.type === "Function" ? first.body : { type: "CompoundList", pos: 0, end: text.length, commands });
    },
    source: text,
    isCarried: true,
  };
}

/** The text of an alias. */
export function aliasOf(name: Word | undefined, { aliases }: ScriptState): string | undefined {
  return name && name.parts === undefined && name.text === name.value ? aliases.get(name.text) : undefined;
}

export function aliasText(alias: string, words: readonly Field[]): string {
  return [alias, ...words.map(({ text }) => quoteForShell(text))].join(" ");
}

/** Returns the separators of words, or undefined if unknown. The default applies if the variable is missing. */
export function separators({ variables, removed }: ScriptState): string | undefined {
  return removed.has("IFS") && variables.get("IFS") === "" ? defaultSeparators : variables.get("IFS");
}

const defaultSeparators = " \t\n";

/**
 * Sets `name=value`. An undefined value is unknown, but a number if `isNumber`. The first item of an array has the name
 * of the array.
 */
export function setVariable(state: ScriptState, name: string, value: string | undefined, isNumber = false): void {
  const { variables, arrays, removed, kinds } = state;
  const kind = kinds.get(name);
  if (isNumber && kind === undefined) kinds.set(name, "number");
  else if (!isNumber && kind === "number") kinds.delete(name);
  variables.set(name, value);
  removed.delete(name);
  const items = arrays.get(name);
  if (items) arrays.set(name, [value ?? hole, ...items.slice(1)]);
}

/** Sets `name[key]=value`. */
export function setItem({ variables }: ScriptState, name: string, key: string, value: string): void {
  if (key.includes(hole)) return;
  variables.set(itemsMark(name), "");
  variables.set(`${name}[${key}]`, value === hole ? undefined : value);
}

/** The key that marks an array whose items are known individually. */
function itemsMark(name: string): string {
  return `${name}[]`;
}

/** Drops the single items of an array. */
export function dropItems({ variables }: ScriptState, name: string): void {
  if (!variables.has(itemsMark(name))) return;
  for (const key of variables.keys()) if (key.startsWith(`${name}[`)) variables.delete(key);
}

/** `name=(…)`. */
export function setArray(state: ScriptState, name: string, items: readonly string[]): void {
  const { variables, arrays } = state;
  dropItems(state, name);
  variables.set(name, items[0] ?? "");
  arrays.set(name, items.length > maxItems ? [hole] : items);
}

const maxItems = 1_000;

export function copyState(state: ScriptState): ScriptState {
  return {
    variables: state.variables.copy(),
    arrays: state.arrays.copy(),
    functions: state.functions.copy(),
    aliases: state.aliases.copy(),
    exported: state.exported.copy(),
    removed: state.removed.copy(),
    kinds: state.kinds.copy(),
    isBare: state.isBare,
    zero: state.zero,
    positional: state.positional,
    cwd: state.cwd,
    lastCwd: state.lastCwd,
    folders: state.folders,
  };
}

/** Returns the initial state of a shell that this shell starts. */
export function childState({ variables, exported, functions, isBare, cwd }: ScriptState): ScriptState {
  const isSeen = (name: string) => exported.has(name) || exported.has(everyVariable);
  // All variables of the start are exported.
  const isAll = (variables.isInitial && exported.isInitial) || variables.keys().every(isSeen);
  const inherited = isAll ? variables.copy() : new SharedMap(variables.entries().filter(([name]) => isSeen(name)));
  // A shell never inherits IFS.
  if (inherited.get("IFS") !== defaultSeparators) inherited.set("IFS", defaultSeparators);
  return {
    variables: inherited,
    arrays: new SharedMap(),
    functions: new SharedMap(functions.entries().filter(([name]) => isSeen(`${name}()`))),
    aliases: new SharedMap(),
    exported: exported.copy(),
    removed: new SharedMap(),
    kinds: new SharedMap(),
    isBare,
    zero: "bash",
    positional: [],
    cwd,
    lastCwd: hole,
    folders: [],
  };
}

/** The marker for `set -a`, after which all variables are exported. */
export const everyVariable = "*";

/**
 * Merges the states of several paths: values that differ become unknown. `keepsFolder`: the folder of the last path is
 * used.
 */
export function joinStates(into: ScriptState, ways: readonly ScriptState[], keepsFolder = false): void {
  const [first] = ways;
  if (!first || ways.every((way) => isSameState(way, into))) return;
  const variables = changed(into, ways, (way) => way.variables);
  const numbers = ways.map(
    (way) => new Set(variables.flatMap(([name]) => (isNumberVariable(way, name) ? [name] : []))),
  );
  for (const [name, values] of changed(into, ways, ({ kinds }) => kinds)) {
    const kind = values.find((each) => each === "integer" || each === "keys");
    if (kind === "integer" || kind === "keys") into.kinds.set(name, kind);
    else into.kinds.delete(name);
  }
  for (const [name, values] of variables) {
    const [value] = values;
    const isSame = values.every((each) => each === value) && value !== missing;
    const isOwn = into.kinds.has(name) && into.kinds.get(name) !== "number";
    if (!isOwn && numbers.every((set) => set.has(name))) into.kinds.set(name, "number");
    into.variables.set(name, isSame ? value : undefined);
  }
  for (const [name, values] of changed(into, ways, ({ arrays }) => arrays)) {
    const [items = missing] = values;
    const isSame = items !== missing && values.every((each) => each !== missing && sameWords(each, items));
    into.arrays.set(name, isSame ? items : [hole]);
  }
  for (const [name, values] of changed(into, ways, ({ functions }) => functions))
    for (const definition of values)
      if (definition !== missing) into.functions.set(name, either(into.functions.get(name), definition));
  for (const [name, values] of changed(into, ways, ({ aliases }) => aliases))
    for (const text of values)
      if (text !== missing) into.aliases.set(name, (into.aliases.get(name) ?? text) === text ? text : hole);
  for (const [name, values] of changed(into, ways, ({ removed }) => removed))
    if (values.some((value) => value !== missing)) into.removed.set(name, true);
  for (const [name, values] of changed(into, ways, ({ exported }) => exported))
    if (values.some((value) => value !== missing)) into.exported.set(name, true);
  const last = ways.at(-1) ?? first;
  const { positional } = first;
  into.positional = ways.every((way) => sameWords(way.positional, positional)) ? positional : undefined;
  into.folders = ways.every((way) => sameWords(way.folders, first.folders)) ? first.folders : [];
  into.lastCwd = ways.every((way) => way.lastCwd === first.lastCwd) ? first.lastCwd : hole;
  into.cwd = keepsFolder ? last.cwd : ways.every((way) => way.cwd === first.cwd) ? first.cwd : hole;
}

/** Returns whether the variable is a number, known or unknown, or unset. */
export function isNumberVariable({ variables, kinds }: ScriptState, name: string): boolean {
  return kinds.get(name) === "number" || !variables.has(name) || /^[-+]?\d*$/u.test(variables.get(name) ?? hole);
}

/** Returns whether nothing changed since one state was copied from the other. */
export function isSameState(one: ScriptState, other: ScriptState): boolean {
  return (
    one.variables.isCopyOf(other.variables) &&
    one.arrays.isCopyOf(other.arrays) &&
    one.functions.isCopyOf(other.functions) &&
    one.aliases.isCopyOf(other.aliases) &&
    one.exported.isCopyOf(other.exported) &&
    one.removed.isCopyOf(other.removed) &&
    one.kinds.isCopyOf(other.kinds) &&
    one.positional === other.positional &&
    one.folders === other.folders &&
    one.cwd === other.cwd &&
    one.lastCwd === other.lastCwd
  );
}

/** Marks a name that is missing on a path. */
const missing = Symbol("missing");

/** Returns the names that changed on one of the paths, with the value on each path. */
function changed<V>(
  into: ScriptState,
  ways: readonly ScriptState[],
  kept: (state: ScriptState) => SharedMap<V>,
): readonly (readonly [string, readonly (V | typeof missing)[]])[] {
  const own = kept(into);
  if (ways.every((way) => own.isCopyOf(kept(way)))) return [];
  const names = SharedMap.changedIn([own, ...ways.map(kept)]);
  // Reads one path after the other, because switching between copies is slow.
  const values = ways.map((way) => {
    const map = kept(way);
    // Safe cast: the map contains the name, so the value has this type.
    return names.map((name) => (map.has(name) ? (map.get(name) as V) : missing));
  });
  return names.map((name, index) => [name, values.map((row) => row[index] ?? missing)]);
}

function sameWords(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && one.length === other?.length && one.every((word, index) => word === other[index]);
}

function either(one: DefinedFunction | undefined, other: DefinedFunction): DefinedFunction {
  for (let each = one; each; each = each.otherwise) if (each.body === other.body) return one ?? other;
  return one ? { ...other, otherwise: one } : other;
}
