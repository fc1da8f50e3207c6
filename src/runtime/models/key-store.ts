import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Home, homeFiles } from "../../config/home.ts";
import { changeCredentials, readCredentials, type StoredKey } from "../../providers/credentials/credential-file.ts";
import { fingerprintOf } from "../../providers/credentials/credential-pool.ts";

export interface KeyStoreContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The stored keys of a home. */
export interface KeyStore {
  readonly file: string;
  add(provider: string, given: GivenKey, signal: AbortSignal): ReturnType<typeof addKey>;
  remove(provider: string, which: string, signal: AbortSignal): ReturnType<typeof removeKey>;
  reset(keys: readonly string[], signal: AbortSignal): ReturnType<typeof resetKeys>;
}

export function createKeyStore(home: Home, clock: Clock): KeyStore {
  return {
    file: credentialsFile(home),
    add: (provider, given, signal) => addKey(home, provider, given, { signal, clock }),
    remove: (provider, which, signal) => removeKey(home, provider, which, { signal, clock }),
    reset: (keys, signal) => resetKeys(home, keys, { signal, clock }),
  };
}

interface GivenKey {
  readonly key: string;
  readonly label?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Stores a key for a provider. The same key for the same URL is stored once. */
async function addKey(
  home: Home,
  provider: string,
  given: GivenKey,
  { signal, clock }: KeyStoreContext,
): Promise<Result<{ readonly id: string; readonly label: string; readonly file: string }>> {
  const key = given.key.trim();
  const flaw = flawOf(key);
  if (flaw !== undefined) return err({ message: flaw });
  const file = credentialsFile(home);
  const before = readCredentials(file);
  if (!before.ok) return before;
  const id = newId("key").slice(0, 10);
  let refused: string | undefined;
  let label = given.label ?? "";
  const changed = await changeCredentials(
    file,
    (on) => {
      const list = on.keys[provider] ?? [];
      const same = list.find((one) => one.key === key && one.baseUrl === given.baseUrl);
      const used = given.label !== undefined && list.some((one) => one.label === given.label);
      if (same) refused = `This key is already stored: ${same.label || same.id}.`;
      else if (used) refused = `There is a key ${given.label} already; choose another label, or remove it first.`;
      if (refused !== undefined) return on;
      label = given.label ?? `key ${list.length + 1}`;
      const { baseUrl } = given;
      const entry = { id, label, key, ...(baseUrl !== undefined && { baseUrl }), addedAt: clock.now() };
      return { ...on, keys: { ...on.keys, [provider]: [...list, entry] } };
    },
    { signal, clock },
  );
  if (!changed.ok) return changed;
  return refused === undefined ? ok({ id, label, file }) : err({ message: refused });
}

/** Removes a stored key, by number (from 1), id or label. */
async function removeKey(
  home: Home,
  provider: string,
  which: string,
  { signal, clock }: KeyStoreContext,
): Promise<Result<{ readonly label: string; readonly file: string }>> {
  const file = credentialsFile(home);
  let key: StoredKey | undefined;
  let refused = "";
  const changed = await changeCredentials(
    file,
    (on) => {
      const list = on.keys[provider] ?? [];
      const fits = list.filter(
        ({ id, label }, index) => id === which || label === which || String(index + 1) === which,
      );
      key = fits[0];
      if (!key || fits.length > 1) {
        refused =
          fits.length > 1
            ? `${which} matches several keys of ${provider}; pass the id that \`hermes auth list\` shows.`
            : `There is no stored key ${which} for ${provider}.`;
        return on;
      }
      const rest = list.filter((one) => one !== key);
      const { [provider]: _, ...others } = on.keys;
      const { [fingerprintOf(key.grant ? key.id : key.key)]: _state, ...states } = on.states;
      return { keys: rest.length === 0 ? others : { ...on.keys, [provider]: rest }, states };
    },
    { signal, clock },
  );
  if (!changed.ok) return changed;
  return key && refused === "" ? ok({ label: key.label || key.id, file }) : err({ message: refused });
}

/** Clears the cooldowns of keys, so that they are used again. Returns their number. */
async function resetKeys(
  home: Home,
  keys: readonly string[],
  { signal, clock }: KeyStoreContext,
): Promise<Result<number>> {
  const prints = new Set(keys.map(fingerprintOf));
  let count = 0;
  const changed = await changeCredentials(
    credentialsFile(home),
    (on) => {
      const kept = Object.entries(on.states).filter(([print]) => !prints.has(print));
      count = Object.keys(on.states).length - kept.length;
      return count === 0 ? on : { ...on, states: Object.fromEntries(kept) };
    },
    { signal, clock },
  );
  return changed.ok ? ok(count) : changed;
}

export function credentialsFile(home: Home): string {
  return join(home.path, homeFiles.credentials);
}

function flawOf(key: string): string | undefined {
  if (key === "") return "No key was given. Type it at a terminal, or send it on standard input.";
  if (key.length > 16_384) return "That is too long for a key.";
  // eslint-disable-next-line no-control-regex -- they are what is refused
  if (/[\s\u0000-\u001f\u007f]/u.test(key))
    return "A key contains no spaces or line breaks; check that you copied exactly the key.";
  if (/[^\u0021-\u007e]/u.test(key))
    return "A key contains only ASCII letters, digits and signs; check that you copied exactly the key.";
  if (key.includes("***") || key.includes("…")) return "This is a masked key; pass the real one.";
  return undefined;
}
