import { join } from "node:path";

import { type Home, homeFiles } from "../../config/home.ts";
import { readCredentials } from "../../providers/credentials/credential-file.ts";
import { createSecretRedactor, type SecretRedactor } from "../../safety/secrets.ts";

/** One for a process: results, questions, logs and records pass through it. It hides the keys that the home stores too. */
export function openRedactor(secrets: { readonly values: readonly string[] }, home?: Home): SecretRedactor {
  const redactor = createSecretRedactor(secrets.values);
  const stored = home === undefined ? undefined : readCredentials(join(home.path, homeFiles.credentials));
  const kept = stored?.ok ? Object.values(stored.value.keys).flat() : [];
  for (const { key, grant } of kept) for (const secret of [key, grant?.refreshToken ?? ""]) redactor.add(secret);
  return redactor;
}
