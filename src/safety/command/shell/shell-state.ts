import { type Function as FunctionNode, parse, type Word } from "unbash";

import { hole } from "./field.ts";
import { SharedMap } from "./shared-map.ts";

/** What a script knows while it runs. A subshell has a copy. */
export interface ScriptState {
  /** Undefined: set to something that is not known. Not there: never set here, so unknown too, unless `isBare`. */
  readonly variables: SharedMap<string | undefined>;
  readonly arrays: SharedMap<readonly string[]>;
  readonly functions: SharedMap<DefinedFunction>;
  readonly aliases: SharedMap<string>;
  /** Variables that programs and other shells see. */
  readonly exported: SharedMap<true>;
  /** Variables that were taken away. Their value is empty. */
  readonly removed: SharedMap<true>;
  /** `$0`. */
  zero: string;
  /** `$1`…; undefined where nobody knows how many there are. */
  positional: readonly string[] | undefined;
  /** With holes where it is not known. `$PWD`, unless a variable of this name was set. */
  cwd: string;
  /** `$OLDPWD`. */
  lastCwd: string;
}

export interface DefinedFunction {
  readonly body: FunctionNode["body"];
  /** The text that positions of the body refer to. */
  readonly source: string;
  /** It came with the shell and not from this script. */
  readonly isCarried: boolean;
  /** On another way through the script the same name means this. */
  readonly otherwise?: DefinedFunction;
}

/** What a command starts with: of the shell that will run it, as far as it is known. */
export interface StartState {
  readonly cwd: string;
  readonly home: string;
  readonly user: string;
  /** As `declare -f` prints them, or their bodies alone. */
  readonly functions: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
}

export function startState(start: StartState): ScriptState {
  const variables = new SharedMap<string | undefined>(
    new Map([
      ["HOME", start.home],
      ["USER", start.user],
      ["LOGNAME", start.user],
      ["IFS", " \t\n"],
      ["SHELL", "/bin/bash"],
      ["BASH", "/bin/bash"],
      ["OSTYPE", "linux-gnu"],
      ...Object.entries(start.variables),
    ]),
  );
  return {
    variables,
    arrays: new SharedMap(),
    functions: new SharedMap(new Map(Object.entries(start.functions).map(([name, text]) => [name, carried(text)]))),
    aliases: new SharedMap(new Map(Object.entries(start.aliases))),
    exported: new SharedMap(new Map([...variables.keys()].map((name) => [name, true]))),
    removed: new SharedMap(),
    zero: "bash",
    positional: [],
    cwd: start.cwd,
    lastCwd: hole,
  };
}

/** A function of the shell. It is parsed when something calls it. */
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

/** What the name of a command stands for. */
export function aliasOf(name: Word | undefined, { aliases }: ScriptState): string | undefined {
  // A quoted name is never an alias.
  return name && name.parts === undefined && name.text === name.value ? aliases.get(name.text) : undefined;
}

/** `name=value`; undefined: not known. The first item of an array goes by the name of the array. */
export function setVariable(state: ScriptState, name: string, value: string | undefined): void {
  const { variables, arrays, removed } = state;
  variables.set(name, value);
  removed.delete(name);
  const items = arrays.get(name);
  if (items) arrays.set(name, items.with(0, value ?? hole));
}

/** `name=(…)`. */
export function setArray({ variables, arrays }: ScriptState, name: string, items: readonly string[]): void {
  variables.set(name, items[0] ?? "");
  arrays.set(name, items);
}

export function copyState(state: ScriptState): ScriptState {
  return {
    variables: state.variables.copy(),
    arrays: state.arrays.copy(),
    functions: state.functions.copy(),
    aliases: state.aliases.copy(),
    exported: state.exported.copy(),
    removed: state.removed.copy(),
    zero: state.zero,
    positional: state.positional,
    cwd: state.cwd,
    lastCwd: state.lastCwd,
  };
}

/** What another shell starts with that this one runs. */
export function childState({ variables, exported, cwd }: ScriptState): ScriptState {
  const isSeen = (name: string) => exported.has(name) || exported.has(everyVariable);
  return {
    variables: new SharedMap(new Map([...variables.entries()].filter(([name]) => isSeen(name)))),
    arrays: new SharedMap(),
    functions: new SharedMap(),
    aliases: new SharedMap(),
    exported: exported.copy(),
    removed: new SharedMap(),
    zero: "bash",
    positional: [],
    cwd,
    lastCwd: hole,
  };
}

/** After `set -a`. */
export const everyVariable = "*";

/** After one of several ways: what they do not agree on is not known. `keepsFolder`: the last one went where it said. */
export function joinStates(into: ScriptState, ways: readonly ScriptState[], keepsFolder = false): void {
  const [first] = ways;
  if (!first) return;
  if (differ(into, ways, "variables"))
    for (const name of namesOf(ways, "variables")) {
      const value = first.variables.get(name);
      const isSame = ways.every((way) => way.variables.get(name) === value && way.variables.has(name));
      into.variables.set(name, isSame ? value : undefined);
    }
  if (differ(into, ways, "arrays"))
    for (const name of namesOf(ways, "arrays")) {
      const items = first.arrays.get(name);
      const isSame = ways.every((way) => way.arrays.get(name)?.join("\0") === items?.join("\0"));
      into.arrays.set(name, isSame && items ? items : [hole]);
    }
  if (differ(into, ways, "functions"))
    for (const way of ways)
      for (const [name, found] of way.functions.entries())
        into.functions.set(name, either(into.functions.get(name), found));
  if (differ(into, ways, "aliases"))
    for (const way of ways)
      for (const [name, text] of way.aliases.entries())
        into.aliases.set(name, (into.aliases.get(name) ?? text) === text ? text : hole);
  if (differ(into, ways, "removed"))
    for (const way of ways) for (const name of way.removed.keys()) into.removed.set(name, true);
  if (differ(into, ways, "exported"))
    for (const way of ways) for (const name of way.exported.keys()) into.exported.set(name, true);
  const last = ways.at(-1) ?? first;
  const words = first.positional?.join("\0");
  into.positional = ways.every((way) => way.positional?.join("\0") === words) ? first.positional : undefined;
  into.lastCwd = ways.every((way) => way.lastCwd === first.lastCwd) ? first.lastCwd : hole;
  into.cwd = keepsFolder ? last.cwd : ways.every((way) => way.cwd === first.cwd) ? first.cwd : hole;
}

type Kept = "variables" | "arrays" | "functions" | "aliases" | "exported" | "removed";

function differ(into: ScriptState, ways: readonly ScriptState[], kept: Kept): boolean {
  // The maps of one field have values of one kind.
  const own = into[kept] as SharedMap<unknown>;
  return !ways.every((way) => own.isCopyOf(way[kept]));
}

function namesOf(ways: readonly ScriptState[], kept: Kept): ReadonlySet<string> {
  return new Set(ways.flatMap((way) => [...way[kept].keys()]));
}

function either(one: DefinedFunction | undefined, other: DefinedFunction): DefinedFunction {
  for (let each = one; each; each = each.otherwise) if (each.body === other.body) return one ?? other;
  return one ? { ...other, otherwise: one } : other;
}
