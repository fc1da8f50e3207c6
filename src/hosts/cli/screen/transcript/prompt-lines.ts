import { textWidth } from "../../../../base/text/text-width.ts";
import { printableLines } from "../../chat/feed/result-lines.ts";
import { wrapPlain } from "../../markdown/wrap-runs.ts";
import type { Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

export interface PromptLook {
  readonly theme: Theme;
  readonly texts: ScreenTexts["transcript"];
  readonly columns: number;
  readonly time?: string;
}

/** A prompt of the person, after the sign of the input. */
export function promptLines(text: string, { theme, texts, columns, time }: PromptLook): readonly string[] {
  const sign = `${theme.promptSymbol} `;
  const hang = " ".repeat(textWidth(sign));
  const lines = printableLines(text);
  const shown = lines.length <= maxLines + 1 ? lines : lines.slice(0, maxLines);
  const left = lines.length - shown.length;
  const wrapped = shown.flatMap((line) => wrapPlain(line, Math.max(8, columns - hang.length)));
  const [first = "", ...rest] = wrapped;
  const stamp = time === undefined ? "" : theme.dim(`${time} `);
  return [
    `${stamp}${theme.paintAs("prompt", sign)}${first}`,
    ...rest.map((line) => `${hang}${line}`),
    ...(left > 0 ? [`${hang}${theme.dim(texts.moreLines(left))}`] : []),
  ];
}

const maxLines = 12;
