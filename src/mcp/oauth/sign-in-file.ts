import { existsSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** Hermes as a client that is registered with an authorization server. */
export interface OAuthClient {
  readonly id: string;
  /** Set only for a registered client: a client secret in the settings is not copied. */
  readonly secret?: string;
  /** The authentication method of the token endpoint: `none`, `client_secret_basic` or `client_secret_post`. */
  readonly method: string;
  /** Set if Hermes registered the client itself: the redirect address of that registration. */
  readonly redirectUrl?: string;
}

/** The tokens of one server, and everything that is needed to renew and revoke them. */
export interface McpGrant {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly revocationUrl?: string;
  readonly resource?: string;
  readonly client: OAuthClient;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt?: number;
  readonly scope?: string;
  /** The tokens were granted to the program itself, without a user, so they can simply be requested again. */
  readonly isOfProgram?: boolean;
}

/** The stored sign-in of one server. */
export interface SignInRecord {
  /** The address of the server. The tokens are sent only to this address. */
  readonly url: string;
  readonly grant?: McpGrant;
  /** A registered client, kept when its tokens have expired. */
  readonly registered?: { readonly issuer: string; readonly client: OAuthClient };
  /** Scopes that the server has requested since the sign-in. */
  readonly wantedScope?: string;
}

/** Stores one file per server, which only the user can read. */
export interface SignInFiles {
  /**
   * Reads the record; undefined if nothing is stored. A file that cannot be read is an error. With `url`, only a
   * record of this address is returned.
   */
  read(server: string, url?: string): Result<SignInRecord | undefined>;
  /** Changes the record under a lock. A record of another address is replaced. */
  change(
    server: string,
    url: string,
    change: (record: SignInRecord | undefined) => SignInRecord | undefined,
  ): Promise<Result<void>>;
  /** Deletes the record, even if the file is damaged. */
  remove(server: string): Promise<Result<void>>;
  /** Runs the function while no other process renews the tokens of this server. */
  renewing<T>(server: string, run: () => Promise<Result<T, RenewalFault>>): Promise<Result<T, RenewalFault>>;
}

/** `isPassing` means that the authorization server is only temporarily unavailable. */
export interface RenewalFault {
  readonly message: string;
  readonly isPassing: boolean;
}

export function createSignInFiles({ folder, clock }: { readonly folder: string; readonly clock: Clock }): SignInFiles {
  const never = new AbortController().signal;
  const cache = new Map<string, { readonly stamp: string; readonly record: Result<SignInRecord | undefined> }>();
  const fileOf = (server: string) => join(folder, `${fileName(server)}.json`);

  function readAny(server: string): Result<SignInRecord | undefined> {
    const file = fileOf(server);
    const stats = statSync(file, { throwIfNoEntry: false });
    // Every write creates a new file.
    const stamp = stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "";
    const cached = cache.get(file);
    if (cached?.stamp === stamp) return cached.record;
    const record = stats ? readRecord(file) : ok(undefined);
    cache.set(file, { stamp, record });
    return record;
  }

  function read(server: string, url?: string): Result<SignInRecord | undefined> {
    const record = readAny(server);
    return record.ok && url !== undefined && record.value?.url !== url ? ok(undefined) : record;
  }

  const locked = async (file: string, work: () => Promise<Result<void>>): Promise<Result<void>> => {
    const folderReady = await prepared();
    if (!folderReady.ok) return folderReady;
    const done = await withFileLock(file, work, { clock, signal: never, timeoutMs: 10_000 });
    return done.ok ? done.value : err({ message: done.error.message });
  };

  async function prepared(): Promise<Result<void>> {
    try {
      return ok(await makeFolder(folder, 0o700));
    } catch (thrown) {
      return err({ message: describeFault(thrown, folder).message });
    }
  }

  return {
    read,
    change(server, url, change) {
      const file = fileOf(server);
      return locked(file, async () => {
        const before = read(server, url);
        if (!before.ok) return before;
        const next = change(before.value);
        if (next === undefined || next === before.value) return ok(undefined);
        const text = `${JSON.stringify({ version: 1, ...next }, undefined, 2)}\n`;
        const written = await writeFileAtomic(file, text, { mode: 0o600 });
        return written.ok ? ok(undefined) : err({ message: written.error.message });
      });
    },
    async remove(server) {
      const file = fileOf(server);
      return existsSync(file) ? locked(file, () => remove(file)) : ok(undefined);
    },
    async renewing(server, run) {
      const folderReady = await prepared();
      if (!folderReady.ok) return err({ ...folderReady.error, isPassing: false });
      const lock = { clock, signal: never, timeoutMs: 45_000 };
      const done = await withFileLock(`${fileOf(server)}.renewing`, run, lock);
      return done.ok ? done.value : err({ message: done.error.message, isPassing: true });
    },
  };
}

/** Removes the tokens if they have not been replaced in the meantime. */
export function withoutGrant(record: SignInRecord, accessToken: string): SignInRecord {
  const { grant, ...others } = record;
  return grant?.accessToken === accessToken ? others : record;
}

async function remove(file: string): Promise<Result<void>> {
  try {
    await rm(file, { force: true });
    return ok(undefined);
  } catch (thrown) {
    return err({ message: `${file} cannot be deleted: ${reasonOf(thrown)}` });
  }
}

/** A name that is not a plain file name gets a hash, so that two servers never share a file. */
function fileName(server: string): string {
  return /^[\w-][\w.-]{0,63}$/u.test(server)
    ? server
    : `${server.replaceAll(/[^\w-]+/gu, "_").slice(0, 40)}~${sha256(server).slice(0, 12)}`;
}

function readRecord(file: string): Result<SignInRecord | undefined> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? ok(undefined) : err({ message: describeFault(thrown, file).message });
  }
  const value = parsedJson(text);
  if (!isObject(value) || typeof value["url"] !== "string")
    return err({ message: `${file} is damaged. Delete it and sign in again.` });
  const { url, registered, wantedScope } = value;
  const grant = readStoredGrant(value["grant"]);
  const client = isObject(registered) ? readClient(registered["client"]) : undefined;
  const issuer = isObject(registered) ? registered["issuer"] : undefined;
  return ok({
    url,
    ...(grant && { grant }),
    ...(client && typeof issuer === "string" && { registered: { issuer, client } }),
    ...(typeof wantedScope === "string" && { wantedScope }),
  });
}

function readStoredGrant(value: unknown): McpGrant | undefined {
  if (!isObject(value)) return undefined;
  const { issuer, tokenUrl, accessToken, expiresAt } = value;
  const client = readClient(value["client"]);
  if (typeof issuer !== "string" || typeof tokenUrl !== "string" || typeof accessToken !== "string" || !client)
    return undefined;
  return {
    issuer,
    tokenUrl,
    accessToken,
    client,
    ...textsIn(value, ["revocationUrl", "resource", "refreshToken", "scope"]),
    ...(typeof expiresAt === "number" && { expiresAt }),
    ...(value["isOfProgram"] === true && { isOfProgram: true }),
  };
}

function readClient(value: unknown): OAuthClient | undefined {
  if (!isObject(value) || typeof value["id"] !== "string" || typeof value["method"] !== "string") return undefined;
  return { id: value["id"], method: value["method"], ...textsIn(value, ["secret", "redirectUrl"]) };
}

function textsIn<Name extends string>(
  value: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = value[name];
    if (typeof text === "string") texts[name] = text;
  }
  return texts;
}
