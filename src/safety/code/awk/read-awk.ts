import { once } from "../../../base/async/once.ts";
import { hole } from "../../command/shell/field.ts";
import type { CodeStart } from "../code-judgement.ts";
import type { Effects } from "../reading/effects.ts";
import { lex } from "../reading/lex.ts";
import { formatPercent } from "../reading/operators.ts";
import { quoteEnd, unescapeText } from "../reading/quoted.ts";
import { marksOf, type Lexing, type Spelling, type Token } from "../reading/token.ts";
import { unknownValue, joinTexts, textValue, type CodeValue } from "../reading/value.ts";

const spelling: Spelling = {
  lineComments: ["#"],
  blockComments: [],
  marks: marksOf("**= |& && || == != <= >= += -= *= /= %= ^= ++ -- >> ** !~"),
  hasLines: true,
  isLoose: true,
  name: once(() => /[A-Za-z_]\w*(?:::\w+)?/uy),
  read(lexing) {
    const { source, at: index } = lexing;
    if (source[index] === "\\" && source[index + 1] === "\n") return { end: index + 2 };
    if (source[index] === '"') {
      const end = quoteEnd(source, index + 1, '"');
      if (end < 0) return { end: source.length, fault: "a text has no end", token: { kind: "text", text: "" } };
      return { end, token: { kind: "text", text: unescapeText(source.slice(index + 1, end - 1)) } };
    }
    if (source[index] !== "/" || !startsPattern(lexing)) return undefined;
    const end = quoteEnd(source, index + 1, "/");
    return { end: end < 0 ? source.length : end, token: { kind: "pattern", text: "" } };
  },
};

function startsPattern({ previous }: Lexing): boolean {
  if (previous === undefined || previous.kind === "line") return true;
  if (previous.kind === "mark") return previous.text !== ")" && previous.text !== "]" && previous.text !== "$";
  return previous.kind === "name" && statements.has(previous.text);
}

const statements: ReadonlySet<string> = new Set(
  "if else while for do break continue next nextfile exit return delete in print printf getline function func BEGIN END BEGINFILE ENDFILE switch case".split(
    " ",
  ),
);

/** Reports the commands that an awk program runs and the files that it reads and writes. Input fields are unknown. */
export function readAwk(source: string, { variables }: CodeStart, effects: Effects): void {
  const { tokens, fault } = lex(source, spelling);
  const variableValues = new Map<string, CodeValue>(
    [...(variables ?? [])].map(([name, value]) => [name, textValue(value)]),
  );
  if (fault !== undefined) effects.find("unreadable_code", source);
  let index = 0;
  let last: CodeValue = unknownValue;
  /** The bracket depth at which the open `print` statement started, if any. */
  let printing = -1;
  let depth = 0;
  const mark = (offset = 0) => (tokens[index + offset]?.kind === "mark" ? tokens[index + offset]?.text : undefined);
  const words = (from: number) => source.slice(tokens[from]?.start ?? 0, tokens[Math.max(from, index - 1)]?.end);

  /** Adjacent values are concatenated. */
  function joined(): CodeValue {
    const parts: CodeValue[] = [];
    for (let part = operand(); part !== undefined; part = operand()) parts.push(part);
    return parts.length === 1 ? (parts[0] ?? unknownValue) : joinTexts(parts);
  }

  function operand(): CodeValue | undefined {
    const token = tokens[index];
    if (token === undefined) return undefined;
    if (token.kind === "text" || token.kind === "number") {
      index += 1;
      return textValue(token.text);
    }
    if (token.kind === "mark" && token.text === "$") {
      index += 1;
      operand();
      return textValue(hole);
    }
    if (token.kind === "mark" && token.text === "(") {
      const values = group();
      return values.length === 1 ? values[0] : textValue(hole);
    }
    if (token.kind !== "name" || statements.has(token.text)) return undefined;
    index += 1;
    if (mark() === "(") return call(token);
    if (mark() === "[") {
      group();
      return textValue(hole);
    }
    return variableValues.get(token.text) ?? textValue(hole);
  }

  /** Returns the values between brackets, separated by commas. */
  function group(): readonly CodeValue[] {
    const values: CodeValue[] = [];
    depth += 1;
    index += 1;
    let isPlain = true;
    while (index < tokens.length && mark() !== ")" && mark() !== "]" && mark() !== "}") {
      if (mark() === ",") {
        index += 1;
        isPlain = true;
        continue;
      }
      const from = index;
      if (depth > 100) index += 1;
      else step();
      // More than one token between two commas means that the value is computed.
      if (isPlain) values.push(last);
      else values[values.length - 1] = textValue(hole);
      isPlain = false;
      if (index === from) index += 1;
    }
    index += 1;
    depth -= 1;
    return values;
  }

  function call(name: Token): CodeValue {
    const from = index - 1;
    const args = group();
    if (name.text === "system") effects.carry(args[0] ?? textValue(hole), words(from));
    if (name.text === "sprintf" && args[0]?.text !== undefined) return formatPercent(args[0].text, args.slice(1), 0);
    return name.text === "tolower" ? textValue((args[0]?.text ?? hole).toLowerCase()) : textValue(hole);
  }

  /** Handles `value | getline` and `print … | "command"`. */
  function piped(): void {
    const from = index;
    index += 1;
    if (tokens[index]?.text === "getline") {
      index += 1;
      effects.carry(last.text === undefined ? textValue(hole) : last, words(Math.max(0, from - 1)));
    } else {
      // The command receives the printed text on its input.
      const command = joined();
      effects.carry(textValue(`cat | ${command.text ?? hole}`), words(from));
    }
  }

  function step(): void {
    const from = index;
    const token = tokens[index];
    const isName = token?.kind === "name";
    if (token?.kind === "line" || (token?.kind === "mark" && /^[;{}]$/u.test(token.text))) printing = -1;
    if (isUnknown(tokens, index)) effects.find("unknown_code", source);
    if (isName && (token.text === "print" || token.text === "printf")) printing = depth;
    if (mark() === "@") effects.find("unreadable_code", `@${tokens[index + 1]?.text ?? ""}`);
    if (isName && token.text === "getline") {
      index += 1;
      if (tokens[index]?.kind === "name") index += 1;
      if (mark() !== "<") return;
      index += 1;
      effects.path("read", joined());
    } else if ((mark() === ">" || mark() === ">>") && printing === depth) {
      const how = mark() === ">" ? "write" : "append";
      index += 1;
      effects.path(how, joined());
    } else if (mark() === "|" || mark() === "|&") piped();
    else if (isName && mark(1) === "=") {
      index += 2;
      last = joined();
      variableValues.set(token.text, last);
    } else {
      last = joined();
      if (index === from) index += 1;
    }
  }

  while (index < tokens.length) step();
}

/** An unknown part at the start of a rule or statement can be any code. */
function isUnknown(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token?.kind !== "name" || token.text !== hole) return false;
  const before = tokens[index - 1];
  const isStart =
    before === undefined || before.kind === "line" || (before.kind === "mark" && /^[;{}]$/u.test(before.text));
  const next = tokens[index + 1];
  const isCompared = next?.kind === "mark" && /^(?:[<>=!~]=?|[-+*/%^,]|&&|\|\|)$/u.test(next.text);
  return isStart && !isCompared;
}
