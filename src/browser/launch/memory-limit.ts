import { readFile } from "node:fs/promises";

import type { Clock } from "../../base/clock.ts";
import type { CdpConnection } from "../cdp/connection.ts";

export interface MemoryLimitDeps {
  readonly connection: CdpConnection;
  readonly clock: Clock;
  /** The maximum memory for one page, with all its frames of the same site. */
  readonly maxBytes: number;
  readonly intervalMs?: number;
  /** Resident bytes of a process. Undefined if unknown. */
  readonly residentBytes?: (pid: number) => Promise<number | undefined>;
  readonly kill?: (pid: number) => void;
}

/**
 * Kills the process of a page that uses too much memory; the page then reports a crash. The limit of the JavaScript
 * heap does not cover buffers, images and canvases.
 */
export function limitPageMemory(deps: MemoryLimitDeps): Disposable {
  const { connection, clock, maxBytes, intervalMs = 1000, residentBytes = readResident, kill = killProcess } = deps;
  let timer: Disposable | undefined;
  let isStopped = false;

  async function check(): Promise<void> {
    const { processInfo = [] } = await connection.send<{ processInfo?: readonly ProcessInfo[] }>(
      "SystemInfo.getProcessInfo",
    );
    for (const { type, id } of processInfo) {
      if (type !== "renderer" || id <= 1) continue;
      const bytes = await residentBytes(id);
      if (bytes !== undefined && bytes > maxBytes && !isStopped) kill(id);
    }
  }

  function plan(): void {
    if (isStopped) return;
    timer = clock.after(intervalMs, () => {
      // A browser that has ended does not respond.
      void check().then(plan, () => undefined);
    });
  }

  plan();
  return {
    [Symbol.dispose]() {
      isStopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}

interface ProcessInfo {
  readonly type: string;
  readonly id: number;
}

/** Only on Linux; elsewhere the system's own limits apply. */
async function readResident(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "mu").exec(status)?.[1] ?? Number.NaN);
  // Files and shared memory are subtracted, because they do not belong to the page alone.
  const bytes = kilobytes("RssAnon") * 1024;
  return Number.isNaN(bytes) || !/^(?:chrom|headless)/u.test(/^Name:\s+(.*)$/mu.exec(status)?.[1] ?? "")
    ? undefined
    : bytes;
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended, or belongs to another account.
  }
}
