import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

export interface AskPass extends Disposable {
  /** For this command alone. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A program that hands the password to `sudo -A`, until it is disposed. `folder` is readable by nobody else. The password
 * is in no argument and no variable: `printf` is part of the shell.
 */
export function createAskPass(password: string, folder: string): Result<AskPass, EnvironmentError> {
  const path = join(folder, `ask-${randomHex(8)}`);
  try {
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' ${quoteForShell(password)}\n`, { mode: 0o700, flag: "wx" });
  } catch (thrown) {
    rmSync(path, { force: true });
    return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
  }
  return ok({ env: { SUDO_ASKPASS: path }, [Symbol.dispose]: () => rmSync(path, { force: true }) });
}
