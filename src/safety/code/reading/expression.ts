import { hole } from "../../command/shell/field.ts";
import { readFunction } from "./blocks.ts";
import type { Reader } from "./dialect.ts";
import { readBraces } from "./groups.ts";
import { textOfToken, readTextPiece } from "./inner-code.ts";
import { combine, isBinaryWord, maxDepth } from "./operators.ts";
import { readPostfix } from "./postfix.ts";
import type { Token } from "./token.ts";
import { unknownValue, joinTexts, listValue, numberValue, type CodeValue } from "./value.ts";

/** Parses operands and operators. Ignores precedence, because only the combination of values matters. */
export function readExpression(reader: Reader): CodeValue {
  const { scope, lexed } = reader;
  if (reader.depth > maxDepth || scope.budget.left < 0) {
    scope.effects.find("too_much", lexed.source.slice(0, 60));
    reader.at = reader.end;
    return unknownValue;
  }
  reader.depth += 1;
  let value = readOperand(reader);
  for (let token = reader.peek(); token !== undefined; token = reader.peek()) {
    if (token.kind === "mark" && token.text === "?") {
      reader.at += 1;
      const yes = readExpression(reader);
      if (reader.isMark(":")) reader.at += 1;
      const no = readExpression(reader);
      value = { either: [yes, no], taint: yes.taint | no.taint };
      continue;
    }
    const sign = operatorOf(token, reader);
    if (sign === undefined) break;
    reader.at += 1;
    const right = sign === "else" || sign === "or" ? readExpression(reader) : readOperand(reader);
    value = combine(sign, value, right, scope.dialect.joining);
  }
  reader.depth -= 1;
  return value;
}

function operatorOf({ kind, text }: Token, { scope: { dialect } }: Reader): string | undefined {
  if (kind === "mark") return binaryMarks.has(text) || dialect.joining.has(text) ? text : undefined;
  return kind === "name" && isBinaryWord(text, dialect.language) ? text : undefined;
}

function readOperand(reader: Reader): CodeValue {
  const { scope } = reader;
  const start = reader.at;
  const token = reader.peek();
  scope.budget.left -= 1;
  if (token === undefined) return unknownValue;
  if (isUnary(token, reader)) {
    if (reader.depth > maxDepth) return unknownValue;
    reader.at += 1;
    reader.depth += 1;
    const value = readOperand(reader);
    reader.depth -= 1;
    return token.text === "-" && value.number !== undefined ? numberValue(-value.number) : value;
  }
  const first = readPrimary(reader, token);
  if (first === undefined) return unknownValue;
  const { value, wasCalled } = readPostfix(reader, first, start);
  const isNamed = !wasCalled && value.ref !== undefined;
  if (isNamed && !reader.isMark("=") && !reader.isMark("=>") && !reader.isMark(":"))
    scope.mention(value, reader.wordsFrom(start), reader.receiver ? [reader.receiver] : []);
  return readAssignment(reader, start, value);
}

function isUnary({ kind, text }: Token, reader: Reader): boolean {
  if (kind === "mark") return unaryMarks.has(text);
  if (kind !== "name" || !unaryWords.has(text) || reader.peek(1)?.kind === "line") return false;
  const { language } = reader.scope.dialect;
  return (text !== "new" && text !== "delete") || language === "javascript";
}

/** Handles `name = …`, even inside an expression. */
function readAssignment(reader: Reader, start: number, value: CodeValue): CodeValue {
  const { scope } = reader;
  const sign = reader.peek();
  if (sign?.kind !== "mark" || !assigning.has(sign.text)) return value;
  const name = reader.lexed.tokens[start];
  const isPlain = reader.at === start + 1 && name?.kind === "name";
  reader.at += 1;
  const right = readExpression(reader);
  const isAdded = sign.text === "+=" || sign.text === ".=" || sign.text === "..=";
  const given = isAdded ? combine("+", value, right, plus) : right;
  if (isPlain && given === unknownValue && scope.isDefined(name.text)) return given;
  if (isPlain) scope.bind(name.text, given);
  else if (value.ref !== undefined) scope.bind(scope.dialect.canonical(value.ref), given);
  return given;
}

function readPrimary(reader: Reader, token: Token): CodeValue | undefined {
  const { scope, lexed } = reader;
  const words = lexed.source.slice(token.start, token.end);
  switch (token.kind) {
    case "text": {
      const parts = [textOfToken(reader, token)];
      reader.at += 1;
      for (let next = reader.peek(); scope.dialect.joinsNeighbours && next?.kind === "text"; next = reader.peek()) {
        parts.push(textOfToken(reader, next));
        reader.at += 1;
      }
      return parts.length === 1 ? parts[0] : joinTexts(parts);
    }
    case "number":
      reader.at += 1;
      return numberValue(Number(/^0[0-7]+$/u.test(token.text) ? `0o${token.text}` : token.text));
    case "shell":
      reader.at += 1;
      scope.effects.find("inline_code", words);
      scope.effects.shell(textOfToken(reader, token), words);
      return unknownValue;
    case "pattern":
      reader.at += 1;
      for (const part of token.replacement ?? []) readTextPiece(reader, part);
      if (token.flags?.includes("ee")) scope.effects.find("unreadable_code", words);
      return unknownValue;
    case "name":
      return readName(reader, token);
    case "mark":
      return readBracketed(reader, token);
    case "line":
      return undefined;
  }
}

function readName(reader: Reader, token: Token): CodeValue | undefined {
  const { scope, lexed } = reader;
  if (token.text === hole) {
    scope.effects.find("unknown_code", lexed.source.slice(Math.max(0, token.start - 20), token.end + 20));
    reader.at += 1;
    return unknownValue;
  }
  if (readFunction(reader) || scope.dialect.statement?.(reader)) return unknownValue;
  if (scope.dialect.keywords.has(token.text)) return undefined;
  reader.at += 1;
  return scope.lookup(token.text);
}

function readBracketed(reader: Reader, { text }: Token): CodeValue | undefined {
  if (text === "(" && readFunction(reader)) return unknownValue;
  const isNamed = text === "{" && reader.lexed.tokens[reader.at - 1]?.text === "&" && reader.scope.dialect.callsTexts;
  if (text === "(" || text === "[" || text === "@{" || text === "${" || text === "%{" || isNamed) {
    const values = reader.group();
    const isOne = values.length === 1 && (text === "(" || isNamed) && !reader.isMark("=>");
    return isOne ? values[0] : listValue(values);
  }
  return text === "{" ? readBraces(reader) : undefined;
}

const plus: ReadonlySet<string> = new Set(["+"]);
const assigning: ReadonlySet<string> = new Set(["=", ":=", "+=", ".=", "..=", "||=", "??=", "//="]);
const unaryMarks: ReadonlySet<string> = new Set("! - + ~ * & \\ @ ** ... ++ -- #".split(" "));
const unaryWords: ReadonlySet<string> = new Set(
  "not await new typeof void yield delete my our local clone async".split(" "),
);
const binaryMarks: ReadonlySet<string> = new Set(
  "+ - * / % ** // == != === !== < > <= >= <=> && || ?? & | ^ << >> >>> =~ !~ .. ... ~= @".split(" "),
);
