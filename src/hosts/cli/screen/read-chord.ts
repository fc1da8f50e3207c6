/** `Ctrl-R`, `C-x C-e` and `alt+return` as the screen names them: `ctrl+r`, `ctrl+x ctrl+e`, `alt+enter`. Undefined: not a key. */
export function readChord(written: string): string | undefined {
  const keys = written.trim().split(/\s+/u).map(readKey);
  return keys.length <= 3 && keys.every((key) => key !== undefined) ? keys.join(" ") : undefined;
}

function readKey(written: string): string | undefined {
  const parts = /^(?<modifiers>(?:[a-z]+[+-])*)(?<key>.+)$/iu.exec(written)?.groups;
  const modifiers = (parts?.["modifiers"] ?? "")
    .toLowerCase()
    .split(/[+-]/u)
    .filter((name) => name !== "")
    .map((name) => modifierNames[name]);
  const key = keyOf(parts?.["key"] ?? "", modifiers.length > 0);
  if (key === undefined || modifiers.includes(undefined)) return undefined;
  const order = ["ctrl", "alt", "shift"].filter((name) => modifiers.includes(name));
  // A terminal sends the capital letter instead of Shift and the letter.
  if (order.join() === "shift" && /^\p{L}$/u.test(key)) return key.toUpperCase();
  return [...order, key].join("+");
}

function keyOf(written: string, isModified: boolean): string | undefined {
  const name = written.toLowerCase();
  const special = keyNames[name] ?? (namedKeys.has(name) || /^f(?:[1-9]|1[0-2])$/u.test(name) ? name : undefined);
  if (special !== undefined) return special;
  return Array.from(written).length === 1 ? (isModified ? name : written) : undefined;
}

const modifierNames: Readonly<Record<string, string | undefined>> = {
  c: "ctrl",
  ctrl: "ctrl",
  control: "ctrl",
  m: "alt",
  a: "alt",
  alt: "alt",
  meta: "alt",
  option: "alt",
  s: "shift",
  shift: "shift",
};

const keyNames: Readonly<Record<string, string | undefined>> = {
  return: "enter",
  esc: "escape",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
  bs: "backspace",
  spc: "space",
};

const namedKeys: ReadonlySet<string> = new Set(
  "enter escape tab space backspace delete insert home end pageup pagedown up down left right".split(" "),
);
