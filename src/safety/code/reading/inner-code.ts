import type { Reader } from "./dialect.ts";
import type { TextPiece, Token } from "./token.ts";
import { unknownValue, joinTexts, listValue, textOrHole, textValue, type CodeValue } from "./value.ts";

/** Returns the value of a string, after evaluating the code inside it. */
export function textOfToken(reader: Reader, { text, parts, flags }: Token): CodeValue {
  if (flags === "w") return listValue(text.split(/\s+/u).map((each) => textValue(each)));
  return parts === undefined ? textValue(text) : joinTexts(parts.map((part) => readTextPiece(reader, part)));
}

/** A piece of code inside a text. */
export function readTextPiece(reader: Reader, part: TextPiece): CodeValue {
  const { scope } = reader;
  if (typeof part === "string") return textValue(part);
  const { code } = part;
  if (scope.depth > maxDepth || scope.budget.left < 0) {
    scope.effects.find("too_much", code.slice(0, 60));
    return unknownValue;
  }
  const inner = reader.inside(code);
  if (inner.lexed.fault !== undefined) scope.effects.find("unreadable_code", code);
  const value = inner.expression();
  inner.statements(inner.end);
  return value.items ? textValue(value.items.map(textOrHole).join(" "), value.taint) : value;
}

const maxDepth = 10;
