import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colours; plain text without a terminal, and with NO_COLOR or --json. */
export interface Paint {
  readonly isColoured: boolean;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  accent(text: string): string;
}

export function createPaint(colours: boolean): Paint {
  const apply = (style: Style) => (text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text;
  return {
    isColoured: colours,
    bold: apply("bold"),
    italic: apply("italic"),
    underline: apply("underline"),
    dim: apply("dim"),
    good: apply("green"),
    bad: apply("red"),
    warn: apply("yellow"),
    accent: apply("cyan"),
  };
}
