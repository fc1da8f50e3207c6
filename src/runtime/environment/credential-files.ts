import { realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";

import { isInside } from "../../base/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { EnvironmentError } from "../../contracts/environment.ts";

/** A file of the home that commands on another backend may read. */
export interface CredentialFile {
  /** Below the home, as it is there on the other side. */
  readonly name: string;
  readonly real: string;
}

/**
 * The files that `terminal.credential_files` names. One that is missing, is no file or leads out of the home is a fault of
 * the settings: a command must not run without what it was promised, or with what nobody meant.
 */
export async function credentialFiles({
  values,
  home,
}: Pick<LoadedConfig, "values" | "home">): Promise<Result<readonly CredentialFile[], EnvironmentError>> {
  const root = await realpath(home.path).catch(() => home.path);
  const found: CredentialFile[] = [];
  for (const listed of values.terminal.credential_files) {
    const path = join(home.path, listed);
    const real = await realpath(path).catch(() => undefined);
    const fault = (what: string): Result<never, EnvironmentError> =>
      err({
        kind: "misconfigured",
        message: `terminal.credential_files: ${listed} ${what}`,
        hint: "Correct the list.",
      });
    if (real === undefined || !(await stat(real)).isFile()) return fault("is no file of the home");
    if (!isInside(root, real) || !isInside(home.path, path)) return fault("leads out of the home");
    found.push({ name: relative(home.path, path), real });
  }
  return ok(found);
}
