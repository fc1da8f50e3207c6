import type { CdpSession } from "../cdp/connection.ts";

/** A key with the modifiers held down, as `Input.dispatchKeyEvent` names it. */
export interface PressedKey {
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  readonly text?: string;
  readonly modifiers: number;
}

const named: Readonly<Record<string, readonly [code: string, keyCode: number, text?: string]>> = {
  Enter: ["Enter", 13, "\r"],
  Tab: ["Tab", 9],
  Escape: ["Escape", 27],
  Backspace: ["Backspace", 8],
  Delete: ["Delete", 46],
  Insert: ["Insert", 45],
  Home: ["Home", 36],
  End: ["End", 35],
  PageUp: ["PageUp", 33],
  PageDown: ["PageDown", 34],
  ArrowUp: ["ArrowUp", 38],
  ArrowDown: ["ArrowDown", 40],
  ArrowLeft: ["ArrowLeft", 37],
  ArrowRight: ["ArrowRight", 39],
  Shift: ["ShiftLeft", 16],
  Control: ["ControlLeft", 17],
  Alt: ["AltLeft", 18],
  Meta: ["MetaLeft", 91],
};

const otherNames: Readonly<Record<string, string>> = {
  return: "Enter",
  esc: "Escape",
  del: "Delete",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
  pgup: "PageUp",
  pgdn: "PageDown",
  ctrl: "Control",
  cmd: "Meta",
  command: "Meta",
  option: "Alt",
  space: " ",
};

const modifierBits: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

/** Parses `Enter`, `a`, `F5` or `Control+Shift+K`. Returns undefined if there is no such key. */
export function readKey(text: string): PressedKey | undefined {
  // A plus at the end is the key itself.
  const parts = text === "+" ? ["+"] : text.replace(/\+\+$/u, "+\u0000").split("+");
  const names = parts.map((part) => (part === "\u0000" ? "+" : fullName(part)));
  const key = names.pop() ?? "";
  let modifiers = 0;
  for (const name of names) {
    const bit = modifierBits[name];
    if (bit === undefined) return undefined;
    modifiers |= bit;
  }
  return keyOf(key, modifiers);
}

function fullName(part: string): string {
  const trimmed = part === " " ? part : part.trim();
  const lower = trimmed.toLowerCase();
  if (otherNames[lower] !== undefined) return otherNames[lower];
  return (
    Object.keys(named).find((name) => name.toLowerCase() === lower) ??
    (/^f\d{1,2}$/iu.test(trimmed) ? trimmed.toUpperCase() : trimmed)
  );
}

function keyOf(key: string, modifiers: number): PressedKey | undefined {
  const cached = named[key];
  if (cached) {
    const [code, keyCode, text] = cached;
    return { key, code, keyCode, modifiers, ...(text !== undefined && (modifiers & 7) === 0 && { text }) };
  }
  const [, digits] = /^F(\d{1,2})$/u.exec(key) ?? [];
  if (digits !== undefined) return { key, code: key, keyCode: 111 + Number(digits), modifiers };
  if (key.length !== 1 && !(key.length === 2 && key.codePointAt(0) !== key.charCodeAt(0))) return undefined;
  const upper = key.toUpperCase();
  const isLetter = /^[A-Z]$/u.test(upper);
  const code = isLetter ? `Key${upper}` : /^\d$/u.test(key) ? `Digit${key}` : key === " " ? "Space" : "";
  const keyCode = isLetter || /^\d$/u.test(key) || key === " " ? upper.charCodeAt(0) : 0;
  return { key, code, keyCode, modifiers, ...((modifiers & 7) === 0 && { text: key }) };
}

/** Editing keys that work in every field, even where no application menu handles them. */
const editing: Readonly<Record<string, string>> = {
  a: "selectAll",
  c: "copy",
  v: "paste",
  x: "cut",
  z: "undo",
  y: "redo",
};

export async function pressKey(
  session: CdpSession,
  { key, code, keyCode, text, modifiers }: PressedKey,
): Promise<void> {
  const about = { key, code, windowsVirtualKeyCode: keyCode, modifiers };
  const command = modifiers === 2 || modifiers === 4 ? editing[key.toLowerCase()] : undefined;
  const down = {
    ...about,
    type: text === undefined ? "rawKeyDown" : "keyDown",
    ...(text !== undefined && { text }),
    ...(command !== undefined && { commands: [command] }),
  };
  // Sends both events before the page responds: a handler that opens a dialog delays the first response.
  await Promise.all([
    session.send("Input.dispatchKeyEvent", down),
    session.send("Input.dispatchKeyEvent", { ...about, type: "keyUp" }),
  ]);
}

/** Types into the focused field. Types short text key by key, as pages that suggest or count expect. */
export async function typeText(session: CdpSession, text: string): Promise<void> {
  const isKeys = text.length <= maxKeys && /^[\u0020-\u007e]*$/u.test(text);
  if (!isKeys) return void (await session.send("Input.insertText", { text }));
  const keys = Array.from(text, (character) => keyOf(character, 0)).filter((key) => key !== undefined);
  await Promise.all(keys.map((key) => pressKey(session, key)));
}

const maxKeys = 120;
