import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../../base/clock.ts";
import { sha256 } from "../../../base/digest.ts";
import { withFileLock, writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../../base/files/file-fault.ts";
import { fileStamp } from "../../../base/files/file-stamp.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { isObject } from "../../../base/json.ts";
import { err, type Result } from "../../../base/result.ts";
import type { Principal } from "../../../contracts/safety/principal.ts";

/** Stores permanent rules that principals other than the owner of the home granted. Each principal has one file. */
export interface PrincipalGrants {
  /** Reads the rules of a principal. An unreadable file grants nothing. */
  read(who: Principal): Promise<readonly string[]>;
  add(who: Principal, rules: readonly string[], signal: AbortSignal): Promise<Result<void>>;
}

export function createPrincipalGrants(folder: string, clock: Clock): PrincipalGrants {
  const fileOf = (who: Principal) => join(folder, `${sha256(who.id).slice(0, 32)}.json`);

  /**
   * A cache of the rules by file, valid while the file has the same stamp, because every call of such a principal reads
   * them.
   */
  const readFiles = new Map<string, { readonly stamp: string; readonly rules: readonly string[] }>();

  async function read(who: Principal): Promise<readonly string[]> {
    const file = fileOf(who);
    const stamp = fileStamp(file);
    if (stamp === "") return [];
    const cached = readFiles.get(file);
    if (cached?.stamp === stamp) return cached.rules;
    const rules = await stored(who, file);
    readFiles.set(file, { stamp, rules });
    return rules;
  }

  async function stored(who: Principal, file: string): Promise<readonly string[]> {
    try {
      const parsed: unknown = JSON.parse(await readFile(file, "utf8"));
      const allow = isObject(parsed) && parsed["principal"] === who.id ? parsed["allow"] : undefined;
      return Array.isArray(allow) ? allow.filter((rule) => typeof rule === "string") : [];
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT" || thrown instanceof SyntaxError) return [];
      throw thrown;
    }
  }

  return {
    read,
    async add(who, rules, signal) {
      try {
        await makeFolder(folder, 0o700);
        const file = fileOf(who);
        const written = await withFileLock(
          file,
          async () => {
            const allow = [...new Set([...(await read(who)), ...rules])];
            return writeFileAtomic(file, JSON.stringify({ principal: who.id, allow }), { mode: 0o600 });
          },
          { signal, timeoutMs: 5_000, clock },
        );
        return written.ok ? written.value : written;
      } catch (thrown) {
        return err(describeFault(thrown, folder));
      }
    },
  };
}
