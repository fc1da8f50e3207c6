import { readLoop } from "./blocks.ts";
import type { Reader } from "./dialect.ts";
import { listValue, type CodeValue } from "./value.ts";

/** Parses the values in brackets, separated by commas. */
export function readGroup(reader: Reader): readonly CodeValue[] {
  const open = reader.at;
  const close = reader.closing();
  bindComprehension(reader, close);
  const before = reader.end;
  reader.at += 1;
  reader.end = close;
  const values: CodeValue[] = [];
  while (reader.at < close) {
    const from = reader.at;
    const value = reader.expression();
    if (reader.at === from) reader.step();
    else values.push(value);
    while (reader.isMark(",") || reader.isMark(";") || reader.isMark("=>") || reader.peek()?.kind === "line")
      reader.at += 1;
  }
  reader.end = before;
  reader.at = Math.min(close + 1, before);
  if (!reader.lexed.loops.has(open) || reader.scope.dialect.language !== "python") return values;
  // The remaining values are the conditions of the comprehension.
  return values[0]?.either ?? values.slice(0, 1);
}

/** Handles `[f(x) for x in list]`: defines the names before the expression that uses them is analysed. */
export function bindComprehension(reader: Reader, close: number): void {
  const { at: open, end: before } = reader;
  const { tokens, match, loops } = reader.lexed;
  if (!loops.has(open) || (match[open] ?? -1) < 0) return;
  reader.end = close;
  for (let index = open + 1; index < close; index++) {
    const inner = match[index] ?? -1;
    if (inner > index) index = inner;
    else if (tokens[index]?.kind === "name" && tokens[index]?.text === "for") {
      reader.at = index;
      readLoop(reader);
      index = Math.max(index, reader.at - 1);
    }
  }
  reader.at = open;
  reader.end = before;
}

/** Reads an object, a dictionary or a block. */
export function readBraces(reader: Reader): CodeValue {
  const close = reader.closing();
  const before = reader.end;
  const fields = new Map<string, CodeValue>();
  bindComprehension(reader, close);
  reader.at += 1;
  reader.end = close;
  while (reader.at < close) {
    const key = reader.peek();
    if (key && key.kind !== "mark" && key.kind !== "line" && (reader.isMark(":", 1) || reader.isMark("=>", 1))) {
      reader.at += 2;
      fields.set(key.text, reader.expression());
    } else reader.step();
    while (reader.isMark(",")) reader.at += 1;
  }
  reader.end = before;
  reader.at = Math.min(close + 1, before);
  const { taint } = listValue([...fields.values()]);
  return { fields, taint };
}
