import { runStyles, runText, type TextRun, withStyle } from "./text-runs.ts";

/** A link. Its address follows in brackets, unless the terminal supports links or the label is the address. */
export function linkRuns(
  label: readonly TextRun[],
  url: string,
  { hyperlinks, isColoured }: { readonly hyperlinks: boolean; readonly isColoured: boolean },
): readonly TextRun[] {
  const words = runText(label);
  const address = safeAddress(url);
  const about = address === undefined ? {} : { url: address };
  if (words === "" || words === url) return [{ text: url, style: runStyles.underline, ...about }];
  const shown = withStyle(label, runStyles.underline).map((run) => ({ ...run, ...about }));
  const isHidden = hyperlinks && isColoured && address !== undefined && !claimsAddress(words);
  return isHidden ? shown : [...shown, { text: " ", style: 0 }, { text: `(${url})`, style: runStyles.dim, ...about }];
}

/** Removes punctuation at the end of a URL that belongs to the sentence. */
export function linkUrl(text: string): string {
  let url = text;
  for (;;) {
    const last = url.at(-1) ?? "";
    const isOutside =
      /[.,;:!?'"_~*]/u.test(last) || (last === ")" && count(url, ")") > count(url, "(")) || /[\]}]/u.test(last);
    if (!isOutside || url.length < 9) return url;
    url = url.slice(0, -1);
  }
}

/** Whether a label looks like an address and could hide the real one. */
function claimsAddress(label: string): boolean {
  return /(?:\w\.\w{2,}|:\/\/)/u.test(label) && !/\s/u.test(label.trim());
}

/**
 * The address to open on a click, with everything encoded that a terminal could misread. Undefined: it must not be
 * opened.
 */
function safeAddress(url: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/iu.test(url)) return undefined;
  return url.replaceAll(/[^!-~]/gu, (char) => (char.isWellFormed() ? encodeURIComponent(char) : ""));
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}
