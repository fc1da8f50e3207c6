import { join } from "node:path";

import { type Home, homeFiles } from "../../config/home.ts";
import { readCredentials } from "../../providers/credentials/credential-file.ts";
import { createSecretRedactor, type SecretRedactor } from "../../safety/secrets.ts";

/** The redactor of the process for results, questions, logs and records. It also hides keys stored in the home. */
export function openRedactor(secrets: { readonly values: readonly string[] }, home?: Home): SecretRedactor {
  const redactor = createSecretRedactor(secrets.values);
  const stored = home === undefined ? undefined : readCredentials(join(home.path, homeFiles.credentials));
  const kept = stored?.ok ? Object.values(stored.value.keys).flat() : [];
  for (const { key, grant } of kept) for (const secret of [key, grant?.refreshToken ?? ""]) redactor.add(secret);
  return redactor;
}
