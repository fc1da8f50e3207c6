import type { Redactor, ShownText } from "../contracts/tool/dispatch.ts";
import { createRedactor, type RedactionMode } from "./secrets/redact.ts";

/** Masks configured secrets, and text that looks like a secret. */
export interface SecretRedactor extends Redactor {
  /** Masks this value from now on. */
  add(value: string): void;
}

export function createSecretRedactor(values: Iterable<string>): SecretRedactor {
  const redactor = createRedactor(values);
  return {
    add: redactor.add,
    redact: (text, shown) =>
      redactor.redact(text, modeOf(shown), shown?.command === undefined ? {} : { command: shown.command }),
  };
}

function modeOf(shown: ShownText | undefined): RedactionMode {
  if (shown === undefined) return "log";
  return shown.kind === "file" ? "file" : "terminal";
}
