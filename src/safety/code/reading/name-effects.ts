import { once } from "../../../base/async/once.ts";
import { rowsByName, words } from "../../../base/text/words.ts";
import type { PathUse } from "../../command/fact.ts";
import type { RuleId } from "../../command/rules.ts";
import { hole } from "../../command/shell/field.ts";
import { readSql } from "../sql/read-sql.ts";
import { type Effects, looksSecret } from "./effects.ts";
import {
  unknownValue,
  possibleValues,
  tainted,
  taints,
  textOfValue,
  textValue,
  type CodeValue,
  wholeText,
} from "./value.ts";

/** One call that the analysis has parsed. */
export interface Call {
  readonly args: readonly CodeValue[];
  readonly named: ReadonlyMap<string, CodeValue>;
  readonly self: CodeValue | undefined;
  /** The source text of the call. */
  readonly words: string;
  readonly effects: Effects;
  /** The arguments with which the program was started. */
  readonly programArgs: readonly string[];
  /** Analyses a text as code of the same language. */
  run(code: CodeValue): void;
  /** Analyses a call of another function with these arguments. */
  call(ref: string, args: readonly CodeValue[]): CodeValue;
}

/** The effect and the result of a call to a known function. */
export interface NameEffect {
  /** True if mentioning the name without a call already needs approval. */
  readonly acts: boolean;
  read(call: Call): CodeValue;
}

/** Effects by name. A key may list several names, separated by spaces; `byNames` splits them. */
export type KnownNames = Readonly<Record<string, NameEffect>>;

export function byNames(...tables: readonly KnownNames[]): KnownNames {
  return Object.fromEntries(tables.flatMap(rowsByName));
}

/** Defines the same effect for methods of several objects. */
export function methodsOf(owners: string, methods: string, effect: NameEffect): KnownNames {
  return Object.fromEntries(
    words(owners).flatMap((owner) => words(methods).map((method) => [`${owner}.${method}`, effect])),
  );
}

/** Describes a call with an effect and an unknown result. */
export function acts(act: (call: Call) => void): NameEffect {
  return { ...mayAct(act), acts: true };
}

/** Describes a call that may have an effect, depending on its arguments, and has an unknown result. */
export function mayAct(note: (call: Call) => void): NameEffect {
  return {
    acts: false,
    read(call) {
      note(call);
      return unknownValue;
    },
  };
}

/** Describes a call that only computes. */
export function computes(read: (call: Call) => CodeValue | undefined): NameEffect {
  return { acts: false, read: (call) => read(call) ?? taintedByArguments(call) };
}

/** The result inherits the taint of all arguments. */
export function taintedByArguments({ args, named, self }: Pick<Call, "args" | "named" | "self">): CodeValue {
  let taint = self?.taint ?? 0;
  for (const arg of args) taint |= arg.taint;
  for (const arg of named.values()) taint |= arg.taint;
  return tainted(taint & ~(taints.socket | taints.reflected));
}

export function argument({ args, named }: Call, offset: number, ...names: readonly string[]): CodeValue | undefined {
  for (const name of names) {
    const value = named.get(name);
    if (value) return value;
  }
  return args[offset];
}

/** Describes a call that passes a text or a list of words to a shell or the system. */
export function shell(offset = 0, ...names: readonly string[]): NameEffect {
  return acts((call) => {
    call.effects.find("inline_code", call.words);
    for (const command of possibleValues(argument(call, offset, ...names))) {
      if (command.items) call.effects.program(command.items, call.words, folderOf(call));
      else call.effects.shell(command, call.words, folderOf(call));
    }
  });
}

/** Returns the working folder that the call sets. */
function folderOf({ args, named }: Call): CodeValue | undefined {
  return named.get("cwd") ?? named.get("chdir") ?? args.find(({ fields }) => fields?.has("cwd"))?.fields?.get("cwd");
}

/** Describes a call that changes the folder in which relative paths start. */
export const changesFolder: NameEffect = mayAct((call) => call.effects.enter(call.args[0]));

/** Describes a call that starts a program. The arguments follow one by one or as a list. */
export function program(offset = 0): NameEffect {
  return acts((call) => {
    call.effects.find("inline_code", call.words);
    const [first = unknownValue, ...rest] = call.args.slice(offset);
    const folder = folderOf(call);
    if (first.items) call.effects.program(first.items, call.words, folder);
    else {
      const words = rest.flatMap((arg) => (arg.items ? arg.items : textOfValue(arg) === undefined ? [] : [arg]));
      if (words.length === 0) call.effects.shell(first, call.words, folder);
      else call.effects.program([first, ...words], call.words, folder);
    }
  });
}

/** Handles `exec(path, [name, …])`: the list starts with the name again. */
export function replacesProcess(listAt: number): NameEffect {
  return acts((call) => {
    call.effects.find("inline_code", call.words);
    const list = call.args[listAt]?.items ?? call.args.slice(listAt);
    call.effects.program([call.args[listAt - 1] ?? unknownValue, ...list.slice(1)], call.words);
  });
}

export function deletes(offset = 0, isRecursive = false): NameEffect {
  return acts((call) => {
    call.effects.find("inline_code", call.words);
    const targets = offset === 0 ? call.args.filter((arg) => arg.fields === undefined) : [argument(call, offset)];
    if (targets.length === 0) call.effects.path("delete", unknownValue, isRecursive);
    for (const target of targets) {
      for (const each of target?.items ?? [target]) call.effects.path("delete", each, isRecursive);
    }
  });
}

/** Describes a method of a path object. */
export function deletesOwnPath(isRecursive = false): NameEffect {
  return acts((call) => {
    call.effects.find("inline_code", call.words);
    call.effects.path("delete", call.self, isRecursive);
  });
}

/** Describes a call that uses files. The path rules apply: inside the workspace no approval is needed. */
export function usesPath(how: PathUse, offset = 0, ...names: readonly string[]): NameEffect {
  return mayAct((call) => {
    const target = argument(call, offset, ...names);
    for (const each of target?.items ?? [target]) call.effects.path(how, each);
  });
}

export function usesOwnPath(how: PathUse): NameEffect {
  return computes((call) => {
    call.effects.path(how, call.self);
    return how === "read" ? fileValue(call.self) : unknownValue;
  });
}

/** Moves or copies a file or folder. */
export function movesFile(isCopy = false): NameEffect {
  return mayAct((call) => {
    const from = argument(call, 0, "src");
    const to = argument(call, 1, "dst");
    call.effects.path(isCopy ? "read" : "move", from);
    call.effects.path("write", to);
  });
}

export function fileValue(path: CodeValue | undefined): CodeValue {
  return tainted(
    possibleValues(path).some((each) => looksSecret(textOfValue(each) ?? ""))
      ? taints.file | taints.secret
      : taints.file,
  );
}

export function readsFile(offset = 0): NameEffect {
  return computes((call) => {
    const path = call.args[offset];
    call.effects.path("read", path);
    return fileValue(path);
  });
}

/** Handles `open(path, mode)`, where the mode consists of letters. */
export function opensFile(modeAt = 1, usual = "r"): NameEffect {
  return computes((call) => {
    const path = argument(call, 0, "file", "path");
    const mode = textOfValue(argument(call, modeAt, "mode") ?? textValue(usual)) ?? "w";
    call.effects.path(pathUseOfMode(mode), path);
    return { ...fileValue(path), ref: "File()" };
  });
}

export function pathUseOfMode(mode: string): PathUse {
  if (/[wx]/u.test(mode) || mode.includes(hole)) return "write";
  if (mode.includes("a")) return "append";
  return mode.includes("+") ? "edit" : "read";
}

/** Describes a call that downloads from the URL in the argument at `offset`. */
export function fetches(offset = 0): NameEffect {
  return computes((call) => {
    call.effects.fetch(call.args[offset], call.words);
    return { taint: taints.network, ref: "Response()" };
  });
}

export function sendsData(offset = 0): NameEffect {
  return {
    acts: true,
    read(call) {
      const others = [...call.args.filter((_, index) => index !== offset), ...call.named.values()];
      call.effects.send(call.args[offset], others, call.words);
      return { taint: taints.network, ref: "Response()" };
    },
  };
}

/** A call that sends data on an open connection. */
export const sendsOnConnection: NameEffect = {
  acts: true,
  read({ effects, self, args, words }) {
    effects.send(self, args, words);
    return tainted(taints.network);
  },
};

/** Describes a call that connects a stream of the program with another one. */
export const connectsChannels: NameEffect = mayAct(({ effects, words }) => effects.tie(words));

export const forks: NameEffect = acts(({ effects, words }) => effects.fork(words));

/** Describes a call that executes a text as code. */
export function evaluates(offset = 0): NameEffect {
  return acts((call) => call.run(call.args[offset] ?? unknownValue));
}

export function reportsRule(rule: RuleId): NameEffect {
  return acts((call) => call.effects.find(rule, call.words));
}

export function runsQuery(offset = 0): NameEffect {
  return mayAct((call) => {
    const text = textOfValue(call.args[offset]);
    if (text !== undefined && isSql.test(text)) readSql(text, call.effects);
  });
}

const isSql =
  /^\s*(?:--|\/\*|select|with|insert|update|delete|drop|truncate|alter|create|grant|revoke|copy|load|exec|do|begin)\b/iu;

/** Computes a text if all arguments are known. */
export function computesText(compute: (texts: readonly string[]) => string | undefined, isHiding = false): NameEffect {
  return computes((call) => {
    const values = [...(textOfValue(call.self) === undefined ? [] : [call.self]), ...call.args];
    const texts = values.map(wholeText);
    if (texts.includes(undefined)) return undefined;
    const computed = compute(texts.map((text) => text ?? ""));
    const taint = taintedByArguments(call).taint | (isHiding ? taints.decoded : 0);
    return computed === undefined ? tainted(taint) : textValue(computed, taint);
  });
}

/** Describes a method that returns the value itself, such as `.strip()` or `.encode()`. */
export const returnsItself: NameEffect = computes(({ self, args }) => self ?? args[0]);

/** Returns whether a name is a module with known functions, or one of `others`. */
export function modulesOf(knownNames: () => KnownNames, others: readonly string[]): (name: string) => boolean {
  // Created on first use, because most commands contain no code.
  const modules = once(() => {
    const owners = Object.entries(knownNames()).flatMap(([name, { acts }]) => {
      const dot = name.lastIndexOf(".");
      return acts && dot > 0 && !name.startsWith("*") && name[dot - 1] !== ")" ? [name.slice(0, dot)] : [];
    });
    return new Set([...owners, ...others]);
  });
  return (name) => modules().has(name);
}
