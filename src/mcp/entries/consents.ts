import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { programHash } from "./entry-checks.ts";

/** Server programs that the user accepted, by the hash of the text that was shown. */
export interface ProgramConsents {
  has(entry: McpServerEntry): boolean;
  accept(entries: readonly McpServerEntry[], signal: AbortSignal): Promise<Result<void>>;
}

export function openProgramConsents(file: string, clock: Clock): ProgramConsents {
  return {
    has: (entry) => readConsents(file)[programHash(entry)] !== undefined,
    async accept(entries, signal) {
      await makeFolder(dirname(file), 0o700);
      const locked = await withFileLock(
        file,
        async (): Promise<Result<void>> => {
          const accepted = entries.map((entry) => [
            programHash(entry),
            { server: entry.name, acceptedAt: clock.now() },
          ]);
          const programs = { ...readConsents(file), ...Object.fromEntries(accepted) };
          const text = `${JSON.stringify({ version: 1, programs }, undefined, 2)}\n`;
          const written = await writeFileAtomic(file, text, { mode: 0o600 });
          return written.ok ? ok(undefined) : err({ message: written.error.message });
        },
        { signal, timeoutMs: 10_000, clock },
      );
      return locked.ok ? locked.value : err({ message: locked.error.message });
    },
  };
}

function readConsents(file: string): Readonly<Record<string, unknown>> {
  try {
    const { programs } = parsedObject(readFileSync(file, "utf8"));
    return isObject(programs) ? programs : {};
  } catch {
    return {};
  }
}
