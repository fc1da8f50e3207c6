import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";

import type { WordExpansion } from "./expansion.ts";
import { hole } from "./field.ts";
import { setVariable } from "./shell-state.ts";

type Parameter = Pick<ParameterExpansionPart, "parameter"> &
  Partial<Pick<ParameterExpansionPart, "prefix" | "index" | "operation">>;

/** Returns the words of `$@`, `${name[@]}` and similar lists. Undefined if it is not a list, or unknown. */
export function expandList(part: Parameter, expansion: WordExpansion): readonly string[] | undefined {
  if (part.prefix !== undefined) return undefined;
  const items = itemsOf(part, expansion);
  const { operation } = part;
  if (!items || !operation) return items;
  if (operation.type !== "Slice" || items.includes(hole)) return undefined;
  // `$0` comes before `$1`.
  const whole = part.parameter === "@" || part.parameter === "*" ? ["bash", ...items] : items;
  const [from, count] = [operation.offset, operation.length].map((word) => word && Number(expansion.inner(word)));
  if (from === undefined || !Number.isInteger(from)) return undefined;
  if (count !== undefined && !(Number.isInteger(count) && count >= 0)) return undefined;
  return whole.slice(from, count === undefined ? undefined : (from < 0 ? whole.length + from : from) + count);
}

export function isList({ parameter, index, prefix }: Parameter): boolean {
  const isKeys = prefix === "!" && index !== undefined;
  return (prefix === undefined || isKeys) && /^[@*]$/u.test(index?.text ?? parameter);
}

/** `"$*"` is one word, `"$@"` is several. */
export function isJoined({ parameter, index }: Parameter): boolean {
  return parameter === "*" || index?.text === "*";
}

function itemsOf({ parameter, index }: Parameter, { state }: WordExpansion): readonly string[] | undefined {
  if (parameter === "@" || parameter === "*") return state.positional;
  if (index?.text !== "@" && index?.text !== "*") return undefined;
  const { arrays, variables } = state;
  const value = variables.get(parameter);
  return arrays.get(parameter) ?? (value === undefined ? undefined : [value]);
}

/** Returns the value of `$name`, `${name}` and its operations. Unknown parts are marked as holes. */
export function expandParameter(part: Parameter, expansion: WordExpansion): string {
  const value = valueOf(part, expansion);
  if (part.prefix === "#") return lengthOf(itemsOf(part, expansion) ?? value);
  if (part.prefix === "!") return indirect(part, value, expansion);
  return part.operation ? operate(part.operation, part, value, expansion) : (value ?? hole);
}

function lengthOf(value: string | readonly string[] | undefined): string {
  return value === undefined || value.includes(hole) ? hole : String(value.length);
}

const isName = /^[A-Za-z_]\w*$/u;

/** Returns the value of a parameter. Undefined if unknown. */
export function valueOf({ parameter, index }: Parameter, { state, inner }: WordExpansion): string | undefined {
  const { variables, arrays, positional } = state;
  if (index && variables.has(`${parameter}[]`) && !/^[@*]$/u.test(index.text)) {
    const item = `${parameter}[${inner(index)}]`;
    if (variables.has(item)) return variables.get(item);
  }
  if (parameter === "@" || parameter === "*") return positional?.join(" ");
  if (parameter === "#") return positional && String(positional.length);
  if (/^\d+$/u.test(parameter)) {
    const position = Number(parameter);
    return position === 0 ? state.zero : positional && (positional[position - 1] ?? "");
  }
  const items = arrays.get(parameter);
  if (items) {
    const given = index?.text ?? "0";
    // A name as an array index stands for its numeric value.
    const position = isName.test(given) ? (variables.get(given) ?? "") : given;
    if (position === "@" || position === "*") return items.join(" ");
    return /^-?\d+$/u.test(position) && !items.includes(hole) ? (items.at(Number(position)) ?? "") : undefined;
  }
  if (index && !/^[0@*]$/u.test(index.text)) return undefined;
  if (parameter === "PWD" && !variables.has("PWD")) return state.cwd;
  if (parameter === "OLDPWD" && !variables.has("OLDPWD")) return state.lastCwd;
  return state.isBare && !variables.has(parameter) ? "" : variables.get(parameter);
}

function indirect(part: Parameter, value: string | undefined, expansion: WordExpansion): string {
  if (part.operation?.type === "Names" || value === undefined || !/^\w+$/u.test(value)) return hole;
  return expansion.state.variables.get(value) ?? hole;
}

function operate(
  operation: ParameterOperation,
  part: Parameter,
  value: string | undefined,
  expansion: WordExpansion,
): string {
  // Commands in an operand always run, whatever the value is.
  const word = (operand: Word | undefined) => (operand ? expansion.inner(operand) : "");
  switch (operation.type) {
    case "Default":
      return withDefault(operation.operator, part, () => word(operation.operand), expansion);
    case "Remove": {
      const pattern = word(operation.operand);
      return value === undefined ? hole : remove(value, operation.operator, pattern);
    }
    case "Replace": {
      const [pattern, replacement] = [word(operation.pattern), word(operation.replacement)];
      return value === undefined ? hole : replace(value, operation.operator, pattern, replacement);
    }
    case "Slice": {
      const [offset, length] = [word(operation.offset), operation.length && word(operation.length)];
      return value === undefined ? hole : slice(value, offset, length);
    }
    case "CaseModification":
      word(operation.operand);
      return value === undefined || operation.operand ? hole : changeCase(value, operation.operator);
    default:
      return hole;
  }
}

/** Returns the word of `${name:-word}` if the expansion results in that word. */
export function defaultWord(part: Parameter, expansion: WordExpansion): Word | undefined {
  const { operation } = part;
  return operation?.type === "Default" && takesDefault(operation.operator, part, expansion) === "word"
    ? operation.operand
    : undefined;
}

/** If the value is unknown, `${name:+word}` is either the word or nothing. */
export function mayExpandToNothing(part: Parameter, expansion: WordExpansion): boolean {
  return (
    part.operation?.type === "Default" &&
    part.operation.operator.endsWith("+") &&
    (valueOf(part, expansion) ?? hole) === hole
  );
}

/** The result of `${name:-word}` and similar forms: the value, the word, nothing, or unknown. */
function takesDefault(
  operator: string,
  part: Parameter,
  expansion: WordExpansion,
): "value" | "word" | "nothing" | "unknown" {
  const { parameter } = part;
  const { variables, arrays, removed } = expansion.state;
  const isThere = variables.has(parameter) || arrays.has(parameter) || !/^[A-Za-z_]/u.test(parameter);
  const isRemoved = removed.has(parameter) && variables.get(parameter) === "";
  const isSet = (isThere && !isRemoved) || /^(?:OLD)?PWD$/u.test(parameter);
  // A variable that the script has not set is most likely unset, so the empty expansion is also judged.
  const current = isSet ? valueOf(part, expansion) : "";
  if (current === undefined) return operator.endsWith("+") ? "word" : "unknown";
  const isEmpty = current === "" && (operator.startsWith(":") || !isSet || variables.get(parameter) === undefined);
  if (operator.endsWith("+")) return isEmpty ? "nothing" : "word";
  if (!isEmpty) return "value";
  // The script ends at this point if the variable is unset.
  return operator.endsWith("?") ? "unknown" : "word";
}

function withDefault(operator: string, part: Parameter, other: () => string, expansion: WordExpansion): string {
  const usesDefault = takesDefault(operator, part, expansion);
  if (usesDefault === "unknown" || usesDefault === "nothing") {
    other();
    return usesDefault === "nothing" ? "" : hole;
  }
  if (usesDefault === "value") return valueOf(part, expansion) ?? hole;
  const text = other();
  if (operator.endsWith("=")) setVariable(expansion.state, part.parameter, text);
  return text;
}

function remove(value: string, operator: string, pattern: string): string {
  if (value.includes(hole) || pattern.includes(hole)) return hole;
  if (value.length > 2_000) return hole;
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length);
  const isLongest = operator.length === 2;
  const isPrefix = operator.startsWith("#");
  for (const length of isLongest ? lengths.toReversed() : lengths) {
    const piece = isPrefix ? value.slice(0, length) : value.slice(value.length - length);
    if (fits(piece, pattern)) return isPrefix ? value.slice(length) : value.slice(0, value.length - length);
  }
  return value;
}

function replace(value: string, operator: string, pattern: string, replacement: string): string {
  if (value.includes(hole) || pattern.includes(hole)) return hole;
  if (/[*?[]/u.test(pattern) || value.length * replacement.length > 1_000_000) return hole;
  if (pattern === "") return value;
  if (operator === "/#") return value.startsWith(pattern) ? replacement + value.slice(pattern.length) : value;
  if (operator === "/%")
    return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) + replacement : value;
  return operator === "//" ? value.replaceAll(pattern, () => replacement) : value.replace(pattern, () => replacement);
}

function slice(value: string, offset: string, length: string | undefined): string {
  if (!/^\s*-?\d+\s*$/u.test(offset)) return hole;
  // The text before the first unknown part is known: `${PATH:0:1}`.
  const sure = value.indexOf(hole);
  const isSure = Number(offset) >= 0 && length !== undefined && Number(offset) + Number(length) <= sure;
  if (sure >= 0 && !(isSure && Number(length) >= 0)) return hole;
  const from = Number(offset) < 0 ? Math.max(0, value.length + Number(offset)) : Number(offset);
  if (length === undefined) return value.slice(from);
  if (!/^\s*-?\d+\s*$/u.test(length)) return hole;
  return Number(length) < 0 ? value.slice(from, Number(length)) : value.slice(from, from + Number(length));
}

function changeCase(value: string, operator: string): string {
  const change = (text: string) => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  if (operator.length === 1 && value.startsWith(hole)) return hole;
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

/** Matches the whole text against a pattern of `*` and `?`, without slow backtracking. */
function fits(text: string, pattern: string): boolean {
  let [position, star, mark] = [0, -1, 0];
  let index = 0;
  while (index < text.length) {
    if (pattern[position] === "*") {
      [star, mark] = [position, index];
      position += 1;
    } else if (position < pattern.length && (pattern[position] === "?" || pattern[position] === text[index])) {
      position += 1;
      index += 1;
    } else if (star >= 0) {
      position = star + 1;
      mark += 1;
      index = mark;
    } else return false;
  }
  while (pattern[position] === "*") position += 1;
  return position === pattern.length;
}
