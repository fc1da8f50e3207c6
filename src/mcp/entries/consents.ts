import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { programHash } from "./entry-checks.ts";

/** A program that the user accepts. */
export interface AcceptedProgram {
  readonly entry: McpServerEntry;
  /** The malware advisories about its package that the user saw. */
  readonly malware: readonly string[];
}

/** Server programs that the user accepted, by the hash of the text that was shown. */
export interface ProgramConsents {
  /** Whether the user accepted the program, and each of these advisories. */
  has(program: AcceptedProgram): boolean;
  accept(programs: readonly AcceptedProgram[], signal: AbortSignal): Promise<Result<void>>;
}

export function openProgramConsents(file: string, clock: Clock): ProgramConsents {
  return {
    has({ entry, malware }) {
      const consent = readConsents(file)[programHash(entry)];
      const accepted = isObject(consent) && Array.isArray(consent["malware"]) ? consent["malware"] : [];
      return consent !== undefined && malware.every((id) => accepted.includes(id));
    },
    async accept(programs, signal) {
      await makeFolder(dirname(file), 0o700);
      const locked = await withFileLock(
        file,
        async (): Promise<Result<void>> => {
          const accepted = programs.map(({ entry, malware }) => [
            programHash(entry),
            { server: entry.name, acceptedAt: clock.now(), ...(malware.length > 0 && { malware }) },
          ]);
          const all = { ...readConsents(file), ...Object.fromEntries(accepted) };
          const text = `${JSON.stringify({ version: 1, programs: all }, undefined, 2)}\n`;
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
