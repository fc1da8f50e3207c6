import { readdirSync, readFileSync } from "node:fs";

import { sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { ProgramKiller } from "../../base/process/child-program.ts";
import { processStart } from "../../base/process/process-owner.ts";
import { valueOr } from "../../base/result.ts";

/**
 * Kills a sandbox with its own process namespace. When the first process inside is killed, all others end with it, and
 * then the sandbox itself.
 */
export function namespaceKiller(pid: number, clock: Clock): ProgramKiller {
  const startedAt = processStart(pid);
  // Another process may have this pid now.
  const isAlive = () => processStart(pid) === startedAt && !isZombie(pid);

  function killInside(): void {
    for (const child of childrenOf(pid)) valueOr(() => process.kill(child, "SIGKILL"), false);
  }

  /** The first process inside ignores the signal, so the others get it directly. */
  function signal(name: NodeJS.Signals): void {
    const pending = childrenOf(pid).flatMap(childrenOf);
    for (const process of pending) {
      pending.push(...childrenOf(process));
      if (pending.length > maxSignalled) break;
    }
    for (const each of pending) valueOr(() => process.kill(each, name), false);
  }

  return {
    signal,
    async end() {
      if (!isAlive()) return;
      killInside();
      const { signal } = new AbortController();
      const killAt = clock.elapsed() + graceMs;
      while (isAlive() && clock.elapsed() < killAt) await sleep(pollMs, signal, clock);
      if (isAlive()) valueOr(() => process.kill(-pid, "SIGKILL"), false);
    },
    killNow() {
      if (!isAlive()) return;
      killInside();
      valueOr(() => process.kill(-pid, "SIGKILL"), false);
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const threads = valueOr(() => readdirSync(`/proc/${pid}/task`), []);
  const textOf = (thread: string) => valueOr(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1"), "");
  return threads.flatMap((thread) => (textOf(thread).match(/\d+/gu) ?? []).map(Number));
}

const maxSignalled = 10_000;

function isZombie(pid: number): boolean {
  return valueOr(() => /\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "latin1")), true);
}

const graceMs = 1_000;
const pollMs = 2;
