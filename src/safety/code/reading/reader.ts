import { readFunction, readLoop } from "./blocks.ts";
import { type Reader } from "./dialect.ts";
import type { ScriptScope } from "./dialect.ts";
import { readExpression } from "./expression.ts";
import { readGroup } from "./groups.ts";
import { lex } from "./lex.ts";
import { isBinaryWord, maxDepth } from "./operators.ts";
import type { Lexed } from "./token.ts";
import { unknownValue, tainted } from "./value.ts";

export function createReader(lexed: Lexed, scope: ScriptScope): Reader {
  const { tokens, match, source } = lexed;
  const { dialect } = scope;
  const reader: Reader = {
    scope,
    lexed,
    at: 0,
    end: tokens.length,
    depth: 0,
    receiver: undefined,
    returned: unknownValue,
    peek: (offset = 0) => (reader.at + offset < reader.end ? tokens[reader.at + offset] : undefined),
    isMark: (text, offset = 0) => {
      const token = reader.peek(offset);
      return token?.kind === "mark" && token.text === text;
    },
    isName: (text, offset = 0) => {
      const token = reader.peek(offset);
      return token?.kind === "name" && token.text === text;
    },
    isWord: (text) => dialect.keywords.has(text) || isBinaryWord(text, dialect.language),
    statements(end) {
      const before = reader.end;
      reader.end = Math.min(end, before);
      reader.depth += 1;
      if (reader.depth > maxDepth) {
        scope.effects.find("too_much", source.slice(0, 60));
        reader.at = reader.end;
      }
      while (reader.at < reader.end) reader.step();
      reader.depth -= 1;
      reader.end = before;
    },
    step() {
      const from = reader.at;
      readStatement(reader);
      if (reader.at === from) reader.at += 1;
    },
    expression: () => readExpression(reader),
    group: () => readGroup(reader),
    closing: () => {
      const close = match[reader.at] ?? -1;
      return close < 0 ? reader.end : Math.min(close, reader.end);
    },
    inside(code) {
      const inner = createReader(lex(code, dialect.spelling), { ...scope, depth: scope.depth + 1 });
      inner.depth = reader.depth;
      return inner;
    },
    wordsFrom: (start) =>
      source.slice(tokens[start]?.start ?? 0, tokens[Math.max(start, reader.at - 1)]?.end ?? source.length),
  };
  return reader;
}

function readStatement(reader: Reader): void {
  const { scope } = reader;
  const { dialect } = scope;
  const token = reader.peek();
  if (token === undefined) return;
  if (token.kind === "line" || (token.kind === "mark" && (token.text === ";" || token.text === "{"))) {
    reader.at += 1;
    return;
  }
  if (dialect.statement?.(reader) || readFunction(reader) || readLoop(reader)) return;
  if (token.kind === "name" && dialect.keywords.has(token.text)) {
    reader.at += 1;
    if (token.text === "while" || token.text === "until" || token.text === "loop")
      scope.effects.loop(reader.lexed.tokens.length);
    if (token.text === "return") reader.returned = reader.expression();
    return;
  }
  if (readAssignments(reader)) return;
  const value = reader.expression();
  if (reader.isName("as") && reader.peek(1)?.kind === "name") {
    scope.bind(reader.peek(1)?.text ?? "", value);
    reader.at += 2;
  }
}

/** Handles `a, b = …`, which assigns several names at once. */
function readAssignments(reader: Reader): boolean {
  const { scope } = reader;
  const names: string[] = [];
  const isGrouped = reader.isMark("(") || reader.isMark("[");
  let offset = isGrouped ? 1 : 0;
  for (;;) {
    const token = reader.peek(offset);
    if (token?.kind !== "name" || names.length > 20) return false;
    names.push(token.text);
    offset += 1;
    if (!reader.isMark(",", offset)) break;
    offset += 1;
  }
  if (isGrouped) offset += 1;
  if ((names.length < 2 && !isGrouped) || !reader.isMark("=", offset)) return false;
  reader.at += offset + 1;
  const values = [reader.expression()];
  while (reader.isMark(",")) {
    reader.at += 1;
    values.push(reader.expression());
  }
  const [first = unknownValue] = values;
  const items = values.length === 1 ? first.items : values;
  for (const [place, name] of names.entries()) scope.bind(name, items?.[place] ?? tainted(first.taint));
  return true;
}
