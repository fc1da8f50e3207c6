import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";

export interface ServeToken {
  readonly token: string;
  /** Where the token is stored. Undefined: in the environment. */
  readonly file?: string;
  /** True if the token was just created. */
  readonly isNew: boolean;
}

/** The token that clients of the HTTP server send: `HERMES_MCP_TOKEN`, or that of the home, which is created if missing. */
export async function serveToken({ home, secrets }: LoadedConfig): Promise<Result<ServeToken>> {
  const named = secrets.get("HERMES_MCP_TOKEN");
  if (named) {
    if (named.length < minChars)
      return err({ message: `HERMES_MCP_TOKEN is too short: it needs ${minChars} characters.` });
    return ok({ token: named, isNew: false });
  }
  const file = join(home.path, homeFiles.mcpServeToken);
  const stored = (await readFile(file, "utf8").catch(() => "")).trim();
  if (stored.length >= minChars) return ok({ token: stored, file, isNew: false });
  const token = randomHex(32);
  await makeFolder(home.path, 0o700);
  const written = await writeFileAtomic(file, `${token}\n`, { mode: 0o600 });
  return written.ok ? ok({ token, file, isNew: true }) : err({ message: written.error.message });
}

const minChars = 16;
