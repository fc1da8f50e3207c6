import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { takeFileLock } from "../../base/files/file-lock.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { type BrowserAccount, canReach } from "./browser-account.ts";

/** Named browser profiles of Hermes, which keep logins. */
export interface BrowserProfiles {
  list(): readonly string[];
  /** The folder of a profile, for one browser at a time. Disposing releases it for others. */
  take(name: string): Promise<Result<TakenProfile>>;
}

export interface TakenProfile extends Disposable {
  readonly folder: string;
}

export interface ProfilesDeps {
  readonly home: string;
  /** The profile folder in the Hermes home. */
  readonly folder: string;
  /** The profile folder for an account that cannot reach the Hermes home. */
  readonly sharedFolder: string;
  readonly account: BrowserAccount | undefined;
  readonly clock: Clock;
}

export function createBrowserProfiles({ home, folder, sharedFolder, account, clock }: ProfilesDeps): BrowserProfiles {
  /** The mode of folders above a profile: they can be entered but not listed. */
  function makePassable(path: string): void {
    mkdirSync(path, { recursive: true, mode: 0o711 });
    chmodSync(path, account ? 0o711 : 0o700);
  }

  const other = join(sharedFolder, sha256(folder).slice(0, 16));

  /** The folder of the profiles; creates nothing. */
  function existing(): string {
    return !account || (existsSync(folder) && canReach(join(folder, "any"), account)) ? folder : other;
  }

  function base(): string {
    if (!account) return folder;
    // A missing home is created first, so that it does not become accessible together with the folder.
    mkdirSync(home, { recursive: true, mode: 0o700 });
    for (const each of [dirname(folder), folder]) makePassable(each);
    if (canReach(join(folder, "any"), account)) return folder;
    makePassable(sharedFolder);
    makePassable(other);
    return other;
  }

  return {
    list() {
      const entries = valueOr(() => readdirSync(existing(), { withFileTypes: true }), []);
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    },
    async take(name) {
      const parent = base();
      makePassable(parent);
      const place = join(parent, name);
      const { signal } = new AbortController();
      const lock = await takeFileLock(place, { signal, timeoutMs: lockMs, clock });
      if (!lock.ok) {
        const reason =
          lock.error.code === "ETIMEDOUT" ? "Another browser uses it now; close that one first" : lock.error.message;
        return err({ message: `The profile ${name} cannot be opened. ${reason}.` });
      }
      // Removes files that a killed browser left. We hold the lock, so no browser is running.
      for (const each of ["SingletonLock", "SingletonSocket", "SingletonCookie"])
        valueOr(() => rmSync(join(place, each), { force: true }), undefined);
      return ok({ folder: place, [Symbol.dispose]: () => lock.value[Symbol.dispose]() });
    },
  };
}

const lockMs = 1_000;
