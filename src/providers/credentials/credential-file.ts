import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** A key that the user added. */
export interface StoredKey {
  readonly id: string;
  readonly label: string;
  readonly key: string;
  /** The address that the key belongs to. Undefined: the provider's default address. */
  readonly baseUrl?: string;
  readonly addedAt: number;
  /** Set if the key is a sign-in token: how to renew it. */
  readonly grant?: StoredGrant;
}

export interface StoredGrant {
  readonly refreshToken?: string;
  readonly expiresAt?: number;
  readonly clientId: string;
  readonly tokenUrl: string;
  /** Headers that are added to every request with this key. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The state of a key, stored under its fingerprint. Keys from variables have a state too, but the keys themselves are
 * never stored.
 */
export interface KeyState {
  /** `exhausted`: the key is not used before `until`. `dead`: the provider rejected the key repeatedly. */
  readonly status: "exhausted" | "dead";
  readonly until: number;
  readonly at: number;
  readonly why: string;
  readonly refusals: number;
}

export interface StoredCredentials {
  readonly keys: Readonly<Record<string, readonly StoredKey[]>>;
  readonly states: Readonly<Record<string, KeyState>>;
}

export const emptyCredentials: StoredCredentials = { keys: {}, states: {} };

/** Reads the file. A missing file counts as empty; an unreadable file is an error and is never overwritten. */
export function readCredentials(path: string): Result<StoredCredentials> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return ok(emptyCredentials);
    return err({ message: describeFault(thrown, path).message });
  }
  const parsed = parseJson(text, { maxChars: 4_000_000, maxDepth: 8 });
  if (!parsed.ok || !isObject(parsed.value))
    return err({
      message: `${path} cannot be read (${parsed.ok ? "it is not an object" : parsed.error}); repair or remove it`,
    });
  const { keys, states } = parsed.value;
  return ok({ keys: readKeys(keys), states: readStates(states) });
}

/** Reads, changes and writes the file (mode 0600) under a lock, so that concurrent changes are kept. */
export async function changeCredentials(
  path: string,
  change: (file: StoredCredentials) => StoredCredentials,
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<StoredCredentials>> {
  try {
    await makeFolder(dirname(path), 0o700);
  } catch (thrown) {
    return err({ message: describeFault(thrown, dirname(path)).message });
  }
  const changed = await withFileLock(
    path,
    async (): Promise<Result<StoredCredentials>> => {
      const result = readCredentials(path);
      if (!result.ok) return result;
      const next = change(result.value);
      if (next === result.value) return result;
      const text = `${JSON.stringify({ version: 1, ...next }, undefined, 2)}\n`;
      const written = await writeFileAtomic(path, text, { mode: 0o600 });
      return written.ok ? ok(next) : err({ message: written.error.message });
    },
    { ...deps, timeoutMs: 10_000 },
  );
  return changed.ok ? changed.value : err({ message: changed.error.message });
}

function readKeys(value: unknown): StoredCredentials["keys"] {
  if (!isObject(value)) return {};
  const read = Object.entries(value).map(([provider, list]): [string, readonly StoredKey[]] => [
    provider,
    Array.isArray(list) ? list.flatMap(readKey) : [],
  ]);
  return Object.fromEntries(read.filter(([, list]) => list.length > 0));
}

function readKey(value: unknown): StoredKey[] {
  if (!isObject(value) || typeof value["key"] !== "string" || value["key"] === "") return [];
  const { id, label, key, baseUrl, addedAt } = value;
  const grant = readGrant(value["grant"]);
  return [
    {
      id: typeof id === "string" ? id : "",
      label: typeof label === "string" ? label : "",
      key,
      ...(typeof baseUrl === "string" && { baseUrl }),
      addedAt: typeof addedAt === "number" ? addedAt : 0,
      ...(grant && { grant }),
    },
  ];
}

function readGrant(value: unknown): StoredGrant | undefined {
  if (!isObject(value)) return undefined;
  const { refreshToken, expiresAt, clientId, tokenUrl, headers } = value;
  if (typeof clientId !== "string" || typeof tokenUrl !== "string") return undefined;
  const texts = Object.entries(isObject(headers) ? headers : {}).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as const] : [],
  );
  return {
    clientId,
    tokenUrl,
    ...(typeof refreshToken === "string" && { refreshToken }),
    ...(typeof expiresAt === "number" && { expiresAt }),
    ...(texts.length > 0 && { headers: Object.fromEntries(texts) }),
  };
}

function readStates(value: unknown): StoredCredentials["states"] {
  if (!isObject(value)) return {};
  const read = Object.entries(value).flatMap(([print, state]): [string, KeyState][] => {
    if (!isObject(state)) return [];
    const { status, until, at: failedAt, why, refusals } = state;
    if ((status !== "exhausted" && status !== "dead") || typeof until !== "number") return [];
    return [
      [
        print,
        {
          status,
          until,
          at: typeof failedAt === "number" ? failedAt : 0,
          why: typeof why === "string" ? why : "",
          refusals: typeof refusals === "number" ? refusals : 1,
        },
      ],
    ];
  });
  return Object.fromEntries(read);
}
