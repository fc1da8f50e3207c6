import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionStore } from "../../contracts/session/session.ts";
import { openOriginal } from "../../store/original/open-original.ts";
import { originalSessions } from "../../store/original/read-original.ts";

export interface SessionImport {
  /** The version of the Python store. */
  readonly version: number;
  readonly imported: number;
  readonly messages: number;
  /** Sessions that were imported before. */
  readonly known: number;
  readonly failed: readonly { readonly id: string; readonly why: string }[];
}

export interface SessionImportDeps {
  /** The store to import into. Undefined: it does not exist yet. */
  readonly store?: SessionStore;
  /** True: changes nothing. */
  readonly isDryRun: boolean;
  readonly owner: Principal;
  /** Called after each session. */
  readonly onProgress?: (done: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Imports the sessions of a `state.db` one after the other: after an abort, imported sessions are kept and are not
 * imported again.
 */
export async function importSessions(
  path: string,
  { store, isDryRun, owner, onProgress, signal }: SessionImportDeps,
): Promise<Result<SessionImport>> {
  const opened = await openOriginal(path);
  if (!opened.ok) return opened;
  using original = opened.value;
  if (original.version < oldest || original.version > newest) {
    return err({
      message: `${path} has version ${original.version}; versions ${oldest} to ${newest} can be imported. Update this version or the Python version.`,
    });
  }
  const failed: { id: string; why: string }[] = [];
  let imported = 0;
  let messages = 0;
  let duplicates = 0;
  for (const { session, archived, entries } of originalSessions(original.database, owner)) {
    if (signal.aborted) break;
    try {
      if (await store?.get(session.id, session.principal)) {
        duplicates++;
        continue;
      }
      const used = entries();
      if (store && !isDryRun) {
        const { parent, ...rest } = session;
        const hasParent = parent !== undefined && (await store.get(parent, session.principal)) !== undefined;
        await store.take({ ...rest, ...(hasParent && { parent }) }, used);
        // The tag `keep` protects the session: it may be older than the retention period, but the user requested the
        // import.
        await store.mark(session.id, { tags: ["imported", "keep"], archived }, session.principal);
      }
      imported++;
      messages += used.filter(({ type }) => type === "message").length;
      onProgress?.(imported);
    } catch (thrown) {
      failed.push({ id: session.id, why: reasonOf(thrown) });
    }
  }
  return ok({ version: original.version, imported, messages, known: duplicates, failed });
}

/** Supported versions of the Python store. */
const oldest = 11;
const newest = 25;
