import { sqliteCode } from "../base/files/database-file.ts";
import { codeOf } from "../base/files/file-fault.ts";
import { PlainFailure } from "../base/plain-failure.ts";
import { reasonOf } from "../base/result.ts";

/** An error of the store for a person: the cause and the next step. */
export class StoreError extends PlainFailure {
  readonly kind: StoreFault;

  constructor(kind: StoreFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export type StoreFault = "full" | "read_only" | "busy" | "damaged" | "not_a_store" | "newer" | "no_access" | "failed";

export function storeError(thrown: unknown, path: string): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const [kind, what] = sqliteFaults.get(sqliteCode(thrown)) ??
    systemFaults.get(codeOf(thrown)) ?? ["failed", reasonOf(thrown)];
  return new StoreError(kind, `${path}: ${what}`, thrown);
}

export function closedError(path: string): StoreError {
  return new StoreError("failed", `${path}: the store is closed`);
}

/** Whether another process is writing at this moment. */
export function isBusy(thrown: unknown): boolean {
  return [5, 6].includes(sqliteCode(thrown));
}

/** Whether something else changed the file, or the disk cannot read it. */
export function isDamage(thrown: unknown): boolean {
  return [10, 11].includes(sqliteCode(thrown)) || codeOf(thrown) === "ERR_OUT_OF_RANGE";
}

/** Whether the row already exists. */
export function isDuplicateKey(thrown: unknown): boolean {
  return thrown instanceof StoreError ? isDuplicateKey(thrown.cause) : sqliteCode(thrown) === 19;
}

type FaultText = readonly [StoreFault, string];
const busy: FaultText = ["busy", "another program kept writing to it for too long; end it and try again"];
const full: FaultText = ["full", "the disk is full; free some space. Stored data is safe"];
const readOnly: FaultText = [
  "read_only",
  "it cannot be written to; check the disk and the permissions of file and folder",
];
const noAccess: FaultText = [
  "no_access",
  "it cannot be opened; check that its folder exists, belongs to you and can be written to",
];
const damaged: FaultText = [
  "damaged",
  "the file is damaged; stop all Hermes processes, then run: hermes sessions repair",
];

/** Primary result codes of SQLite. */
const sqliteFaults: ReadonlyMap<number, FaultText> = new Map([
  [5, busy],
  [6, busy],
  [8, readOnly],
  [10, ["failed", "the disk reported an error; check its health and its free space"]],
  [11, damaged],
  [13, full],
  [14, noAccess],
  [26, ["not_a_store", "this file is not a session store; move it away, or try: hermes sessions repair"]],
]);

const systemFaults: ReadonlyMap<string, FaultText> = new Map([
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["EROFS", readOnly],
  ["EACCES", noAccess],
  ["EPERM", noAccess],
  ["ENOTDIR", noAccess],
  ["ERR_OUT_OF_RANGE", damaged],
]);
