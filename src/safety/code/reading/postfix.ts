import { hole } from "../../command/shell/field.ts";
import { type Arguments, readCodeArguments, readBareArguments } from "./arguments.ts";
import type { Reader } from "./dialect.ts";
import { textOfToken } from "./inner-code.ts";
import type { Token } from "./token.ts";
import { unknownValue, tainted, taints, textValue, type CodeValue } from "./value.ts";

/** Parses the members, calls and indexes after a value. `start` is the value's first token. */
export function readPostfix(
  reader: Reader,
  first: CodeValue,
  start: number,
): { readonly value: CodeValue; readonly wasCalled: boolean } {
  const { dialect } = reader.scope;
  let value = first;
  let wasCalled = first.ref === undefined;
  const call = ({ args, named }: Arguments) => {
    value = reader.scope.call(value, args, named, reader.wordsFrom(start));
    wasCalled = true;
  };
  for (let token = reader.peek(); token !== undefined; token = reader.peek()) {
    const isMark = token.kind === "mark";
    if (isMark && dialect.access.has(token.text)) {
      const member = readMember(reader, value);
      if (member === undefined) break;
      if (member === value) continue;
      value = member;
      wasCalled = false;
      if (dialect.hasBareCalls && isBareMethod(reader)) call(readBareArguments(reader));
    } else if (isMark && token.text === "(" && !(token.isSpaced && dialect.hasBareCalls && first.ref === undefined))
      call(readCodeArguments(reader, value));
    else if (isMark && isIndex(token, reader)) {
      value = readIndex(reader, value);
      wasCalled = value.ref === undefined;
    } else if (token.kind === "text" && token.flags === "`") {
      const text = textOfToken(reader, token);
      reader.at += 1;
      call({ args: [text], named: new Map() });
    } else if (dialect.hasBareCalls && isBareCall(reader, value, start)) call(readBareArguments(reader));
    else break;
  }
  return { value, wasCalled };
}

/** Returns the value itself if the operator precedes a call or an index. Undefined: this is not a member access. */
function readMember(reader: Reader, value: CodeValue): CodeValue | undefined {
  const { dialect } = reader.scope;
  const name = reader.peek(1);
  if (name?.kind === "mark" && (name.text === "(" || name.text === "[" || name.text === "{")) {
    reader.at += 1;
    return value;
  }
  if (name?.kind !== "name" && !(name?.kind === "text" && dialect.language === "perl")) return undefined;
  reader.at += 2;
  // Handles a member name that is itself a variable.
  if (name.text === hole || (dialect.callsTexts && name.text.startsWith("$"))) return tainted(taints.reflected);
  return reader.scope.member(value, name.text);
}

function isBareMethod(reader: Reader): boolean {
  const name = reader.lexed.tokens[reader.at - 1]?.text ?? "";
  return !reader.isMark("(") && !/^[A-Z]/u.test(name) && !reader.isMark("=") && !reader.isMark("=>");
}

function isIndex({ text, isSpaced }: Token, { scope: { dialect }, lexed, at: index }: Reader): boolean {
  if (isSpaced && dialect.hasBareCalls) return false;
  if (text !== "{") return text === "[";
  const before = lexed.tokens[index - 1];
  return dialect.language === "perl" && before !== undefined && /^(?:\$.*|\]|\}|->)$/su.test(before.text);
}

/** Returns whether the words after the name can only be its arguments. */
function isBareCall(reader: Reader, value: CodeValue, start: number): boolean {
  const token = reader.peek();
  const { scope, lexed } = reader;
  const isName = reader.at === start + 1 && lexed.tokens[start]?.kind === "name" && value.ref !== undefined;
  if (!isName || token === undefined || /^[$@%]/u.test(value.ref ?? "") || scope.isBound(value.ref ?? "")) return false;
  switch (token.kind) {
    case "text":
    case "shell":
    case "number":
    case "pattern":
      return true;
    case "name":
      return !reader.isWord(token.text);
    case "mark":
      if (token.text === "-") return token.isSpaced && reader.peek(1)?.isSpaced === false;
      return token.isSpaced ? /^(?:\[|\\|\$\{|@\{|\{)$/u.test(token.text) : token.text === "{";
    case "line":
      return false;
  }
}

function readIndex(reader: Reader, value: CodeValue): CodeValue {
  const close = reader.closing();
  const slice = sliced(reader, value, close);
  if (slice) {
    reader.at = Math.min(close + 1, reader.end);
    return slice;
  }
  const key = reader.lexed.tokens[reader.at + 1];
  const isWord = reader.isMark("{") && key?.kind === "name" && close === reader.at + 2 && !key.text.startsWith("$");
  if (isWord) {
    reader.at = close + 1;
    return reader.scope.index(value, textValue(key.text));
  }
  const keys = reader.group();
  return reader.scope.index(value, keys.length === 1 ? (keys[0] ?? unknownValue) : unknownValue);
}

/** `[1:3]`, `[::-1]`. */
function sliced(
  { lexed: { tokens }, at: index }: Reader,
  { text, taint }: CodeValue,
  close: number,
): CodeValue | undefined {
  if (close - index > 7) return undefined;
  const inside = tokens.slice(index + 1, close);
  if (!inside.some((token) => token.kind === "mark" && token.text === ":")) return undefined;
  const [from, to, step] = inside
    .map((token) => token.text)
    .join("")
    .split(":")
    .map((part) => (part === "" ? undefined : Number(part)));
  if ([from, to, step].some((part) => Number.isNaN(part))) return undefined;
  if (text === undefined || text.includes(hole)) return tainted(taint);
  const letters = Array.from(text).slice(from, step === -1 ? undefined : to);
  const chars =
    step === -1 ? Array.from(text).toReversed() : letters.filter((_, place) => place % Math.abs(step ?? 1) === 0);
  return textValue(chars.join(""), taint | (step === undefined ? 0 : taints.decoded));
}
