import type { Reader } from "./dialect.ts";
import { unknownValue, elementOf, type CodeValue } from "./value.ts";

/**
 * Parses a function definition and returns whether there was one. A named function is analysed at each call, with its
 * arguments; other functions are analysed immediately.
 */
export function readFunction(reader: Reader): boolean {
  const token = reader.peek();
  if (token === undefined) return false;
  if (token.kind === "mark") return token.text === "(" && readArrow(reader);
  if (token.kind !== "name") return false;
  if (reader.isMark("=>", 1) && reader.scope.dialect.functions === "braced") return readArrow(reader);
  if (token.text === "lambda") return reader.scope.dialect.language === "python" && readLambda(reader);
  if (token.text === "async") {
    reader.at += 1;
    return true;
  }
  return token.text === "def" || token.text === "function" || token.text === "sub" ? readNamed(reader) : false;
}

/** Handles `for x in list`, `for (const x of list)` and `foreach my $x (@list)`. */
export function readLoop(reader: Reader): boolean {
  if (!reader.isName("for") && !reader.isName("foreach")) return false;
  const start = reader.at;
  let index = 1;
  if (reader.isMark("(", index)) index += 1;
  const names: string[] = [];
  for (let count = 0; count < 12; count++, index++) {
    const token = reader.peek(index);
    if (token?.kind === "name" && (token.text === "in" || token.text === "of")) {
      reader.at = start + index + 1;
      bindAll(reader, names, elementOf(reader.expression()));
      return true;
    }
    if (
      token?.kind === "mark" &&
      token.text === "(" &&
      names.length === 1 &&
      reader.scope.dialect.language === "perl"
    ) {
      reader.at = start + index;
      bindAll(reader, names, elementOf({ items: reader.group(), taint: 0 }));
      return true;
    }
    if (token?.kind === "name") {
      if (!declaring.has(token.text)) names.push(token.text);
    } else if (token?.kind !== "mark" || !/^[,()[\]{}]$/u.test(token.text)) break;
  }
  reader.at = start + 1;
  reader.scope.effects.loop(reader.lexed.tokens.length);
  return true;
}

const declaring: ReadonlySet<string> = new Set(["const", "let", "var", "my", "our", "local"]);

function bindAll({ scope }: Reader, names: readonly string[], value: CodeValue): void {
  for (const [place, name] of names.entries())
    scope.bind(name, names.length === 1 ? value : (value.items?.[place] ?? { taint: value.taint }));
}

/** Parses the parameter names and their defaults. */
function parameters(reader: Reader): readonly string[] {
  const open = reader.at;
  const close = reader.lexed.match[open] ?? -1;
  if (close < 0) return [];
  const names: string[] = [];
  for (let index = open + 1; index < close; index++) {
    const token = reader.lexed.tokens[index];
    const before = reader.lexed.tokens[index - 1]?.text ?? "";
    if (
      token?.kind === "name" &&
      (index === open + 1 || /^[,({[*&]|\*\*|\.\.\.$/u.test(before) || /^\w+$/u.test(before))
    )
      names.push(token.text);
    if (token?.kind === "mark" && (token.text === "=" || token.text === ":")) {
      const inner = Math.min(close, reader.end);
      const { end } = reader;
      reader.at = index + 1;
      reader.end = inner;
      reader.expression();
      reader.end = end;
      index = Math.max(index, reader.at - 1);
    }
  }
  reader.at = close + 1;
  return names;
}

function readLambda(reader: Reader): boolean {
  reader.at += 1;
  while (reader.at < reader.end && !reader.isMark(":")) {
    const token = reader.peek();
    if (token?.kind === "name") reader.scope.bind(token.text, reader.receiver ?? unknownValue);
    reader.at += 1;
  }
  reader.at += 1;
  reader.expression();
  return true;
}

/** `(a, b) => …`, `a => …`. */
function readArrow(reader: Reader): boolean {
  const { tokens, match } = reader.lexed;
  const isGroup = reader.isMark("(");
  const start = reader.at;
  const close = isGroup ? (match[reader.at] ?? -1) : reader.at;
  const arrow = tokens[close + 1];
  if (close < 0 || arrow?.kind !== "mark" || arrow.text !== "=>" || close + 1 >= reader.end) return false;
  const { receiver } = reader;
  const isTaken = isGroup && tokens[reader.at + 1]?.text === "{";
  const names = isGroup ? parameters(reader) : [tokens[reader.at]?.text ?? ""];
  for (const [place, name] of names.entries()) {
    if (isTaken && receiver) reader.scope.bind(name, reader.scope.member(receiver, name));
    else reader.scope.bind(name, place === 0 && receiver ? receiver : unknownValue);
  }
  reader.receiver = undefined;
  const assigned =
    tokens[start - 1]?.text === "=" && tokens[start - 2]?.kind === "name" ? tokens[start - 2] : undefined;
  reader.at = close + 2;
  if (assigned && receiver === undefined) defineArrow(reader, assigned.text, names);
  else body(reader);
  reader.receiver = receiver;
  return true;
}

/** Handles `const name = (a, b) => …`, which is analysed at each call. */
function defineArrow(reader: Reader, name: string, names: readonly string[]): void {
  const { scope, lexed } = reader;
  const from = reader.at;
  const close = reader.isMark("{") ? (lexed.match[from] ?? -1) : -1;
  const to = close >= 0 ? close + 1 : expressionEnd(reader);
  scope.define(name, {
    run(args, named) {
      const { at: index, end, returned } = reader;
      for (const [place, each] of names.entries()) scope.bind(each, named.get(each) ?? args[place] ?? unknownValue);
      reader.at = from;
      reader.end = to;
      reader.returned = unknownValue;
      const value = close >= 0 ? undefined : reader.expression();
      reader.statements(to);
      const given = value ?? reader.returned;
      Object.assign(reader, { at: index, end, returned });
      return given;
    },
  });
  reader.at = Math.min(to, reader.end);
}

/** The latest position at which an expression without brackets can end. */
function expressionEnd({ at: from, end, lexed: { tokens, match } }: Reader): number {
  for (let index = from; index < end; index++) {
    const inner = match[index] ?? -1;
    const token = tokens[index];
    if (inner > index) index = inner;
    else if (token?.kind === "mark" && /^[;,)\]}]$/u.test(token.text)) return index;
    else if (
      token?.kind === "name" &&
      index > from &&
      /^(?:const|let|var|function|if|for|while|return|class|import|export|try)$/u.test(token.text)
    )
      return index;
  }
  return end;
}

/** Parses a block in braces, or one expression. */
function body(reader: Reader): void {
  if (!reader.isMark("{")) {
    reader.expression();
    return;
  }
  const close = reader.lexed.match[reader.at] ?? -1;
  reader.at += 1;
  reader.statements(close < 0 ? reader.end : close);
  if (close >= 0) reader.at = Math.min(close + 1, reader.end);
}

function readNamed(reader: Reader): boolean {
  const { scope, lexed } = reader;
  const { functions } = scope.dialect;
  const start = reader.at;
  reader.at += 1;
  if (reader.isMark("*") || reader.isMark("&")) reader.at += 1;
  let name = "";
  while (reader.peek()?.kind === "name" || (name !== "" && (reader.isMark(".") || reader.isMark(":")))) {
    name += reader.peek()?.text ?? "";
    reader.at += 1;
  }
  const names = reader.isMark("(") ? parameters(reader) : [];
  if (reader.isMark("=>")) {
    for (const each of names) scope.bind(each, unknownValue);
    reader.at += 1;
    reader.expression();
    return true;
  }
  const from = reader.at;
  const to = functions === "braced" ? bracedEnd(reader) : functions === "indented" ? indentedEnd(reader, start) : -1;
  for (const each of names) scope.bind(each, unknownValue);
  if (to < 0 || name === "" || lexed.tokens[from] === undefined) {
    if (to < 0 || functions === "indented") reader.at = from;
    if (reader.isMark("{")) body(reader);
    return true;
  }
  scope.define(name, {
    run(args, named) {
      const { at: index, end, returned } = reader;
      for (const [place, each] of names.entries()) scope.bind(each, named.get(each) ?? args[place] ?? unknownValue);
      reader.at = from;
      reader.end = lexed.tokens.length;
      reader.returned = unknownValue;
      reader.statements(to);
      const given = reader.returned;
      Object.assign(reader, { at: index, end, returned });
      return given;
    },
  });
  reader.at = to;
  return true;
}

function bracedEnd(reader: Reader): number {
  while (reader.at < reader.end && !reader.isMark("{") && !reader.isMark(";")) reader.at += 1;
  const close = reader.isMark("{") ? (reader.lexed.match[reader.at] ?? -1) : -1;
  return close < 0 ? -1 : close + 1;
}

/** Returns the end of the block: after the last line that is indented further than the line of `start`. */
function indentedEnd(reader: Reader, start: number): number {
  const { tokens } = reader.lexed;
  let indent = 0;
  for (let index = start - 1; index >= 0; index--) {
    const token = tokens[index];
    if (token?.kind === "line") {
      indent = token.indent ?? 0;
      break;
    }
  }
  while (reader.at < reader.end && !reader.isMark(":")) reader.at += 1;
  const isBlock = tokens[reader.at + 1]?.kind === "line";
  for (let index = reader.at + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.kind !== "line") continue;
    if (!isBlock) return index;
    if ((token.indent ?? 0) <= indent && tokens[index + 1]?.kind !== "line") return index;
  }
  return tokens.length;
}
