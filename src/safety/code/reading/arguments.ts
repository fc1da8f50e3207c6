import type { Reader } from "./dialect.ts";
import { bindComprehension } from "./groups.ts";
import { elementOf, listValue, type CodeValue } from "./value.ts";

export interface Arguments {
  readonly args: readonly CodeValue[];
  readonly named: ReadonlyMap<string, CodeValue>;
}

/** Parses the arguments in the brackets that start here. `fn` is the called function. */
export function readCodeArguments(reader: Reader, fn: CodeValue): Arguments {
  const open = reader.at;
  const close = reader.closing();
  const { end, receiver } = reader;
  const args: CodeValue[] = [];
  const named = new Map<string, CodeValue>();
  bindComprehension(reader, close);
  reader.receiver = receiverOf(fn);
  reader.at += 1;
  reader.end = close;
  while (reader.at < close) {
    const from = reader.at;
    const name = reader.peek();
    if (name?.kind === "name" && reader.isMark("=", 1)) {
      reader.at += 2;
      named.set(name.text, reader.expression());
    } else {
      const value = reader.expression();
      if (reader.at === from) reader.step();
      else if (reader.isMark("=>")) {
        reader.at += 1;
        named.set(value.text ?? name?.text ?? "", reader.expression());
      } else args.push(value);
    }
    while (reader.isMark(",") || reader.isMark(";") || reader.peek()?.kind === "line") reader.at += 1;
  }
  reader.receiver = receiver;
  reader.end = end;
  reader.at = Math.min(close + 1, end);
  // A comprehension in the brackets produces one list.
  const produced = reader.lexed.loops.has(open) ? args[0]?.either : undefined;
  return { args: produced ? [listValue(produced)] : args, named };
}

/** Parses arguments without brackets, up to the end of the statement. */
export function readBareArguments(reader: Reader): Arguments {
  const args: CodeValue[] = [];
  for (;;) {
    if (!beginsOperand(reader)) break;
    const from = reader.at;
    args.push(reader.expression());
    if (reader.at === from || !(reader.isMark(",") || reader.isMark("=>"))) break;
    reader.at += 1;
    while (reader.peek()?.kind === "line") reader.at += 1;
  }
  return { args, named: new Map() };
}

function beginsOperand(reader: Reader): boolean {
  const token = reader.peek();
  if (token === undefined || token.kind === "line") return false;
  if (token.kind === "name") return !reader.isWord(token.text);
  if (token.kind !== "mark") return true;
  return ["[", "(", "{", "${", "@{", "\\", "&", "!", "*"].includes(token.text)
    ? token.isSpaced || reader.isMark("${") || reader.isMark("@{")
    : token.text === "-" && token.isSpaced && reader.peek(1)?.isSpaced === false;
}

/** Returns the value that this function passes to its callback. */
function receiverOf({ ref, self }: CodeValue): CodeValue | undefined {
  if (ref === undefined || self === undefined) return undefined;
  if (ref.endsWith(".then")) return self;
  return /\.(?:forEach|map|filter|flatMap|some|every|find)$/u.test(ref) ? elementOf(self) : undefined;
}
