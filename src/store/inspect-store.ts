import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import { openImmutable } from "../base/files/read-only-database.ts";
import { isObject } from "../base/json.ts";
import { type EntryRow, isIntact } from "./entry-row.ts";
import { refuseNewer } from "./open-database.ts";
import { applicationId } from "./schema.ts";
import { asRows } from "./statements.ts";
import { isDamage, StoreError, storeError } from "./store-fault.ts";
import { isShared, wasOpened } from "./store-users.ts";
import { verifiedFile } from "./verify-store.ts";
import { hasFrames, isWalHeaderDamaged, lostCommits } from "./wal-damage.ts";

/** The result of a quick check of a store. */
export interface StoreInspection {
  readonly bytes: number;
  readonly sessions: number;
  /** The time of the last complete verification; undefined if there was none. */
  readonly verified?: { readonly at: number; readonly problems: number };
  /** Why the store is not usable. */
  readonly fault?: string;
  /** Damaged files that repairs kept. */
  readonly keptAside: readonly { readonly name: string; readonly bytes: number }[];
}

/** Checks a store in a few milliseconds without changing anything. Returns undefined if there is no store. */
export async function inspectStore(path: string): Promise<StoreInspection | undefined> {
  const bytes = sizeOf(path) + sizeOf(`${path}-wal`);
  const keptAside = keptBeside(path);
  if (bytes === 0 && keptAside.length === 0 && !wasOpened(path)) return undefined;
  const { DatabaseSync } = await import("node:sqlite");
  try {
    if (sizeOf(path) === 0)
      throw new StoreError("damaged", `${path}: it is missing or empty, but it contained sessions`);
    if (isWalHeaderDamaged(path)) throw new StoreError("damaged", `${path}: its write-ahead log is damaged`);
    const isAlone = !(await isShared(path));
    using database =
      isAlone && !hasFrames(path)
        ? await openImmutable(path)
        : new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    const number = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
    // An empty store whose writes were all in the log still belongs to Hermes.
    if (isAlone && !hasFrames(path)) refuseLostWrites(database, path);
    if (number("PRAGMA application_id") !== applicationId) {
      throw new StoreError("not_a_store", `${path}: this file is not a session store`);
    }
    refuseNewer(number("PRAGMA user_version"), path);
    const sessions = number("SELECT count(*) FROM sessions WHERE deleted_at IS NULL");
    const newest = asRows<EntryRow>(database.prepare("SELECT * FROM entries ORDER BY pk DESC LIMIT 50").all());
    if (isAlone) refuseLostWrites(database, path);
    const verified = lastVerified(path);
    const isHarmed = !newest.every(isIntact);
    return {
      bytes,
      sessions,
      ...(verified && { verified }),
      ...(isHarmed && { fault: "some of its newest entries are damaged" }),
      keptAside,
    };
  } catch (thrown) {
    const fault = isDamage(thrown) ? "the file is damaged" : storeError(thrown, path).message;
    return { bytes, sessions: 0, fault, keptAside };
  }
}

function refuseLostWrites(database: DatabaseSync, path: string): void {
  if (lostCommits(database, path, true) > 0)
    throw new StoreError("damaged", `${path}: its write-ahead log is damaged or gone; the last writes are missing`);
}

function lastVerified(path: string): StoreInspection["verified"] {
  try {
    const fact: unknown = JSON.parse(readFileSync(verifiedFile(path), "utf8"));
    return isObject(fact) ? { at: Number(fact["at"]), problems: Number(fact["problems"]) } : undefined;
  } catch {
    return undefined;
  }
}

function keptBeside(path: string): StoreInspection["keptAside"] {
  try {
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.damaged-`));
    return names.map((name) => ({ name, bytes: sizeOf(join(dirname(path), name)) }));
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
