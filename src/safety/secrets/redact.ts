import { createMask } from "../../base/mask.ts";
import { credentialsInPlace } from "./credentials-in-place.ts";
import { encodedTokens } from "./encoded-tokens.ts";
import { dumpsEnvironment } from "./environment-dump.ts";
import { namedValues } from "./named-values.ts";
import { joinSpans, type Span } from "./span.ts";
import { vendorTokens } from "./vendor-tokens.ts";
import { withoutInvisible } from "./without-invisible.ts";

/**
 * What a text is hidden for. `log`: logs, transcripts, exports. `terminal`: output of a command, read as code unless the
 * command prints settings. `file`: a file that is shown to be edited. `egress`: what leaves the machine.
 */
export type RedactionMode = "log" | "terminal" | "file" | "egress";

export interface RedactionContext {
  /** The command whose output the text is. */
  readonly command?: string;
}

/**
 * The text with its secrets hidden; the same again when it is hidden twice. For display only: a mask holds `***`, which
 * write_file and patch refuse where a value stood. A stream is to be handed over in whole lines, a PEM key as a whole:
 * a secret that is cut in two is not seen. Linear in the length of the text.
 */
export function redactSecrets(text: string, mode: RedactionMode, context: RedactionContext = {}): string {
  const seen = withoutInvisible(text);
  const spans = joinSpans(secretsIn(seen.text, isStrict(mode, context)));
  let shown = "";
  let from = 0;
  for (const { start, end } of spans) {
    const first = seen.at(start);
    shown += text.slice(from, first) + masked(seen.text.slice(start, end), mode);
    from = seen.at(end - 1) + 1;
  }
  return from === 0 ? text : shown + text.slice(from);
}

export interface Redactor {
  /** From now on this value is hidden in every spelling, whatever it looks like. */
  add(value: string): void;
  redact(text: string, mode: RedactionMode, context?: RedactionContext): string;
}

/** Hides the values that were configured, and whatever else looks like a secret. */
export function createRedactor(values: Iterable<string>): Redactor {
  const mask = createMask();
  for (const value of values) mask.add(value);
  return {
    add: (value) => mask.add(value),
    redact: (text, mode, context) => redactSecrets(mask.redact(text), mode, context),
  };
}

function isStrict(mode: RedactionMode, { command }: RedactionContext): boolean {
  if (mode === "terminal") return command !== undefined && dumpsEnvironment(command);
  return mode !== "file";
}

function secretsIn(text: string, isStrict: boolean): Span[] {
  const strictness = isStrict ? "all" : "generated";
  const found = [
    ...vendorTokens(text),
    ...credentialsInPlace(text, strictness),
    ...namedValues(text, strictness),
    ...encodedTokens(text, vendorTokens),
  ];
  return isStrict ? [...found, ...phoneNumbers(text)] : found;
}

/** As E.164 writes them, with a country and at least ten digits. */
function phoneNumbers(text: string): Span[] {
  return [...text.matchAll(/(?<![\w+.-])\+[1-9]\d{9,14}(?![\w.-])/gu)].map(({ 0: number, index }) => ({
    start: index,
    end: index + number.length,
  }));
}

/** Short ones vanish; of long ones enough is left to tell them apart. In a file nothing that could pass for a value. */
function masked(secret: string, mode: RedactionMode): string {
  if (secret.includes("\n") || secret.includes("\\n")) return "***";
  return secret.length < 18 || mode === "file" ? "***" : `${secret.slice(0, 6)}***${secret.slice(-4)}`;
}
