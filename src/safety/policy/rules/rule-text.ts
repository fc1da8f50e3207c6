import { expandHome } from "../../../base/files/path.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";

/** A rule of the user for the words of one command or one effect: `git push *`, `@write /srv/data/*`. */
export interface WordRule {
  /** The words, starting with the program or the kind of effect. */
  readonly words: readonly RuleWord[];
  /** True if the rule ends with a separate `*`, which matches any further words or none. */
  readonly hasRest: boolean;
  /** The folder of `# in=FOLDER`: the rule applies only there. */
  readonly in?: string;
  /** The id of `# rule=ID`: the rule answers, or applies to, only questions of that rule. */
  readonly rule?: string;
  /** The programs of `# via='sudo -u bob,bash'`: the rule applies only when these programs run the command. */
  readonly via: readonly string[];
  /** The text of the rule as the user wrote it. */
  readonly text: string;
}

export interface RuleWord {
  readonly text: string;
  /** True if the word has an unquoted `*`, `?` or `[…]`. */
  readonly isGlob: boolean;
  /** The kind of a word that is not an argument: the target of a redirection, or a variable set before the program. */
  readonly mark?: WordMark;
}

export type WordMark = ">" | ">>" | "<" | "<>" | "=";

/**
 * Parses a rule. Quotes and backslashes work as in a shell, `~/` is the home folder. A rule is one command: script
 * syntax (`;`, `|`, `$x`) and anything that cannot be understood is an error. Never throws.
 */
export function parseRule(text: string, home: string): Result<WordRule, string> {
  const tokens = tokenize(text);
  if (!tokens.ok) return tokens;
  const offset = tokens.value.findIndex(({ isComment }) => isComment);
  const attributes = readAttributes(offset < 0 ? [] : tokens.value.slice(offset));
  if (!attributes.ok) return attributes;
  const words = readWords(offset < 0 ? tokens.value : tokens.value.slice(0, offset), home);
  if (!words.ok) return words;
  const last = words.value.at(-1);
  const hasRest = words.value.length > 1 && last?.mark === undefined && last?.isGlob === true && last.text === "*";
  const kept = hasRest ? words.value.slice(0, -1) : words.value;
  if (!kept.some(({ mark }) => mark === undefined)) return err("it contains no program");
  return ok({ words: kept, hasRest, via: [], ...attributes.value, text });
}

/** Formats a rule as text that `parseRule` can parse. */
export function ruleText(rule: Omit<WordRule, "text">): string {
  const words = rule.words.map(({ text, isGlob, mark }) => {
    if (mark === "=") return assigned(text);
    const written = isGlob ? text : quoteForShellIfNeeded(text);
    return mark === undefined ? written : `${mark} ${written}`;
  });
  if (rule.hasRest) words.push("*");
  const attributes = [
    ...(rule.in === undefined ? [] : [`in=${quoteForShellIfNeeded(rule.in)}`]),
    ...(rule.via.length === 0 ? [] : [`via=${quoteForShellIfNeeded(rule.via.join(","))}`]),
    ...(rule.rule === undefined ? [] : [`rule=${rule.rule}`]),
  ];
  return attributes.length === 0 ? words.join(" ") : `${words.join(" ")} # ${attributes.join(" ")}`;
}

const maxChars = 10_000;

// oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

interface Token {
  readonly text: string;
  readonly isGlob: boolean;
  /** True if no part of the word was quoted. */
  readonly isPlain: boolean;
  readonly isComment: boolean;
}

function tokenize(text: string): Result<readonly Token[], string> {
  if (text.length > maxChars) return err(`it is longer than ${maxChars} characters`);
  if (unseen.test(text) || !text.isWellFormed()) return err("it contains invisible characters");
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < text.length) {
    if (/\s/u.test(text[offset] ?? "")) offset += 1;
    else {
      const read = readToken(text, offset);
      if (!read.ok) return read;
      tokens.push(read.value.token);
      offset = read.value.end;
    }
  }
  return tokens.length === 0 ? err("it is empty") : ok(tokens);
}

function readToken(text: string, start: number): Result<{ readonly token: Token; readonly end: number }, string> {
  const isComment = text[start] === "#";
  /** The pieces of the word. Globs are recognised only in unquoted pieces. */
  const pieces: { readonly text: string; readonly isQuoted: boolean }[] = [];
  let offset = start;
  while (offset < text.length && !/\s/u.test(text[offset] ?? "")) {
    const char = text[offset] ?? "";
    if (char === "'" || char === '"') {
      const quoted = readQuoted(text, offset);
      if (!quoted.ok) return quoted;
      pieces.push({ text: quoted.value.text, isQuoted: true });
      offset = quoted.value.end;
    } else if (char === "\\") {
      if (offset + 1 >= text.length) return err("it ends in a backslash");
      pieces.push({ text: text[offset + 1] ?? "", isQuoted: true });
      offset += 2;
    } else if (!isComment && /[;&|()`$]/u.test(char)) {
      return err(`a rule is one command, and ${char} makes it a script; write '${char}' where the character is meant`);
    } else {
      pieces.push({ text: char, isQuoted: false });
      offset += 1;
    }
  }
  const isGlob = pieces.some(({ text: piece, isQuoted }) => !isQuoted && /[*?[]/u.test(piece));
  const whole = pieces.map(({ text: piece, isQuoted }) => (isGlob && isQuoted ? bracketed(piece) : piece)).join("");
  return ok({
    token: { text: whole, isGlob, isPlain: pieces.every(({ isQuoted }) => !isQuoted), isComment },
    end: offset,
  });
}

function readQuoted(text: string, start: number): Result<{ readonly text: string; readonly end: number }, string> {
  const quote = text[start] ?? "";
  let inside = "";
  for (let offset = start + 1; offset < text.length; offset++) {
    const char = text[offset] ?? "";
    if (char === quote) return ok({ text: inside, end: offset + 1 });
    if (quote === '"' && char === "\\" && /["\\$`]/u.test(text[offset + 1] ?? "")) {
      inside += text[offset + 1] ?? "";
      offset += 1;
    } else if (quote === '"' && /[$`]/u.test(char)) return err("a rule is one command, and $ makes it a script");
    else inside += char;
  }
  return err("a quote is not closed");
}

/** Escapes glob characters. */
function bracketed(text: string): string {
  return text.replaceAll(/[*?[]/gu, (char) => `[${char}]`);
}

const redirection = /^(>>|<>|>|<)(.*)$/su;
const assignment = /^[A-Za-z_]\w*=/u;

function readWords(tokens: readonly Token[], home: string): Result<readonly RuleWord[], string> {
  const words: RuleWord[] = [];
  let mark: WordMark | undefined;
  for (const { text, isGlob, isPlain } of tokens) {
    const redirected = isPlain && mark === undefined ? redirection.exec(text) : null;
    // Safe cast: the pattern matches only these four marks.
    if (redirected) mark = redirected[1] as WordMark;
    const rest = redirected ? (redirected[2] ?? "") : text;
    if (redirected && rest === "") continue;
    const isBefore = words.every((word) => word.mark === "=");
    const isSet = mark === undefined && isBefore && assignment.test(text) && !isGlob;
    const whole = isPlain ? expandHome(rest, home) : rest;
    words.push({ text: whole, isGlob, ...(isSet ? { mark: "=" as const } : mark !== undefined && { mark }) });
    mark = undefined;
  }
  return mark === undefined ? ok(words) : err(`${mark} has no file behind it`);
}

function readAttributes(tokens: readonly Token[]): Result<Partial<Pick<WordRule, "in" | "rule" | "via">>, string> {
  const parsed: { in?: string; rule?: string; via?: readonly string[] } = {};
  const texts = tokens.map(({ text }, index) => (index === 0 ? text.slice(1) : text)).filter((text) => text !== "");
  for (const text of texts) {
    const [, name, value] = /^(in|rule|via)=(.+)$/su.exec(text) ?? [];
    if (name === undefined || value === undefined)
      return err(`"${text}" after # is none of in=FOLDER, rule=ID, via=PROGRAMS; quote the # where it is meant`);
    if (name === "via") parsed.via = value.split(",");
    else if (name === "in" && !value.startsWith("/")) return err(`in=${value} must be a whole path, from / on`);
    else if (name === "in") parsed.in = value;
    else parsed.rule = value;
  }
  return ok(parsed);
}

function assigned(text: string): string {
  const offset = text.indexOf("=") + 1;
  const value = text.slice(offset);
  return text.slice(0, offset) + (value === "" ? "" : quoteForShellIfNeeded(value));
}
