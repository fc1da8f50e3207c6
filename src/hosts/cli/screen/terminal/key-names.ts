import type { KeyPress } from "../parts.ts";

interface Modifiers {
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
}

/** `ctrl+alt+shift+KEY`. */
export function namedChord(key: string, { ctrl, alt, shift }: Modifiers): string {
  return `${ctrl ? "ctrl+" : ""}${alt ? "alt+" : ""}${shift ? "shift+" : ""}${key}`;
}

/** The key of a control character. */
export function controlKey(code: number): string {
  return controls[code] ?? `ctrl+${String.fromCharCode(code + 0x60)}`;
}

const controls: Readonly<Record<number, string>> = {
  0x00: "ctrl+space",
  0x09: "tab",
  0x0d: "enter",
  0x1b: "escape",
  0x1c: "ctrl+\\",
  0x1d: "ctrl+]",
  0x1e: "ctrl+^",
  0x1f: "ctrl+_",
  0x7f: "backspace",
};

/** A key of the form `ESC O final`. Undefined: it is not such a key. */
export function ss3Key(final: string): KeyPress | undefined {
  const keypad = keypadCharacters[final];
  if (keypad !== undefined) return { chord: keypad, text: keypad };
  const name = final === "M" ? "enter" : letterKeys[final];
  return name === undefined ? undefined : { chord: name };
}

/** Keys of the number pad in application mode. */
const keypadCharacters: Readonly<Record<string, string>> = Object.fromEntries([
  ...Array.from("0123456789", (digit, index) => [String.fromCharCode(0x70 + index), digit] as const),
  ["j", "*"],
  ["k", "+"],
  ["l", ","],
  ["m", "-"],
  ["n", "."],
  ["o", "/"],
  ["X", "="],
]);

const letterKeys: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "clear",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "tab",
};

/** Codes of `CSI code ~`. */
const tildeKeys: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

/** A key of the form `CSI numbers final`. Undefined: a sequence without a meaning, or the release of a key. */
export function csiKey(numbers: string, final: string): KeyPress | undefined {
  const [first = [], second = [], third = []] = numbers.split(";").map((each) => each.split(":").map(Number));
  const [code = 0] = first;
  const [mask = 1, event = 1] = second;
  if (event === 3) return undefined;
  const modifiers = modifiersOf(mask);
  if (final === "I" && numbers === "") return { chord: "focus" };
  if (final === "O" && numbers === "") return { chord: "blur" };
  if (final === "u") return unicodeKey(first, modifiers);
  // modifyOtherKeys: `CSI 27 ; modifiers ; code ~`.
  if (final === "~" && code === 27) return unicodeKey([third[0] ?? 0], modifiers);
  if (final === "~") return named(tildeKeys[code], modifiers);
  // rxvt marks Ctrl and Shift by another end.
  if (final === "^") return named(tildeKeys[code], { ctrl: true });
  if (final === "$") return named(tildeKeys[code], { shift: true });
  if (final === "Z") return named("tab", { ...modifiers, shift: true });
  if (/^[abcd]$/u.test(final)) return named(letterKeys[final.toUpperCase()], { shift: true });
  return named(letterKeys[final], modifiers);
}

function named(name: string | undefined, modifiers: Modifiers): KeyPress | undefined {
  return name === undefined ? undefined : { chord: namedChord(name, modifiers) };
}

function modifiersOf(mask: number): Modifiers {
  const bits = Math.max(0, mask - 1);
  // Super and meta are treated as alt; lock keys are ignored.
  return { shift: (bits & 1) !== 0, alt: (bits & (2 | 8 | 32)) !== 0, ctrl: (bits & 4) !== 0 };
}

/** `codes`: the key, the key with Shift, and the key of the standard layout. */
function unicodeKey(codes: readonly number[], modifiers: Modifiers): KeyPress | undefined {
  const [code = 0, shifted = 0, standard = 0] = codes;
  if (code === 32 && !modifiers.ctrl && !modifiers.alt) return { chord: "space", text: " " };
  const name = unicodeNames[code];
  if (name !== undefined) return named(name, modifiers);
  const keypad = keypadCodes[code];
  if (keypad !== undefined) return keypad.length === 1 ? typed(keypad, modifiers) : named(keypad, modifiers);
  // Keys that are only modifiers, and media keys.
  if (code < 0x20 || (code >= 0xe000 && code <= 0xf8ff) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return undefined;
  if ((modifiers.ctrl || modifiers.alt) && code > 0x7f && standard > 0x20 && standard < 0x7f)
    return typed(String.fromCharCode(standard), modifiers);
  const character = String.fromCodePoint(code);
  if (!modifiers.shift) return typed(character, modifiers);
  const upper = shifted > 0x20 ? String.fromCodePoint(shifted) : character.toUpperCase();
  return modifiers.ctrl || modifiers.alt ? typed(character.toLowerCase(), modifiers) : typed(upper, {});
}

/** Ctrl-Shift-C is `ctrl+shift+c`; for a plain letter, the name is the letter. */
function typed(character: string, modifiers: Modifiers): KeyPress {
  if (!modifiers.ctrl && !modifiers.alt) return { chord: character, text: character };
  return { chord: namedChord(character, modifiers) };
}

const unicodeNames: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
};

/** The number pad in the kitty protocol. */
const keypadCodes: Readonly<Record<number, string>> = Object.fromEntries(
  [
    ...Array.from("0123456789./*-+"),
    "enter",
    "=",
    ",",
    "left",
    "right",
    "up",
    "down",
    "pageup",
    "pagedown",
    "home",
    "end",
    "insert",
    "delete",
  ].map((name, index) => [57_399 + index, name]),
);
