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
      redactor.redact(text, modeOf(shown?.kind), {
        ...(shown?.command !== undefined && { command: shown.command }),
        ...(shown?.path !== undefined && { path: shown.path }),
      }),
  };
}

function modeOf(kind: ShownText["kind"] | undefined): RedactionMode {
  if (kind === undefined) return "log";
  return kind === "file" ? "file" : "terminal";
}
