import type { ParameterExpansionPart, SyntaxNode, Word, WordPart } from "unbash";

import { words } from "../../../base/text/words.ts";
import { eachNode } from "./each-node.ts";
import type { WordExpansion } from "./expansion.ts";
import { type Field, hole, displayText } from "./field.ts";
import { setArray, setVariable, type ScriptState } from "./shell-state.ts";

/**
 * Evaluates arithmetic as bash does: a name stands for its value, which bash evaluates again, and bash expands
 * subscripts, so that commands in them run. `text` is already expanded; unknown parts are reported as parts that cannot
 * be judged.
 */
export function evaluateText(text: string, scope: WordExpansion, seen: readonly string[] = []): void {
  const plain = text.replaceAll(/([A-Za-z_]\w*)\[[^$`]*?\]/gu, (all, name: string) =>
    scope.state.kinds.get(name) === "keys" ? name : all,
  );
  if (plain.includes(hole)) return scope.doubt(displayText({ text } as Field));
  const expanded = /[$`]/u.test(plain) ? scope.again(plain) : plain;
  if (expanded.includes(hole)) return scope.doubt(plain);
  for (const { 0: name, index } of expanded.matchAll(/(?<![\w#])[A-Za-z_]\w*/gu)) {
    if (seen.includes(name) || seen.length > maxChain || isReplaced.test(expanded.slice(index + name.length))) continue;
    for (const value of valuesOf(name, scope.state)) {
      if (value === undefined) scope.doubt(name);
      else if (!/^[-+\d\s]*$/u.test(value)) evaluateText(value, scope, [...seen, name]);
    }
  }
  for (const [, target = ""] of expanded.matchAll(assigned)) setVariable(scope.state, target, undefined, true);
}

/** Before a plain `=` bash does not read the old value of the name. It does for `+=` and `++`. */
const isReplaced = /^\s*=(?!=)/u;

const assigned = /(?<![\w[])([A-Za-z_]\w*)\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)/gu;

const maxChain = 12;

/** Returns undefined if the script sets the variable to a value that may not be a number. */
function valuesOf(name: string, state: ScriptState): readonly (string | undefined)[] {
  const { variables, arrays } = state;
  if (isNumberName(name, state)) return [];
  const items = arrays.get(name) ?? (variables.has(name) ? [variables.get(name) ?? hole] : []);
  return items.slice(0, maxItems).map((item) => (item.includes(hole) ? undefined : item));
}

const maxItems = 100;

/** Returns whether the variable is harmless in arithmetic: it is a number, or this script never sets it. */
function isNumberName(name: string, { variables, arrays, kinds, positional }: ScriptState): boolean {
  if (numberNames.has(name)) return true;
  if (/^\d+$/u.test(name)) return name === "0" || positional?.[Number(name) - 1]?.includes(hole) === false;
  if (/^[@*]$/u.test(name)) return false;
  const kind = kinds.get(name);
  return kind === "number" || kind === "integer" || (!variables.has(name) && !arrays.has(name));
}

const numberNames: ReadonlySet<string> = new Set(
  words(`
    # ? $ ! RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS UID EUID PPID BASHPID SHLVL COLUMNS LINES OPTIND HISTCMD
    BASH_SUBSHELL BASH_LINENO BASH_VERSINFO PIPESTATUS
  `),
);

/** Evaluates `$((…))`, `((…))`, `for ((…))` and tests, and walks the commands inside them. */
export function evaluateTree(tree: SyntaxNode, scope: WordExpansion): void {
  eachNode(tree, (child) => isOpen(child, scope));
}

/** Evaluates a node. Returns true if its children are still to be evaluated. */
function isOpen(node: SyntaxNode, scope: WordExpansion): boolean {
  switch (node.type) {
    case "Word":
      scope.inner(node);
      return false;
    case "CommandExpansion":
    case "ArithmeticCommandExpansion":
      evaluateOutput(scope.output(node.script), node, scope);
      return false;
    case "ArithmeticWord":
      evaluateText(arithmeticText(node.value, node.parts, scope), scope);
      return false;
    case "ArithmeticUnary":
      if (!/^(?:\+\+|--)$/u.test(node.operator)) return true;
      evaluateNode(node.operand, scope);
      evaluateAssigned(node.operand, scope);
      return false;
    case "ArithmeticBinary": {
      if (!/^(?:[^=!<>]?|<<|>>)=$/u.test(node.operator)) return true;
      const { left, right, operator } = node;
      evaluateNode(right, scope);
      // The assignment `x = 1` does not read x.
      if (operator !== "=" || left.type !== "ArithmeticWord" || left.value.includes("[")) evaluateNode(left, scope);
      evaluateAssigned(left, scope);
      return false;
    }
    case "TestUnary":
      if (node.operator !== "-v" && node.operator !== "-R") return true;
      evaluateName(evaluatedText(node.operand, scope), scope);
      return false;
    case "TestBinary":
      if (!/^-(?:eq|ne|lt|le|gt|ge)$/u.test(node.operator)) return true;
      for (const word of [node.left, node.right]) evaluateText(evaluatedText(word, scope), scope);
      return false;
    default:
      return node.type !== "CompoundList";
  }
}

function evaluateNode(node: SyntaxNode, scope: WordExpansion): void {
  if (isOpen(node, scope)) evaluateTree(node, scope);
}

/** Marks a variable that arithmetic assigns as an unknown number. */
function evaluateAssigned(target: SyntaxNode, { state }: WordExpansion): void {
  const name = target.type === "ArithmeticWord" ? /^[A-Za-z_]\w*/u.exec(target.value)?.[0] : undefined;
  if (name === undefined || target.type !== "ArithmeticWord") return;
  if (target.value === name) setVariable(state, name, undefined, true);
  else if (state.arrays.has(name) && state.kinds.get(name) !== "keys") setArray(state, name, [hole]);
}

/** The output of a command is evaluated like a value. */
function evaluateOutput(
  text: string | undefined,
  child: { readonly script: Script; readonly text: string },
  scope: WordExpansion,
): void {
  if (text !== undefined) evaluateText(text, scope);
  else if (!printsNumber(child.script)) scope.doubt(child.text);
}

function arithmeticText(value: string, parts: readonly WordPart[] | undefined, scope: WordExpansion): string {
  if (parts) return partsText(parts, scope);
  const [, name] = /^"?\$(\w+|[#?$!@*-])"?$/u.exec(value) ?? [];
  if (name !== undefined) return partsText([{ type: "SimpleExpansion", pos: 0, end: 0, text: `$${name}` }], scope);
  return value;
}

/** Returns the text of a word that bash evaluates. Harmless unknown parts become 0. */
export function evaluatedText(word: Word, scope: WordExpansion): string {
  return word.parts ? partsText(word.parts, scope) : word.value;
}

function partsText(parts: readonly WordPart[], scope: WordExpansion): string {
  return parts
    .map((part) => {
      if (part.type === "DoubleQuoted") return partsText(part.parts, scope);
      if (part.type === "Glob" && "parts" in part && part.parts) return `[${partsText(part.parts, scope)}]`;
      const { pos, end, text } = part;
      const expanded = scope.inner({ type: "Word", pos, end, text, value: text, parts: [part] });
      return expanded.includes(hole) && isNumberPart(part, scope.state) ? "0" : expanded;
    })
    .join("");
}

/** Returns whether the value is a number, known or unknown. */
export function isNumberWord({ parts, value }: Word, state: ScriptState): boolean {
  return parts ? parts.every((part) => isNumberPart(part, state)) : /^[-+]?\d*$/u.test(value);
}

function isNumberPart(part: WordPart, state: ScriptState): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return /^[-+\d\s]*$/u.test(part.value);
    case "DoubleQuoted":
      return part.parts.every((inner) => isNumberPart(inner, state));
    case "ArithmeticExpansion":
      return true;
    case "SimpleExpansion":
      return isNumberName(part.text.slice(1), state);
    case "CommandExpansion":
      return printsNumber(part.script);
    case "ParameterExpansion": {
      const { prefix, operation, parameter, index } = part;
      if (prefix === "#") return true;
      if (prefix === "!") return isList(index) && state.kinds.get(parameter) !== "keys";
      if (operation?.type === "Default" && operation.operand && !isNumberWord(operation.operand, state)) return false;
      return isNumberName(parameter, state);
    }
    default:
      return false;
  }
}

function isList(index: Word | undefined): boolean {
  return index?.text === "@" || index?.text === "*";
}

type Script = Extract<WordPart, { readonly type: "CommandExpansion" }>["script"];

/** Returns whether the last program of a substitution prints only numbers. */
function printsNumber(script: Script): boolean {
  const last = script?.commands.at(-1)?.command;
  const command = last?.type === "Pipeline" ? last.commands.at(-1) : last;
  if (command?.type !== "Command") return false;
  const text = command.args.map((each) => each.text).join(" ");
  return numberPrinters.get(command.name?.value ?? "")?.test(text) ?? false;
}

const numberPrinters: ReadonlyMap<string, RegExp> = new Map([
  ["wc", /^/u],
  ["nproc", /^/u],
  ["expr", /^/u],
  ["seq", /^/u],
  ["bc", /^/u],
  ["pgrep", /^/u],
  ["pidof", /^/u],
  ["grep", /(?:^| )-\w*c|--count/u],
  ["rg", /(?:^| )-\w*c|--count/u],
  ["date", /\+["']?(?:%-?[sYmdHMSjNuwVUey]|\d)+["']?$/u],
  ["stat", /(?:-c|-f|--format=?|--printf=?) ?["']?%[sYXZWahuigbBOz]["']?(?: |$)/u],
  ["id", /^-[ug]$/u],
  ["tput", /^(?:cols|lines|colors)$/u],
  ["tr", /^-(?:cd|dc|d -c|c -d) ["']?(?:0-9|\[:digit:\])["']?$/u],
  ["curl", /%\{(?:http|response)_code\}/u],
  ["git", /\brev-list\b.*--count/u],
  ["jq", /^(?:-r )?["']?(?:[\w.[\]]+ ?\| ?)?length["']?(?: |$)/u],
  ["docker", /ps .*-q.*wc/u],
]);

/** Evaluates the subscript of a name that `read`, `unset`, `printf -v` or `{name}> file` sets. */
export function evaluateName(text: string, scope: WordExpansion): void {
  const [, name = "", subscript] = /^([^[=]*)(?:\[([^]*)\])?/u.exec(text) ?? [];
  if (name.includes(hole)) scope.doubt(displayText({ text } as Field));
  else if (subscript !== undefined && !/^[@*]$/u.test(subscript)) evaluateText(`${name}[${subscript}]`, scope);
}

/**
 * Evaluates the parts of `${…}` that bash evaluates: a subscript, the offsets of a slice, the name in `${!x}`, the text
 * of `${x@P}`.
 */
export function evaluateParameter(
  { parameter, index, operation, prefix }: Pick<ParameterExpansionPart, "parameter"> & Partial<ParameterExpansionPart>,
  value: () => string | undefined,
  scope: WordExpansion,
): void {
  const { state } = scope;
  if (index && !isList(index)) {
    const text = evaluatedText(index, scope);
    if (state.kinds.get(parameter) !== "keys") evaluateText(text, scope);
  }
  if (operation?.type === "Slice")
    for (const word of [operation.offset, operation.length]) if (word) evaluateText(evaluatedText(word, scope), scope);
  const isPrompt = operation?.type === "Transform" && operation.operand?.value === "P";
  const isName = prefix === "!" && operation?.type !== "Names" && !isList(index);
  if (!isPrompt && !isName) return;
  const text = value();
  if (text === undefined || text.includes(hole)) {
    if (!isNumberName(parameter, state)) scope.doubt(parameter);
  } else if (isName) evaluateName(text, scope);
  if (isPrompt) {
    const shownText = isName ? state.variables.get(text ?? "") : text;
    if (shownText !== undefined && /[$`\\]/u.test(shownText)) scope.again(promptText(shownText));
  }
}

/** In a prompt string, a letter after a backslash stands for time, folder, user and so on. */
function promptText(text: string): string {
  return text.replaceAll(/\\(?:([\\$])|([0-7]{3})|[[\]]|[a-zA-Z@!#])/gu, (all, char?: string, octal?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (all === "\\n" || all === "\\r") return "\n";
    return char === undefined ? hole : char === "$" ? "$" : `\\${char}`;
  });
}

export function isEvaluating(name: string): boolean {
  return evaluatingBuiltins.has(name);
}

const evaluatingBuiltins: ReadonlySet<string> = new Set(
  words("let test [ printf wait read mapfile readarray unset getopts declare typeset local readonly"),
);

/** Handles builtins that evaluate their arguments: `let`, `declare -i`, `read 'a[…]'`, `test -v`. */
export function evaluateArguments(name: string, argv: readonly Field[], scope: WordExpansion): void {
  const args = argv.slice(1);
  switch (name) {
    case "let":
      for (const { text } of args) evaluateText(text, scope);
      return;
    case "test":
    case "[":
      return args.forEach(({ text }, index) => {
        if (args[index - 1]?.text === "-v") evaluateName(text, scope);
      });
    case "printf":
    case "wait":
      return args.forEach(({ text }, index) => {
        const option = args[index - 1]?.text;
        if (option === (name === "wait" ? "-p" : "-v")) evaluateTarget(text, scope);
      });
    case "read":
    case "mapfile":
    case "readarray":
    case "unset":
    case "getopts":
      for (const { text } of operandsOf(name, args)) evaluateTarget(text, scope);
      return;
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      return evaluateDeclared(args, scope);
  }
}

/** An integer variable evaluates the value that is assigned to it, which is unknown here. */
function evaluateTarget(text: string, scope: WordExpansion): void {
  if (scope.state.kinds.get(text) === "integer") scope.doubt(text);
  else evaluateName(text, scope);
}

function operandsOf(name: string, args: readonly Field[]): readonly Field[] {
  if (name === "getopts") return args.slice(1, 2);
  const takesValue = name === "read" ? /^-[a-z]*[dinNptu]$/u : name === "unset" ? /(?!)/u : /^-[a-z]*[dnOsuCc]$/u;
  return args.filter(({ text }, index) => !/^-./u.test(text) && !takesValue.test(args[index - 1]?.text ?? ""));
}

function evaluateDeclared(args: readonly Field[], scope: WordExpansion): void {
  const flags = args.flatMap(({ text }) => (/^-[A-Za-z]/u.test(text) ? [text.slice(1)] : [])).join("");
  for (const { text } of args) {
    const [, name = "", value] = /^([A-Za-z_\u{10FFFD}][^=]*?)\+?(?:=([^]*))?$/u.exec(text) ?? [];
    if (name === "" || (value === undefined && !name.includes("["))) continue;
    if (/\[|\u{10FFFD}/u.test(name)) evaluateName(name, scope);
    if (value === undefined) continue;
    if (flags.includes("i") || scope.state.kinds.get(name) === "integer") evaluateText(value, scope);
    else if (flags.includes("n")) evaluateName(value, scope);
    // A value in parentheses is a list, and bash expands its words.
    else if (/[aA]/u.test(flags) && value.startsWith("(")) scope.again(value);
  }
}
