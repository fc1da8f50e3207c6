import type { CodeLanguage } from "../../code/code-judgement.ts";
import type { Field } from "../shell/field.ts";

/** Describes which arguments of an interpreter are code. */
export interface CodeOptions {
  readonly language: CodeLanguage;
  /** Short options whose value is code. */
  readonly code?: string;
  /** Long options whose value is code, without dashes. */
  readonly longCode?: readonly string[];
  /** Short options with a value, in the same word or the next one. */
  readonly valued?: string;
  /** Short options whose value can only be the rest of the same word. */
  readonly attached?: string;
  /** Short options that digits may follow. */
  readonly counted?: string;
  /** Long options with a value in the next word. */
  readonly longValued?: readonly string[];
  /** True if long options start with one dash. */
  readonly hasSingleDash?: boolean;
  /** True if the first operand or the code ends the options. */
  readonly isPrefix?: boolean;
}

export interface InterpreterArguments {
  readonly codes: readonly Field[];
  readonly options: readonly { readonly name: string; readonly value: Field | undefined }[];
  readonly operands: readonly Field[];
  has(...names: readonly string[]): boolean;
  values(...names: readonly string[]): readonly Field[];
}

/** Parses the arguments of an interpreter. `args` excludes its name. */
export function readInterpreterArguments(args: readonly Field[], shape: CodeOptions): InterpreterArguments {
  const { code = "", valued = "", attached = "", counted = "", longCode = [], longValued = [] } = shape;
  const codes: Field[] = [];
  const options: { name: string; value: Field | undefined }[] = [];
  const operands: Field[] = [];
  let index = 0;
  const take = (name: string, value: Field | undefined, isCode: boolean) => {
    options.push({ name, value });
    if (isCode && value) codes.push(value);
  };
  for (; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) continue;
    const { text } = word;
    if (text === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (text === "-" || !text.startsWith("-")) {
      if (shape.isPrefix) {
        operands.push(...args.slice(index));
        break;
      }
      operands.push(word);
    } else if (text.startsWith("--") || shape.hasSingleDash) {
      const [, name = "", value] = /^--?([^=]+)(?:=([^]*))?$/u.exec(text) ?? [];
      const isCode = longCode.includes(name);
      const takesNext = value === undefined && (isCode || longValued.includes(name));
      take(name, value === undefined ? (takesNext ? args[index + 1] : undefined) : { ...word, text: value }, isCode);
      if (takesNext) index += 1;
    } else {
      for (let letter = 1; letter < text.length; letter++) {
        const name = text[letter] ?? "";
        const rest = text.slice(letter + 1);
        if (attached.includes(name)) {
          take(name, { ...word, text: rest }, false);
          break;
        }
        if (counted.includes(name)) {
          take(name, undefined, false);
          letter += /^(?:x[0-9a-fA-F]+|\d*)/u.exec(rest)?.[0].length ?? 0;
          continue;
        }
        const isCode = code.includes(name);
        if (!isCode && !valued.includes(name)) {
          take(name, undefined, false);
          continue;
        }
        take(name, rest === "" ? args[index + 1] : { ...word, text: rest }, isCode);
        if (rest === "") index += 1;
        break;
      }
    }
    if (shape.isPrefix && codes.length > 0) {
      operands.push(...args.slice(index + 1));
      break;
    }
  }
  const named = (names: readonly string[]) => options.filter(({ name }) => names.includes(name));
  return {
    codes,
    options,
    operands,
    has: (...names) => named(names).length > 0,
    values: (...names) => named(names).flatMap(({ value }) => (value ? [value] : [])),
  };
}
