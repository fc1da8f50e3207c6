import type { Paint } from "../../paint.ts";
import type { Theme, ThemeRole } from "../parts.ts";

/** A theme without a skin: the colours of the terminal. */
export function createPlainTheme(paint: Paint): Theme {
  const same = (text: string) => text;
  const roles: Readonly<Record<ThemeRole, (text: string) => string>> = {
    border: paint.dim,
    title: paint.bold,
    accent: paint.accent,
    dim: paint.dim,
    text: same,
    label: paint.accent,
    ok: paint.good,
    error: paint.bad,
    warn: paint.warn,
    prompt: paint.accent,
    rule: paint.dim,
    response: paint.accent,
    session: paint.dim,
    status: paint.dim,
    selection: paint.bold,
    menu: same,
    menuCurrent: paint.bold,
    menuMeta: paint.dim,
    menuCurrentMeta: paint.dim,
    added: paint.good,
    removed: paint.bad,
    code: paint.accent,
  };
  return {
    ...paint,
    skin: "default",
    isLight: false,
    paintAs: (role, text) => roles[role](text),
    promptSymbol: "❯",
    toolPrefix: "┊",
    toolEmoji: () => undefined,
    spinner: {
      waitingFaces: ["(・_・)", "(◔_◔)", "(•‿•)"],
      thinkingFaces: ["(¬‿¬)", "(・・?)", "(⌐■_■)"],
      verbs: ["thinking", "pondering", "working"],
      wings: [],
    },
    branding: {},
    banner: { logo: "", hero: "" },
  };
}
