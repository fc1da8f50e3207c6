import { words } from "../../../base/text/words.ts";
import { hole } from "../../command/shell/field.ts";
import type { CodeStart } from "../code-judgement.ts";
import { type CodeFunction } from "./dialect.ts";
import { type ScriptScope } from "./dialect.ts";
import type { Dialect } from "./dialect.ts";
import type { Effects } from "./effects.ts";
import { type Call, type NameEffect, taintedByArguments } from "./name-effects.ts";
import {
  unknownValue,
  possibleValues,
  refValue,
  tainted,
  taints,
  textOfValue,
  textValue,
  type CodeValue,
  wholeText,
} from "./value.ts";

export interface ScopeParts {
  readonly dialect: Dialect;
  readonly effects: Effects;
  readonly start: CodeStart;
  readonly depth: number;
  readonly budget: { left: number };
  /** Analyses a text as code of the same language, one level deeper. */
  run(code: string): void;
}

const maxRuns = 6;
const maxRef = 200;

export function createScope({ dialect, effects, start, depth, budget, run }: ScopeParts): ScriptScope {
  const variables = new Map<string, CodeValue>();
  const functions = new Map<string, CodeFunction & { runs: number }>();
  const spreads: string[] = [];
  const calling = new Set<string>();
  const programArgs = start.args ?? [];
  const names = new Map<string, string>();

  function canonical(ref: string): string {
    const match = names.get(ref);
    if (match !== undefined) return match;
    const result = dialect.canonical(ref);
    names.set(ref, result);
    return result;
  }

  for (const [name, value] of start.variables ?? []) variables.set(name, textValue(value));

  function knownAs(ref: string): NameEffect | undefined {
    const name = canonical(ref);
    const own = entry(dialect, name);
    if (own) return own;
    for (const module of name.includes(".") ? [] : spreads) {
      const match = entry(dialect, canonical(`${module}.${name}`));
      if (match) return match;
    }
    const dot = name.lastIndexOf(".");
    if (dot <= 0) return undefined;
    // Handles a module inside another one: `shutil.os.system`.
    const before = name.lastIndexOf(".", dot - 1);
    const held = before > 0 ? entry(dialect, name.slice(before + 1)) : undefined;
    return (held?.acts ? held : undefined) ?? entry(dialect, `*${name.slice(dot)}`);
  }

  function isModule({ ref }: CodeValue): boolean {
    return ref !== undefined && dialect.isModule(canonical(ref));
  }

  function lookup(name: string): CodeValue {
    const bound = variables.get(name);
    if (bound) return bound;
    const ref = canonical(name);
    return { ref, taint: dialect.environments.has(ref) ? taints.environment : 0 };
  }

  /** Handles access to a single environment variable. */
  function variable(name: string): CodeValue {
    if (name === "HOME" || name === "USERPROFILE") return textValue(`/home/${hole}`);
    return name === "PWD" ? textValue(".") : tainted(taints.variable);
  }

  function member(value: CodeValue, name: string): CodeValue {
    const field = value.fields?.get(name);
    if (field) return field;
    if (value.either) return { either: value.either.map((each) => member(each, name)), taint: value.taint };
    const owner = value.ref === undefined || value.ref.length > maxRef ? "*" : value.ref;
    const ref = canonical(`${owner}.${name}`);
    const bound = variables.get(ref);
    if (bound) return bound;
    if (value.ref !== undefined && dialect.environments.has(value.ref) && !entry(dialect, ref)) return variable(name);
    const taint =
      (reflecting.has(name) ? taints.reflected : 0) |
      (dialect.environments.has(ref) ? taints.environment : value.taint);
    return { ref, self: value, taint };
  }

  function index(value: CodeValue, key: CodeValue): CodeValue {
    const name = wholeText(key);
    if (value.ref !== undefined && dialect.environments.has(value.ref))
      return name === undefined ? tainted(taints.variable) : variable(name);
    if (value.ref?.startsWith("arguments+") && key.number !== undefined) {
      const offset = key.number - Number(value.ref.slice("arguments+".length));
      return offset >= 0 && offset < programArgs.length
        ? textValue(programArgs[offset] ?? "", taints.decoded)
        : textValue(hole);
    }
    if (value.items && key.number !== undefined) {
      const item = value.items.at(key.number);
      if (item) return item;
    }
    if (value.items && value.items.length > 0 && value.items.length < 20)
      return { either: value.items.flatMap(possibleValues), taint: value.taint };
    if (value.text !== undefined && key.number !== undefined)
      return textValue(Array.from(value.text).at(key.number) ?? "", value.taint);
    if (name !== undefined) return member(value, name);
    return tainted(value.taint | (isModule(value) ? taints.reflected : 0));
  }

  function call(
    fn: CodeValue,
    args: readonly CodeValue[],
    named: ReadonlyMap<string, CodeValue>,
    words: string,
  ): CodeValue {
    if (fn.either) return fn.either.map((each) => call(each, args, named, words)).at(-1) ?? unknownValue;
    if ((fn.taint & taints.reflected) !== 0) {
      effects.find("unreadable_code", words);
      return unknownValue;
    }
    const ref = fn.ref ?? (dialect.callsTexts ? wholeText(fn) : undefined);
    if (ref === undefined) {
      if (dialect.callsTexts && textOfValue(fn)?.includes(hole)) effects.find("unreadable_code", words);
      return taintedByArguments({ args, named, self: fn });
    }
    const defined = functions.get(ref);
    if (defined && !calling.has(ref) && defined.runs < maxRuns && budget.left > 0) {
      defined.runs += 1;
      calling.add(ref);
      const given = defined.run(args, named);
      calling.delete(ref);
      return given;
    }
    const indirect = /^(.+)\.(call|apply|bind|__call__)$/u.exec(ref);
    if (indirect?.[1] !== undefined && knownAs(indirect[1])) {
      const given =
        indirect[2] === "apply" ? (args[1]?.items ?? []) : dialect.language === "javascript" ? args.slice(1) : args;
      return call(refValue(indirect[1]), given, named, words);
    }
    const match = knownAs(ref);
    const { self } = fn;
    if (!defined && !match?.acts && !innocent.has(ref)) handOver(args, words);
    if (defined || !match) {
      // Handles a call of a variable that has no known value.
      if (dialect.callsTexts && /^\$\w+$/u.test(ref) && !match) effects.find("unreadable_code", words);
      const given = taintedByArguments({ args, named, self });
      // The result was derived from a whole module.
      return args.some(isModule) && !innocent.has(ref) ? tainted(given.taint | taints.reflected) : given;
    }
    const several = match.acts ? undefined : args.find(({ either }) => either !== undefined);
    if (several?.either && args.length <= 2) {
      const result = several.either.map((each) =>
        call(
          fn,
          args.map((arg) => (arg === several ? each : arg)),
          named,
          words,
        ),
      );
      return { either: result, taint: result.reduce((all, { taint }) => all | taint, 0) };
    }
    const result: Call = {
      args,
      named,
      self,
      words,
      effects,
      programArgs,
      run: (code) => evaluate(code, words),
      call: (name, given) => call(refValue(name), given, new Map(), words),
    };
    return match.read(result);
  }

  /** Analyses functions that are passed as arguments, because they will be called. */
  function handOver(args: readonly CodeValue[], words: string): void {
    for (const arg of args) {
      if ((arg.taint & taints.reflected) !== 0) effects.find("unreadable_code", words);
      else if (isModule(arg) && merging.test(words)) effects.find("unreadable_code", words);
      else if (arg.ref !== undefined && arg.self === undefined && knownAs(arg.ref)?.acts)
        call(arg, [], new Map(), words);
    }
  }

  /** Analyses code that the program builds at run time. */
  function evaluate(code: CodeValue, words: string): void {
    for (const each of possibleValues(code)) {
      const text = wholeText(each);
      if ((each.taint & taints.network) !== 0) effects.find("remote_code", words);
      else if (text === undefined) effects.find("unreadable_code", words);
      if ((each.taint & taints.decoded) !== 0) effects.find("hidden_code", words);
      if (text !== undefined) run(text);
    }
  }

  return {
    dialect,
    effects,
    depth,
    budget,
    lookup,
    bind: (name, value) => {
      variables.set(name, value);
    },
    isDefined: (name) => functions.has(name),
    isBound: (name) => variables.has(name) || functions.has(name),
    spread: (module) => {
      spreads.push(module);
    },
    member,
    index,
    call,
    mention(value, words, args) {
      for (const each of possibleValues(value)) {
        if (each.ref === undefined || functions.has(each.ref)) continue;
        const match = knownAs(each.ref);
        if (match?.acts) call(each, args, new Map(), words);
      }
    },
    define: (name, defined) => {
      variables.delete(name);
      functions.set(name, { ...defined, runs: 0 });
    },
    finish() {
      for (const defined of functions.values()) {
        if (defined.runs === 0) {
          defined.runs += 1;
          defined.run([], new Map());
        }
      }
    },
  };
}

function entry(dialect: Dialect, name: string): NameEffect | undefined {
  const knownNames = dialect.known();
  return Object.hasOwn(knownNames, name) ? knownNames[name] : undefined;
}

/** Attributes that give access to the internals of the language from any value. */
const reflecting: ReadonlySet<string> = new Set(
  words(`
  __subclasses__ __globals__ __getattribute__ __code__ __closure__ __reduce__ __loader__ f_globals f_locals
  f_builtins gi_frame
`),
);

/** Calls that copy the members of one object into another. */
const merging = /^(?:Object\.(?:assign|defineProperties)|\S*\.update|\S*\.extend|setattr)\b/u;

/** Functions that only print their arguments. */
const innocent: ReadonlySet<string> = new Set(
  words(`
  print repr str len type callable hasattr isinstance inspect.signature inspect.getsource inspect.getdoc dir help
  console.log console.dir Object.keys typeof
`),
);
