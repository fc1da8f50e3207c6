import { type Field, knownField } from "../shell/field.ts";

/** The options of a program that take a value: short ones as letters, long ones as names. */
export interface OptionShape {
  readonly short?: string;
  readonly long?: readonly string[];
  /** True if the first operand ends the options: the rest belongs to another program. */
  readonly isPrefix?: boolean;
  /** True if long options start with one dash (`find`, `java`, `terraform`). */
  readonly hasSingleDash?: boolean;
}

export interface ReadOptions {
  /** The options by name without dashes: `r`, `recursive`. The value is undefined for an option without a value. */
  readonly options: readonly Option[];
  readonly operands: readonly Field[];
  /** The words after `--`; `operands` contains them too. */
  readonly afterDashes: readonly Field[];
  /** Returns whether one of these options is given. Long names may be abbreviated. */
  has(...names: readonly string[]): boolean;
  value(...names: readonly string[]): Field | undefined;
  values(...names: readonly string[]): readonly Field[];
}

export interface Option {
  readonly name: string;
  readonly value: Field | undefined;
  readonly word: Field;
}

/** Parses arguments in the same way as getopt. `args` excludes the program name. */
export function readOptions(args: readonly Field[], shape: OptionShape = {}): ReadOptions {
  const options: Option[] = [];
  const operands: Field[] = [];
  let afterDashes: readonly Field[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? knownField("");
    const { text } = word;
    if (text === "--") {
      afterDashes = args.slice(index + 1);
      operands.push(...afterDashes);
      break;
    }
    if (!/^-./su.test(text)) {
      if (shape.isPrefix) {
        operands.push(...args.slice(index));
        break;
      }
      operands.push(word);
      continue;
    }
    if (text.startsWith("--") || shape.hasSingleDash) {
      const [, name = "", value] = /^--?([^=]+)(?:=([^]*))?$/u.exec(text) ?? [];
      const takes = value === undefined && takesValue(name, text.startsWith("--") ? 1 : 3, shape);
      options.push({
        name,
        word,
        value: value === undefined ? (takes ? args[index + 1] : undefined) : { ...word, text: value },
      });
      if (takes) index += 1;
      continue;
    }
    index += readCluster(word, args[index + 1], shape, options);
  }
  const named = (names: readonly string[]) =>
    options.filter(({ name, word }) =>
      names.some(
        (option) =>
          name === option ||
          ((name.length > 2 || word.text.startsWith("--")) && option.length > 2 && option.startsWith(name)),
      ),
    );
  return {
    options,
    operands,
    afterDashes,
    has: (...names) => named(names).length > 0,
    value: (...names) => named(names).at(-1)?.value,
    values: (...names) => named(names).flatMap(({ value }) => (value ? [value] : [])),
  };
}

function takesValue(name: string, minChars: number, { long = [] }: OptionShape): boolean {
  return long.some((each) => each === name || (name.length >= minChars && each.startsWith(name)));
}

/** Parses `-rf`, `-n5`, `-n 5`. Returns the number of additional words that it used. */
function readCluster(word: Field, next: Field | undefined, { short = "" }: OptionShape, options: Option[]): number {
  const letters = word.text.slice(1);
  for (let index = 0; index < letters.length; index++) {
    const name = letters[index] ?? "";
    if (!short.includes(name)) {
      options.push({ name, word, value: undefined });
      continue;
    }
    const rest = letters.slice(index + 1);
    options.push({ name, word, value: rest === "" ? next : { ...word, text: rest } });
    return rest === "" ? 1 : 0;
  }
  return 0;
}
