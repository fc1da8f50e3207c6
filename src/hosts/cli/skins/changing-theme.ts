import type { Theme } from "../screen/parts.ts";

/** A theme that can be replaced while parts of a chat have a reference to it. */
export interface ChangingTheme extends Theme {
  use(theme: Theme): void;
}

export function createChangingTheme(first: Theme): ChangingTheme {
  let current = first;
  return {
    use: (theme) => void (current = theme),
    bold: (text) => current.bold(text),
    italic: (text) => current.italic(text),
    underline: (text) => current.underline(text),
    dim: (text) => current.dim(text),
    good: (text) => current.good(text),
    bad: (text) => current.bad(text),
    warn: (text) => current.warn(text),
    accent: (text) => current.accent(text),
    paintAs: (role, text) => current.paintAs(role, text),
    toolEmoji: (tool) => current.toolEmoji(tool),
    get isColoured() {
      return current.isColoured;
    },
    get isLight() {
      return current.isLight;
    },
    get skin() {
      return current.skin;
    },
    get promptSymbol() {
      return current.promptSymbol;
    },
    get toolPrefix() {
      return current.toolPrefix;
    },
    get spinner() {
      return current.spinner;
    },
    get branding() {
      return current.branding;
    },
    get banner() {
      return current.banner;
    },
  };
}
