import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";

import { systemUptime } from "../base/confirmed-time.ts";

// `PATH.writes` holds the number of the last transaction that each process acknowledged, one slot per process. It is
// written after the transaction is on disk, so it is never ahead of the store. It is not synced: it survives a killed
// process, but a power failure may leave older numbers.

/** The transaction counter, in an SQLite table that every append changes anyway. */
export const writesName = "writes";

const bootBytes = 64;
const slotBytes = 8;
const slotCount = 1_024;

export interface AcknowledgedWrites {
  /** The number of the last transaction that a process acknowledged; 0 if none is recorded. */
  readonly last: number;
  /**
   * Whether the machine has run without a restart since the record started, so that there is no later acknowledged
   * transaction.
   */
  readonly isComplete: boolean;
}

/** Must be read before the number in the store, because other processes may be writing. */
export function acknowledgedWrites(path: string): AcknowledgedWrites {
  let bytes: Buffer;
  try {
    bytes = readFileSync(fileOf(path));
  } catch {
    return { last: 0, isComplete: false };
  }
  let last = 0;
  for (let offset = bootBytes; offset + slotBytes <= bytes.length; offset += slotBytes)
    last = Math.max(last, Number(bytes.readBigUInt64LE(offset)));
  const boot = bytes.toString("latin1", 0, bootBytes).trimEnd();
  return { last, isComplete: boot !== "" && boot === systemUptime().bootId };
}

export interface WriteWitness extends Disposable {
  /** Records that the transaction is on disk. Never throws, because the record is only additional evidence. */
  acknowledge(number: number): void;
}

/** `number` is that of the last complete transaction in the store; NaN if it cannot be read. */
export function openWriteWitness(path: string, number: number): WriteWitness {
  let file: number | undefined;
  const write = (bytes: Buffer, position: number) => {
    try {
      if (file !== undefined) writeSync(file, bytes, 0, bytes.length, position);
    } catch {
      // The record stays behind the store.
    }
  };
  const acknowledge = (last: number) => {
    const slot = Buffer.alloc(slotBytes);
    slot.writeBigUInt64LE(BigInt(last));
    // If two processes share a slot, only the number of one of them remains.
    write(slot, bootBytes + (process.pid % slotCount) * slotBytes);
  };
  try {
    file = openOrCreate(fileOf(path));
  } catch {
    // A read-only or full disk.
  }
  acknowledge(number || 0);
  // Written last: from now on, the slots are complete.
  write(Buffer.from(systemUptime().bootId.padEnd(bootBytes), "latin1"), 0);
  return {
    acknowledge,
    [Symbol.dispose]() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** Must be called before the store is replaced by another one. */
export function forgetWrites(path: string): void {
  rmSync(fileOf(path), { force: true });
}

function openOrCreate(path: string): number {
  try {
    return openSync(path, "r+");
  } catch {
    const file = openSync(path, "a+", 0o600);
    closeSync(file);
    return openSync(path, "r+");
  }
}

function fileOf(path: string): string {
  return `${path}.writes`;
}
