import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { ownValue } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { Lookup } from "../endpoint.ts";
import type { KeyKind } from "../endpoints/endpoint-row.ts";
import type { KeyStrategy } from "../endpoints/model-settings.ts";
import { originOf, type Route } from "../endpoints/route.ts";
import { type AwsKeyLocation, packAwsKeys } from "./aws/aws-keys.ts";
import {
  changeCredentials,
  type StoredCredentials,
  type KeyState,
  emptyCredentials,
  readCredentials,
} from "./credential-file.ts";
import type { ExternalAccount, ExternalProgram } from "./external-account.ts";

/** A key and the only address that may receive it. */
export interface Credential {
  readonly key: string;
  /** A label for the user, such as `OPENAI_API_KEY`, `work` or `config.yaml`. */
  readonly label: string;
  readonly baseUrl: string;
  /**
   * Set if `key` is not the key itself but the source of a token: the path of a Google account file (`file`), the id of
   * a stored sign-in (`sign-in`), the source of AWS keys (`aws`), or the sign-in of another program.
   */
  readonly account?: "sign-in" | "aws" | ExternalAccount["by"];
  /** True if requests are signed with AWS keys, which come from `key` or its account. */
  readonly signs?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CredentialStatus extends Credential {
  readonly state?: KeyState;
  readonly from: "settings" | "environment" | "stored";
  readonly id?: string;
}

export interface CredentialPool {
  /** All keys that may be used on this route, with their state, in the order of their sources. */
  list(route: Route): readonly CredentialStatus[];
  /** Returns why an existing key is ignored. */
  leftOut(route: Route): string | undefined;
  /**
   * Returns the keys to try, best first. Keys in cooldown come last and are marked, the one with the shortest remaining
   * cooldown first.
   */
  order(route: Route): readonly { readonly credential: Credential; readonly rests?: KeyState }[];
  /** Clears the failures of a key that worked. */
  succeeded(credential: Credential): void;
  /** Records a failure of the key, in memory and on disk. */
  failed(credential: Credential, error: ModelError, isOnly: boolean): KeyState | undefined;
  /** Resolves when all changes are on disk. */
  flush(): Promise<void>;
  /** Returns whether a key is stored for this provider. */
  stores(providerId: string): boolean;
  /** Returns why the stored keys cannot be read. */
  readonly fault: string | undefined;
}

export interface PoolDeps {
  readonly file: string;
  readonly env: Lookup;
  /** Called when a route uses AWS keys. */
  awsKeys?(): AwsKeyLocation | undefined;
  borrowed?(lender: ExternalProgram): ExternalAccount | undefined;
  readonly strategies: Readonly<Record<string, KeyStrategy>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export function createCredentialPool(deps: PoolDeps): CredentialPool {
  const { file, env, strategies, clock, random, log } = deps;
  const read = readCredentials(file);
  const stored: StoredCredentials = read.ok ? read.value : emptyCredentials;
  /** The states of keys by fingerprint. Hashing loads a library, so keys are hashed only if a state exists. */
  const states = new Map<string, KeyState>(Object.entries(stored.states));
  const stateOf = (key: string) => (states.size === 0 ? undefined : states.get(fingerprintOf(key)));
  const uses = new Map<string, number>();
  const unwritten = new Map<string, KeyState | undefined>();
  let writing: Promise<void> = Promise.resolve();

  /** A variable may contain several keys, separated by commas. */
  function inVariable(name: string, baseUrl: string, kinds?: readonly KeyKind[]) {
    const matches = (env(name) ?? "").split(",").map((key) => key.trim());
    const several = matches.filter((key) => key !== "");
    return several.map((key, index) => {
      const label = several.length === 1 ? name : `${name} (${index + 1})`;
      return { key, label, from: "environment", baseUrl: addressOf(key, kinds) ?? baseUrl } as const;
    });
  }

  function list(route: Route): readonly CredentialStatus[] {
    const statuses: Omit<CredentialStatus, "state">[] = [];
    const { given, variables, home } = route.keys;
    for (const one of given) {
      if ("key" in one) statuses.push({ key: one.key, label: "config.yaml", from: "settings", baseUrl: route.baseUrl });
      else statuses.push(...inVariable(one.variable, route.baseUrl));
    }
    for (const name of variables)
      statuses.push(...inVariable(name, route.baseUrl, route.keys.kinds).filter(({ key }) => !isRefused(key, route)));
    for (const name of route.keys.accounts ?? []) {
      const path = env(name)?.trim() ?? "";
      if (path !== "")
        statuses.push({ key: path, label: name, from: "environment", baseUrl: route.baseUrl, account: "file" });
    }
    const aws = route.keys.signs ? deps.awsKeys?.() : undefined;
    if (aws) {
      const held = "keys" in aws ? { key: packAwsKeys(aws.keys) } : ({ key: aws.label, account: "aws" } as const);
      statuses.push({ ...held, label: aws.label, from: "environment", baseUrl: route.baseUrl, signs: true });
    }
    const origin = originOf(route.baseUrl);
    for (const { id, key, label, baseUrl, grant } of ownValue(stored.keys, route.providerId) ?? []) {
      const own = baseUrl ?? (home.includes(origin) ? route.baseUrl : undefined);
      if (own === undefined) continue;
      // A key with its own address is sent there, unless the user sets another address.
      if (originOf(own) === origin || (baseUrl !== undefined && home.includes(origin)))
        statuses.push({
          id,
          key: grant ? id : key,
          label: label || id,
          from: "stored",
          baseUrl: baseUrl ?? addressOf(key, route.keys.kinds) ?? route.baseUrl,
          ...(grant && { account: "sign-in", ...(grant.headers && { headers: grant.headers }) }),
        });
    }
    const { externalProgram } = route.keys;
    const borrowed = externalProgram && deps.borrowed?.(externalProgram);
    if (borrowed) {
      const { file: key, label, by: account } = borrowed;
      statuses.push({ key, label, from: "environment", baseUrl: route.baseUrl, account });
    }
    const seen = new Set<string>();
    return statuses.flatMap((one) => {
      if (seen.has(`${one.key} ${one.baseUrl}`)) return [];
      seen.add(`${one.key} ${one.baseUrl}`);
      const state = stateOf(one.key);
      return [{ ...one, ...(state && state.until > clock.now() && { state }) }];
    });
  }

  function byStrategy(route: Route, ready: readonly CredentialStatus[]): readonly CredentialStatus[] {
    const used = ({ key }: Credential) => uses.get(key) ?? 0;
    switch (ownValue(strategies, route.providerId) ?? "fill_first") {
      case "fill_first":
        return ready;
      case "least_used":
        return ready.toSorted((a, b) => used(a) - used(b));
      case "round_robin": {
        const turns = ready.reduce((sum, one) => sum + used(one), 0);
        const offset = ready.length === 0 ? 0 : turns % ready.length;
        return [...ready.slice(offset), ...ready.slice(0, offset)];
      }
      case "random":
        return ready
          .map((one) => ({ one, at: random() }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ one }) => one);
    }
  }

  function note(key: string, state: KeyState | undefined): void {
    const fingerprint = fingerprintOf(key);
    if (state) states.set(fingerprint, state);
    else if (!states.delete(fingerprint)) return;
    unwritten.set(fingerprint, state);
    if (unwritten.size === 1) writing = writing.then(write);
  }

  /** Combines pending changes into one write. */
  async function write(): Promise<void> {
    const now = clock.now();
    const changed = new Map(unwritten);
    unwritten.clear();
    const change = (on: StoredCredentials): StoredCredentials => {
      const kept = Object.entries(on.states).filter(
        ([print, { until }]) => !changed.has(print) && until > now - keptMs,
      );
      const fresh = [...changed].flatMap(([print, state]) => (state ? [[print, state] as const] : []));
      return { ...on, states: Object.fromEntries([...kept, ...fresh]) };
    };
    const done = await changeCredentials(file, change, { clock, signal: new AbortController().signal });
    if (!done.ok) log.warn("credentials.unwritten", { message: done.error.message });
  }

  return {
    list,
    leftOut(route) {
      const name = route.keys.variables.find((one) => inVariable(one, "").some(({ key }) => isRefused(key, route)));
      return name === undefined ? undefined : `${name} is ignored: ${route.keys.refused?.why}`;
    },
    order(route) {
      const all = list(route);
      const ready = byStrategy(
        route,
        all.filter(({ state }) => state === undefined),
      );
      const resting = all.filter(({ state }) => state !== undefined).toSorted((a, b) => until(a) - until(b));
      return [...ready, ...resting].map((credential) => ({
        credential,
        ...(credential.state && { rests: credential.state }),
      }));
    },
    succeeded({ key }) {
      uses.set(key, (uses.get(key) ?? 0) + 1);
      if (stateOf(key)) note(key, undefined);
    },
    failed({ key }, error, isOnly) {
      const state = keyCooldown(error, { before: stateOf(key), isOnly, now: clock.now() });
      if (state) note(key, state);
      return state;
    },
    async flush() {
      await writing;
    },
    stores: (providerId) => (ownValue(stored.keys, providerId) ?? []).length > 0,
    fault: read.ok ? undefined : read.error.message,
  };
}

export function fingerprintOf(key: string): string {
  return sha256(key).slice(0, 16);
}

/** The last characters of a key, by which the user can tell keys apart. */
export function keyEnding(key: string): string {
  return key.length < 12 ? "…" : `…${key.slice(-4)}`;
}

/** Returns the address for keys of this kind, if it differs from the provider's. */
function addressOf(key: string, kinds: readonly KeyKind[] = []): string | undefined {
  return kinds.find(({ prefix }) => key.startsWith(prefix))?.baseUrl;
}

function isRefused(key: string, { keys: { refused } }: Route): boolean {
  return refused !== undefined && key.startsWith(refused.prefix);
}

function until({ state }: CredentialStatus): number {
  return state?.until ?? 0;
}

/** Expired states are kept for this time, so that consecutive rejections can be counted. */
const keptMs = 24 * 3_600_000;

/**
 * Returns the cooldown of a key after a failure, or undefined if it needs none. A time that the provider states takes
 * precedence. `isOnly`: there is no other key, so a per-minute limit causes only a short cooldown.
 */
export function keyCooldown(
  error: ModelError,
  { before, isOnly, now }: { readonly before: KeyState | undefined; readonly isOnly: boolean; readonly now: number },
): KeyState | undefined {
  const refusals = (before?.refusals ?? 0) + 1;
  const rest = { at: now, why: error.message, refusals };
  const stated = error.resetsAt ?? (error.retryAfterMs === undefined ? undefined : now + error.retryAfterMs);
  switch (error.kind) {
    case "rate_limited": {
      const defaultMs = error.plan === true || !isOnly ? hourMs : minuteMs;
      const until = Math.min(Math.max(stated ?? now + defaultMs, now + 1_000), now + maxMs);
      return { status: "exhausted", until, ...rest };
    }
    case "billing":
      return { status: "exhausted", until: Math.min(stated ?? now + dayMs, now + maxMs), ...rest };
    case "auth":
      return refusals >= refusalsUntilDead
        ? { status: "dead", until: now + dayMs, ...rest }
        : { status: "exhausted", until: now + 5 * minuteMs, ...rest };
    default:
      return undefined;
  }
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The longest cooldown that a provider may state; longer times are ignored. */
const maxMs = 32 * dayMs;
const refusalsUntilDead = 3;
