import { cut } from "../../../base/text/text.ts";

/** Makes `$` also match before `\r\n`, unless the pattern contains `\r` itself. */
export function wantsCrlf(pattern: string): boolean {
  return pattern.includes("$") && !/\\r|\r|\\x0d/iu.test(pattern);
}

/** Returns whether the pattern contains a line end outside of `[^…]`, so that a match spans lines. */
export function namesLineEnd(pattern: string): boolean {
  const rest = pattern.replace(/\\[^n]/gsu, "").replace(/\[\^[^\]]*\]/gu, "");
  return /\\n|\n/u.test(rest);
}

/**
 * Extracts the reason why ripgrep rejected a pattern and, if given, the position. ripgrep shows the pattern indented
 * and, since version 14, in `(?:…)`.
 */
export function patternFault(messages: string): string | undefined {
  const [, start, carets, reason] = /^( {4}(?:\(\?:)?).*\n( *)\^+\n(?:.*\n)*?error: (.*)$/mu.exec(messages) ?? [];
  if (start !== undefined && carets !== undefined && reason !== undefined)
    return `${reason} (character ${Math.max(1, carets.length - start.length + 1)})`;
  return /^.*(?:regex|pattern|literal|look-around|backreference|repetition).*$/imu.exec(messages)?.[0];
}

/** Explains to the model why ripgrep rejected a pattern and what to write instead. */
export function explainPatternFault(pattern: string, reason: string): string {
  return `The pattern is not a valid regular expression: ${reason.replace(/\.$/u, "")}. ${advice(pattern, reason)}`;
}

function advice(pattern: string, reason: string): string {
  if (/look-around|backreference/u.test(reason))
    return "Search for a simpler part and filter the matches, or use grep -P in the terminal.";
  if (/"\\n" is not allowed/u.test(reason)) return "Set multiline to true.";
  return `To search for this exact text, write ${JSON.stringify(literalPattern(cut(pattern, 200)))}.`;
}

/** Returns a pattern that matches a text literally. */
export function literalPattern(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/gu, String.raw`\$&`);
}
