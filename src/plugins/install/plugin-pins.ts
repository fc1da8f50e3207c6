import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { codeOf } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, ownValue, parsedObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** An installed plugin, with the content that the user accepted. */
export interface PluginPin {
  readonly key: string;
  /** The argument of `hermes plugins install`, with an absolute path for a folder. */
  readonly source: string;
  /** The commit or version that was fetched; empty for a folder. */
  readonly revision: string;
  /** The hash of the plugin's files (`hashOfTree`). A plugin with another hash is not loaded. */
  readonly hash: string;
  readonly installedAt: number;
}

/** The pins in a Hermes home, by plugin key. A damaged file is an error: without pins, changed plugins would load. */
export function readPins(home: string): Result<ReadonlyMap<string, PluginPin>> {
  try {
    const { plugins } = parsedObject(readFileSync(join(home, pinFile), "utf8"));
    if (isObject(plugins)) {
      const pins = Object.keys(plugins).map((key) => pinOf(key, ownValue(plugins, key)));
      if (pins.every((pin) => pin !== undefined)) return ok(new Map(pins.map((pin) => [pin.key, pin])));
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return ok(new Map());
  }
  return err({
    message: `${pinFile} in ${home} is damaged, so Hermes cannot verify the installed plugins. Restore it from a backup; without one, delete it, then remove and install those plugins again.`,
  });
}

/** Stores a pin, or removes it. */
export async function changePin(
  home: string,
  key: string,
  pin: Omit<PluginPin, "key"> | undefined,
  context: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Result<void>> {
  const file = join(home, pinFile);
  try {
    await makeFolder(dirname(file), 0o700);
  } catch (thrown) {
    return err({ message: reasonOf(thrown) });
  }
  const locked = await withFileLock(
    file,
    async (): Promise<Result<void>> => {
      const before = readPins(home);
      if (!before.ok) return before;
      const pins = new Map(Array.from(before.value.values(), ({ key: each, ...rest }) => [each, rest]));
      if (pin === undefined && !pins.delete(key)) return ok(undefined);
      if (pin) pins.set(key, pin);
      const text = JSON.stringify({ version: 1, plugins: Object.fromEntries(pins) }, null, 2);
      return writeFileAtomic(file, `${text}\n`, { mode: 0o600 });
    },
    { ...context, timeoutMs: lockTimeoutMs },
  );
  return locked.ok ? locked.value : locked;
}

const pinFile = "plugin-pins.json";
const lockTimeoutMs = 10_000;

function pinOf(key: string, value: unknown): PluginPin | undefined {
  if (!isObject(value)) return undefined;
  const { source, revision, hash, installedAt } = value;
  if (typeof source !== "string" || typeof hash !== "string") return undefined;
  return {
    key,
    source,
    hash,
    revision: typeof revision === "string" ? revision : "",
    installedAt: typeof installedAt === "number" ? installedAt : 0,
  };
}
