import { hole } from "../../command/shell/field.ts";

/** The known properties of a value. All are optional: a value without properties can be anything. */
export interface CodeValue {
  /** The text. Unknown parts are marked as holes. */
  readonly text?: string;
  readonly number?: number;
  /** A list, tuple or array. */
  readonly items?: readonly CodeValue[];
  /** A dictionary or object, by its literal keys. */
  readonly fields?: ReadonlyMap<string, CodeValue>;
  /** The original name, such as `os.system` or `child_process.exec`. */
  readonly ref?: string;
  /** The object of a method. */
  readonly self?: CodeValue;
  /** The alternatives, if the value is one of several values. */
  readonly either?: readonly CodeValue[];
  /** The sources of the value, as bits of `taints`. */
  readonly taint: number;
}

export const taints = {
  network: 1,
  /** The content of a file. */
  file: 2,
  /** The content of a file with keys or passwords. */
  secret: 4,
  /** All variables of the environment. */
  environment: 8,
  /** A single variable of the environment. */
  variable: 16,
  /** Decoded from base64, hex or another encoding. */
  decoded: 32,
  socket: 64,
  /** The value was looked up by a computed name. */
  reflected: 128,
} as const;

export const unknownValue: CodeValue = { taint: 0 };

export function textValue(text: string, taint = 0): CodeValue {
  return { text: text.length > maxText ? hole : text, taint };
}

export function numberValue(number: number): CodeValue {
  return { number, taint: 0 };
}

export function listValue(items: readonly CodeValue[]): CodeValue {
  return { items, taint: items.reduce((all, { taint }) => all | taint, 0) };
}

export function refValue(ref: string): CodeValue {
  return { ref, taint: 0 };
}

export function tainted(taint: number): CodeValue {
  return { taint };
}

/** Returns the text of a string or number, or undefined for other values. */
export function textOfValue(value: CodeValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return value.text ?? (value.number === undefined ? undefined : String(value.number));
}

/** Returns the text, or a hole if it is unknown. */
export function textOrHole(value: CodeValue | undefined): string {
  return textOfValue(value) ?? hole;
}

export function wholeText(value: CodeValue | undefined): string | undefined {
  const text = textOfValue(value);
  return text === undefined || text.includes(hole) ? undefined : text;
}

/** Returns the character with this code, or a hole if the code is unknown. */
export function characterOf(code: number | undefined): string {
  return String.fromCodePoint(Math.min(Math.max(0, Math.floor(code ?? 0) || 0), 0x10ffff));
}

/** Returns all values that the value may have. */
export function possibleValues(value: CodeValue | undefined): readonly CodeValue[] {
  return value === undefined ? [unknownValue] : (value.either ?? [value]);
}

export function joinTexts(parts: readonly CodeValue[], between = ""): CodeValue {
  const taint = parts.reduce((all, part) => all | part.taint, 0);
  return textValue(parts.map(textOrHole).join(between).replaceAll(manyHoles, hole), taint);
}

/** Returns the result of an operator that does not concatenate texts. */
export function combinedTaint(a: CodeValue, b: CodeValue): CodeValue {
  return tainted(a.taint | b.taint);
}

/** Returns the loop variable of a loop over the value. */
export function elementOf(value: CodeValue): CodeValue {
  if (value.items && value.items.length > 0 && value.items.length <= 200) {
    return value.items.length === 1
      ? (value.items[0] ?? unknownValue)
      : { either: value.items.flatMap(possibleValues), taint: value.taint };
  }
  if (value.ref === "listing" && value.text !== undefined) return { text: value.text, ref: "Path()", taint: 0 };
  return tainted(value.taint);
}

const maxText = 100_000;
const manyHoles = new RegExp(`${hole}{2,}`, "gu");
