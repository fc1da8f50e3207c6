import { join } from "node:path";

import { type Home, homeFiles } from "../../config/home.ts";
import type { Redactor, ShownText } from "../../contracts/tool/dispatch.ts";
import { readCredentials } from "../../providers/credentials/credential-file.ts";
import { createRedactor, type RedactionMode } from "../../safety/secrets/redact.ts";

/** Hides what is configured as a secret, and what looks like one. */
export interface SecretRedactor extends Redactor {
  /** From now on this value is hidden too. */
  add(value: string): void;
}

/** One for a process: results, questions, logs and records pass through it. The keys that the home stores are known to it. */
export function openRedactor(secrets: { readonly values: readonly string[] }, home?: Home): SecretRedactor {
  const redactor = createRedactor(secrets.values);
  const stored = home === undefined ? undefined : readCredentials(join(home.path, homeFiles.credentials));
  const kept = stored?.ok ? Object.values(stored.value.keys).flat() : [];
  for (const { key, grant } of kept) for (const secret of [key, grant?.refreshToken ?? ""]) redactor.add(secret);
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
