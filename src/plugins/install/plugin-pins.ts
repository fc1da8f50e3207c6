import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, ownValue, parsedObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../../base/result.ts";

/** A plugin that was installed from elsewhere, as the person accepted it. */
export interface PluginPin {
  readonly key: string;
  /** The argument of `hermes plugins install`, with an absolute path for a folder. */
  readonly source: string;
  /** The commit or version that was fetched; empty for a folder. */
  readonly revision: string;
  /** Of its tree: see `hashOfTree`. A plugin with another tree is not loaded. */
  readonly hash: string;
  readonly installedAt: number;
}

/** The pins of a home, by key. A damaged file gives none: its plugins count as written by hand. */
export function readPins(home: string): ReadonlyMap<string, PluginPin> {
  const { plugins } = parsedObject(valueOr(() => readFileSync(join(home, pinFile), "utf8"), ""));
  const entries = isObject(plugins) ? Object.keys(plugins).flatMap((key) => pinOf(key, ownValue(plugins, key))) : [];
  return new Map(entries.map((pin) => [pin.key, pin]));
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
      const pins = new Map(Array.from(readPins(home).values(), ({ key: each, ...rest }) => [each, rest]));
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

function pinOf(key: string, value: unknown): readonly PluginPin[] {
  if (!isObject(value)) return [];
  const { source, revision, hash, installedAt } = value;
  if (typeof source !== "string" || typeof hash !== "string") return [];
  return [
    {
      key,
      source,
      hash,
      revision: typeof revision === "string" ? revision : "",
      installedAt: typeof installedAt === "number" ? installedAt : 0,
    },
  ];
}
