import type { Redactor, Shown } from "../contracts/dispatch.ts";
import { createRedactor, type RedactionMode } from "../safety/secrets/redact.ts";

/** Hides what is configured as a secret, and what looks like one. */
export interface SecretRedactor extends Redactor {
  /** From now on this value is hidden too. */
  add(value: string): void;
}

/** One for a process: results, questions, logs and records pass through it. */
export function openRedactor(secrets: { readonly values: readonly string[] }): SecretRedactor {
  const redactor = createRedactor(secrets.values);
  return {
    add: redactor.add,
    redact: (text, shown) =>
      redactor.redact(text, modeOf(shown), shown?.command === undefined ? {} : { command: shown.command }),
  };
}

function modeOf(shown: Shown | undefined): RedactionMode {
  if (shown === undefined) return "log";
  return shown.kind === "file" ? "file" : "terminal";
}
