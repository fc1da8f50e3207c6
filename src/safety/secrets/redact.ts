import { createMask } from "../../base/text/mask.ts";
import { credentialsInPlace } from "./credentials-in-place.ts";
import { encodedTokens } from "./encoded-tokens.ts";
import { dumpsEnvironment, isSettingsFile } from "./environment-dump.ts";
import { namedValues } from "./named-values.ts";
import { type RedactionStream, redactStream } from "./redact-stream.ts";
import { manifestSecrets } from "./secret-manifests.ts";
import { joinSpans, type SecretSpan } from "./span.ts";
import { isDocumented } from "./value-shape.ts";
import { brokenTokens, longSequences, vendorTokens } from "./vendor-tokens.ts";
import { withoutInvisible } from "./visible-text.ts";

/**
 * The destination of a redacted text. `log`: logs, transcripts, exports. `terminal`: command output, read as code
 * unless the command prints settings. `file`: a file shown for editing, read as code unless it is a file of settings.
 * `egress`: text that leaves the machine.
 */
export type RedactionMode = "log" | "terminal" | "file" | "egress";

export interface RedactionContext {
  /** The command that printed the text. */
  readonly command?: string;
  /** The file that the text comes from. */
  readonly path?: string;
}

/**
 * Masks the secrets in a text. Idempotent. For display only: a mask contains `***`, which write_file and patch reject
 * as a value. Does not detect a secret that is split between two texts: use `redactStream` for a text that arrives in
 * chunks. Takes linear time.
 */
export function redactSecrets(text: string, mode: RedactionMode, context: RedactionContext = {}): string {
  return hide(text, mode, isStrict(mode, context), () => false);
}

/** `isKnown` returns whether a text contains a configured value. */
function hide(text: string, mode: RedactionMode, isAll: boolean, isKnown: (decoded: string) => boolean): string {
  const seen = withoutInvisible(text);
  const isDump = mode === "terminal" && isAll;
  const spans = joinSpans(
    inWindows(seen.text, (part) => [...secretsIn(part, isAll, isKnown), ...(isDump ? keyLines(part) : [])]),
  );
  let shown = "";
  let from = 0;
  for (const { start, end } of spans) {
    const first = seen.at(start);
    shown += text.slice(from, first) + masked(seen.text.slice(start, end), mode);
    from = seen.at(end - 1) + 1;
  }
  return from === 0 ? text : shown + text.slice(from);
}

export interface ModeRedactor {
  /** Masks this value in every encoding from now on, even if it does not look like a secret. */
  add(value: string): void;
  redact(text: string, mode: RedactionMode, context?: RedactionContext): string;
  /** Masks secrets in a text that arrives in chunks. */
  stream(mode: RedactionMode, context?: RedactionContext): RedactionStream;
}

/** Masks configured values and everything else that looks like a secret. */
export function createRedactor(values: Iterable<string>): ModeRedactor {
  const mask = createMask();
  let hasWords = false;
  /**
   * A cache, because names, commands and results of calls are redacted for display, log and model, and scripts repeat
   * calls.
   */
  const before = new Map<string, string>();
  let cachedChars = 0;
  let latest: { readonly command: string; readonly isAll: boolean } | undefined;
  const add = (value: string): void => {
    before.clear();
    mask.add(value);
    hasWords ||= /\S\s+\S/u.test(value);
  };
  for (const value of values) add(value);
  const isKnown = (text: string): boolean => mask.redact(text) !== text;
  const redact: ModeRedactor["redact"] = (text, mode, context = {}) => {
    if (plainWord.test(text)) return mask.redact(text);
    const isAll = isStrictFor(mode, context);
    if (text.length > shortChars) return hide(mask.redact(text), mode, isAll, isKnown);
    const key = `${mode} ${isAll} ${text}`;
    const cached = before.get(key);
    if (cached !== undefined) return cached;
    const shown = hide(mask.redact(text), mode, isAll, isKnown);
    if (cachedChars >= maxCachedChars || before.size >= maxBefore) {
      before.clear();
      cachedChars = 0;
    }
    before.set(key, shown);
    cachedChars += text.length;
    return shown;
  };
  /** The result is cached, because all texts of a result come from the same command. */
  function isStrictFor(mode: RedactionMode, { command, path }: RedactionContext): boolean {
    if (mode !== "terminal" || command === undefined) return isStrict(mode, path === undefined ? {} : { path });
    if (latest?.command !== command) latest = { command, isAll: isStrict(mode, { command }) };
    return latest.isAll;
  }
  return {
    add,
    redact,
    stream: (mode, context) =>
      redactStream(
        (text) => redact(text, mode, context),
        () => hasWords,
      ),
  };
}

/**
 * Matches texts that cannot contain a secret: too short for a name with a value, or a single word that is not random.
 */
const plainWord = /^(?:[^]{0,6}|[A-Z]?[a-z_]{1,23}|(?!A[KS]IA)[A-Z_]{1,24})$/u;
const shortChars = 4_096;
const maxBefore = 1_000;
const maxCachedChars = 400_000;

/**
 * Searches a long text in overlapping parts, because a pattern fails on a single word of many millions of characters.
 */
function inWindows(text: string, find: (part: string) => readonly SecretSpan[]): readonly SecretSpan[] {
  if (text.length <= windowChars) return find(text);
  const matches: SecretSpan[] = [];
  for (let from = 0; from < text.length; from += windowChars) {
    const spans = find(text.slice(from, from + windowChars + overlapChars));
    for (const { start, end } of spans) matches.push({ start: from + start, end: from + end });
  }
  return matches;
}

const windowChars = 1_000_000;
/** The overlap of the parts. No secret is this long. */
const overlapChars = 64_000;

function isStrict(mode: RedactionMode, { command, path }: RedactionContext): boolean {
  if (mode === "terminal") return command !== undefined && dumpsEnvironment(command);
  return mode !== "file" || (path !== undefined && isSettingsFile(path));
}

function secretsIn(text: string, isStrict: boolean, isKnown: (decoded: string) => boolean): SecretSpan[] {
  const strictness = isStrict ? "all" : "generated";
  const sequences = longSequences(text);
  const matches = [
    ...vendorTokens(text, sequences),
    ...brokenTokens(text),
    ...credentialsInPlace(text, strictness),
    ...namedValues(text, strictness),
    ...(text.includes("ata") ? manifestSecrets(text) : []),
    ...encodedTokens(text, sequences, (decoded) => [
      ...vendorTokens(decoded),
      ...namedValues(decoded, "generated"),
      ...(isKnown(decoded) ? [{ start: 0, end: decoded.length }] : []),
    ]),
  ];
  const secrets = matches.filter(({ start, end }) => !isDocumented(text.slice(start, end)));
  return isStrict ? [...secrets, ...phoneNumbers(text)] : secrets;
}

/** Lines of a key whose frame a filter removed, as `cut -d= -f1 .env` does. */
function keyLines(text: string): SecretSpan[] {
  return [...text.matchAll(/(?:^[A-Za-z0-9+/]{64}\r?\n){2,}(?:[A-Za-z0-9+/]{1,64}={0,2}$)?/gmu)].map(
    ({ 0: lines, index }) => ({ start: index, end: index + lines.trimEnd().length }),
  );
}

/** Phone numbers in E.164 form, with a country code and at least ten digits. */
function phoneNumbers(text: string): SecretSpan[] {
  return [...text.matchAll(/\+[1-9]\d{9,14}(?![\w.-])/gu)]
    .filter(({ index }) => !/[\w+.-]/u.test(text.charAt(index - 1)))
    .map(({ 0: number, index }) => ({ start: index, end: index + number.length }));
}

/**
 * Masks a secret: a short one completely; a long one keeps its ends. In a file, the mask cannot be mistaken for a
 * value.
 */
function masked(secret: string, mode: RedactionMode): string {
  if (secret.includes("\n") || secret.includes("\\n")) return "***";
  return secret.length < 18 || mode === "file" ? "***" : `${secret.slice(0, 6)}***${secret.slice(-4)}`;
}
