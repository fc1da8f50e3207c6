import { realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { homeFiles, originalFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

/** A file of the home that commands may read on every backend. */
export interface CredentialFile {
  /** Path below the home, the same on the remote side. */
  readonly name: string;
  readonly real: string;
}

/**
 * The files that `terminal.credential_files` names. A file that is missing, not regular or outside the home is an error
 * in the settings: a command must not run without a required file or with an unintended one.
 */
export function credentialFiles({
  values,
  home,
}: Pick<LoadedConfig, "values" | "home">): Result<readonly CredentialFile[], EnvironmentError> {
  const matches: CredentialFile[] = [];
  for (const listed of values.terminal.credential_files) {
    const file = credentialFileIn(home.path, listed);
    if (!file.ok) {
      const message = `terminal.credential_files: ${listed} ${file.error}`;
      return err({ kind: "misconfigured", message, hint: "Correct the list." });
    }
    matches.push(file.value);
  }
  return ok(matches);
}

/** A file that a skill may request: never the home's own files, such as keys and sessions. */
export function skillCredential(home: string, listed: string): Result<CredentialFile, string> {
  const result = credentialFileIn(home, listed);
  if (!result.ok) return result;
  const real = relative(realOf(home) ?? home, result.value.real);
  const isOurs = [result.value.name, real].some((name) =>
    ownNames.some((own) => name === own || name.startsWith(`${own}${sep}`) || name.startsWith(`${own}-`)),
  );
  return isOurs ? err("belongs to Hermes itself") : result;
}

const ownNames: readonly string[] = [...Object.values(homeFiles), ...originalFiles];

/** The error completes a sentence that starts with the name. */
function credentialFileIn(home: string, listed: string): Result<CredentialFile, string> {
  const path = join(home, listed);
  const real = realOf(path);
  if (real === undefined || !statSync(real).isFile()) return err("is not a file of the home");
  const isWithin = isInside(realOf(home) ?? home, real) && isInside(home, path);
  return isWithin ? ok({ name: relative(home, path), real }) : err("leads out of the home");
}

function realOf(path: string): string | undefined {
  return valueOr(() => realpathSync(path), undefined);
}
