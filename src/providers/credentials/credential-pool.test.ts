import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log/log.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { KeyStrategy } from "../endpoints/model-settings.ts";
import type { Route } from "../endpoints/route.ts";
import { changeCredentials, readCredentials, type StoredKey } from "./credential-file.ts";
import { keyCooldown, createCredentialPool } from "./credential-pool.ts";

const route: Route = {
  providerId: "p",
  model: "m",
  protocol: "openai-chat",
  baseUrl: "https://p.example/v1",
  headers: {},
  quirks: {},
  timeouts: {},
  keys: { given: [], variables: ["P_KEY"], home: ["https://p.example"], keyless: false, advice: "" },
  local: false,
  subscription: false,
  chosen: "",
};

function stored(key: string, more: Partial<StoredKey> = {}): StoredKey {
  return { id: key, label: key, key, addedAt: 1, ...more };
}

async function poolOf(
  keys: readonly StoredKey[],
  strategy: KeyStrategy = "fill_first",
  env: Record<string, string> = {},
) {
  const home = await tempHome();
  const file = join(home.path, "credentials.json");
  await writeFile(file, JSON.stringify({ version: 1, keys: { p: keys }, states: {} }));
  const clock = fakeClock();
  const make = () =>
    createCredentialPool({
      file,
      env: (name) => env[name],
      strategies: { p: strategy },
      clock: { ...systemClock, now: clock.now },
      random: () => 0.5,
      log: silentLog,
    });
  return { file, clock, make, pool: make(), [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

const limited: ModelError = { kind: "rate_limited", message: "slow" };
const order = (pool: ReturnType<typeof createCredentialPool>, ofRoute = route) =>
  pool.order(ofRoute).map(({ credential, rests }) => `${credential.key}${rests ? " rests" : ""}`);

test("keys from variables come before stored keys, and duplicates are dropped", async () => {
  await using rig = await poolOf([stored("a"), stored("b")], "fill_first", { P_KEY: "x, a ,y" });
  assert.deepEqual(order(rig.pool), ["x", "a", "y", "b"]);
  assert.deepEqual(
    rig.pool.list(route).map(({ label }) => label),
    ["P_KEY (1)", "P_KEY (2)", "P_KEY (3)", "b"],
  );
});

test("each strategy selects the expected next key", async () => {
  const uses = async (strategy: KeyStrategy) => {
    await using rig = await poolOf([stored("a"), stored("b"), stored("c")], strategy);
    return Array.from({ length: 5 }, () => {
      const next = rig.pool.order(route)[0]?.credential;
      assert.ok(next);
      rig.pool.succeeded(next);
      return next.key;
    }).join("");
  };
  assert.equal(await uses("fill_first"), "aaaaa");
  assert.equal(await uses("round_robin"), "abcab");
  assert.equal(await uses("least_used"), "abcab");
  assert.match(await uses("random"), /^[abc]{5}$/u);
});

test("in every process, a key in cooldown is used last, until the cooldown ends or the key succeeds", async () => {
  await using rig = await poolOf([stored("a"), stored("b")]);
  const [a] = rig.pool.list(route);
  assert.ok(a);
  rig.pool.failed(a, limited, false);
  assert.deepEqual(order(rig.pool), ["b", "a rests"]);
  await rig.pool.flush();
  assert.deepEqual(order(rig.make()), ["b", "a rests"]);
  rig.clock.advance(3_600_001);
  assert.deepEqual(order(rig.pool), ["a", "b"]);
  rig.pool.failed(a, limited, false);
  rig.pool.succeeded(a);
  await rig.pool.flush();
  assert.deepEqual(order(rig.make()), ["a", "b"]);
});

test("a stored key is sent only to its own address, and requests with it use that address", async () => {
  await using rig = await poolOf([stored("home"), stored("other", { baseUrl: "https://other.example/v1" })]);
  assert.deepEqual(
    rig.pool.list(route).map(({ key, baseUrl }) => [key, baseUrl]),
    [
      ["home", "https://p.example/v1"],
      ["other", "https://other.example/v1"],
    ],
  );
  const elsewhere = (baseUrl: string): Route => ({ ...route, baseUrl, keys: { ...route.keys, variables: [] } });
  assert.deepEqual(order(rig.pool, elsewhere("https://evil.example/v1")), []);
  assert.deepEqual(order(rig.pool, elsewhere("https://other.example/v2")), ["other"]);
  assert.deepEqual(order(rig.pool, elsewhere("http://p.example/v1")), [], "not without encryption either");
  assert.deepEqual(order(rig.pool, elsewhere("https://p.example:8443/v1")), []);
});

test("a key of a kind that the provider does not accept is ignored", async () => {
  await using rig = await poolOf([], "fill_first", { P_KEY: "bad-1,good" });
  const picky = { ...route, keys: { ...route.keys, refused: { prefix: "bad-", why: "" } } };
  assert.deepEqual(order(rig.pool, picky), ["good"]);
});

test("a rejection starts a cooldown that depends on its kind, and a retry time from the provider takes precedence", () => {
  const now = 1_000_000;
  const hour = 3_600_000;
  const until = (error: Partial<ModelError> & Pick<ModelError, "kind">, isOnly = false, refusals = 0) => {
    const before = refusals === 0 ? undefined : ({ status: "exhausted", until: 0, at: 0, why: "", refusals } as const);
    const state = keyCooldown({ message: "m", ...error }, { before, isOnly, now });
    return state && [state.status, state.until - now];
  };
  assert.deepEqual(until({ kind: "rate_limited" }), ["exhausted", hour]);
  assert.deepEqual(until({ kind: "rate_limited" }, true), ["exhausted", 60_000]);
  assert.deepEqual(until({ kind: "rate_limited", plan: true }, true), ["exhausted", hour]);
  assert.deepEqual(until({ kind: "rate_limited", retryAfterMs: 7_000 }), ["exhausted", 7_000]);
  assert.deepEqual(until({ kind: "rate_limited", resetsAt: now + 5 * hour }), ["exhausted", 5 * hour]);
  assert.deepEqual(until({ kind: "rate_limited", resetsAt: now + 1e15 }), ["exhausted", 32 * 24 * hour]);
  assert.deepEqual(until({ kind: "billing" }), ["exhausted", 24 * hour]);
  assert.deepEqual(until({ kind: "auth" }), ["exhausted", 300_000]);
  assert.deepEqual(until({ kind: "auth" }, false, 2), ["dead", 24 * hour]);
  assert.equal(until({ kind: "server" }), undefined);
});

test("an unreadable key file is reported and never overwritten", async () => {
  await using home = await tempHome();
  const file = join(home.path, "credentials.json");
  await writeFile(file, "{ not json");
  const deps = { clock: systemClock, signal: new AbortController().signal };
  const changed = await changeCredentials(file, (on) => ({ ...on, keys: { p: [stored("a")] } }), deps);
  assert.ok(!changed.ok);
  assert.match(changed.error.message, /repair or remove it/u);
  assert.equal(await readFile(file, "utf8"), "{ not json");
});

test("concurrent additions lose no key, and only the owner can read the file", async () => {
  await using home = await tempHome();
  const file = join(home.path, "deep", "credentials.json");
  // The clock stands still, so that no addition times out while it waits for the lock.
  const clock = { ...systemClock, elapsed: () => 0 };
  const deps = { clock, signal: new AbortController().signal };
  const added = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      changeCredentials(file, (on) => ({ ...on, keys: { p: [...(on.keys["p"] ?? []), stored(`k${n}`)] } }), deps),
    ),
  );
  assert.ok(
    added.every(({ ok }) => ok),
    JSON.stringify(added),
  );
  const read = readCredentials(file);
  assert.ok(read.ok);
  assert.equal(read.value.keys["p"]?.length, 20);
  if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test("entries of the key file that are not keys are skipped", async () => {
  await using home = await tempHome();
  const file = join(home.path, "credentials.json");
  await writeFile(
    file,
    JSON.stringify({ keys: { p: [1, null, {}, { key: "" }, { key: "k" }], q: "x" }, states: { a: 1 } }),
  );
  const read = readCredentials(file);
  assert.deepEqual(read, {
    ok: true,
    value: { keys: { p: [{ id: "", label: "", key: "k", addedAt: 0 }] }, states: {} },
  });
});
