// covers: src/base/oauth, src/mcp/oauth, src/contracts/mcp
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";

import { McpUnauthorized } from "../../src/contracts/mcp/authorize.ts";
import { type OAuthRules, startOAuthScene } from "../support/mcp-oauth-server.ts";
import { remoteEntry, signInRig } from "../support/mcp-sign-in-rig.ts";

const never = new AbortController().signal;
const ask = { method: "POST", headers: { "content-type": "application/json" }, body: '{"id":1,"method":"ping"}' };

async function signedIn(rules: OAuthRules = {}) {
  const scene = await startOAuthScene(rules);
  const rig = await signInRig(scene);
  const done = await rig.signInAs();
  assert.ok(done.ok, JSON.stringify(done));
  const fetchOf = (process: Pick<typeof rig, "authorize"> = rig, url = scene.url) =>
    process.authorize("locked", remoteEntry(url).target, fetch);
  const renewals = () => scene.seen.filter(({ form }) => form.get("grant_type") === "refresh_token");
  return {
    scene,
    rig,
    fetchOf,
    renewals,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

test("forty requests of four processes renew a refused token once, and all of them succeed", async () => {
  await using one = await signedIn();
  one.scene.expire();
  const fetches = Array.from({ length: 4 }, () => one.fetchOf(one.rig.process()));
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => fetches.map((send) => send(one.scene.url, ask))).flat(),
  );
  assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([200]));
  assert.equal(one.renewals().length, 1);
  assert.equal(one.renewals()[0]?.form.get("resource"), one.scene.url);
});

test("a token is renewed before it expires, and the new refresh token is stored", async () => {
  await using one = await signedIn({ expiresIn: 5 });
  assert.equal((await one.fetchOf()(one.scene.url, ask)).status, 200);
  // Signing in has renewed it too: its check sends requests.
  const used = one.renewals().map(({ form }) => form.get("refresh_token"));
  assert.deepEqual(
    used,
    used.map((_, index) => `refresh-${index + 1}`),
  );
  assert.match(await readFile(one.rig.file, "utf8"), new RegExp(`"refresh-${used.length + 1}"`, "u"));
});

test("an expired sign-in is deleted and a new one is requested; an unreachable server does not count as expired", async () => {
  let isAway = true;
  await using one = await signedIn({
    answer: ({ form }) =>
      form.get("grant_type") !== "refresh_token"
        ? undefined
        : isAway
          ? { status: 503, json: {} }
          : { status: 400, json: { error: "invalid_grant" } },
  });
  one.scene.expire();
  await assert.rejects(
    one.fetchOf()(one.scene.url, ask),
    (thrown) =>
      !(thrown instanceof McpUnauthorized) && /locked: the sign-in could not be renewed/u.test(String(thrown)),
  );
  isAway = false;
  await assert.rejects(
    one.fetchOf()(one.scene.url, ask),
    (thrown) =>
      thrown instanceof McpUnauthorized &&
      thrown.message === "The sign-in to locked has expired. Run: hermes mcp login locked",
  );
  assert.doesNotMatch(await readFile(one.rig.file, "utf8"), /token-|refresh-/u);
  const before = one.renewals().length;
  await assert.rejects(one.fetchOf()(one.scene.url, ask), McpUnauthorized);
  assert.equal(one.renewals().length, before);
});

test("a token is sent only to the address that it was issued for", async () => {
  await using one = await signedIn();
  const others = one.fetchOf();
  await others(`${one.scene.other}/mcp`, ask).catch(() => undefined);
  const changed = one.rig.authorize("locked", remoteEntry(`${one.scene.other}/mcp`).target, fetch);
  await changed(`${one.scene.other}/mcp`, ask);
  const renamed = one.rig.authorize("locked", remoteEntry(`${one.scene.url}/other`).target, fetch);
  await renamed(`${one.scene.url}/other`, ask).catch(() => undefined);
  const own = remoteEntry(one.scene.url, {}, { headers: { Authorization: "Bearer mine" } }).target;
  const headers = { ...ask.headers, authorization: "Bearer mine" };
  await assert.rejects(
    one.rig.authorize("locked", own, fetch)(one.scene.url, { ...ask, headers }),
    /does not accept the Authorization header in its settings/u,
  );
  const sent = one.scene.seen.filter(({ host, path }) => host === "other" || path === "/mcp/other");
  assert.equal(sent.length, 3);
  assert.ok(sent.every(({ headers: { authorization } }) => authorization === undefined));
  assert.equal(one.scene.seen.at(-1)?.headers.authorization, "Bearer mine");
});

test("a renewal is not sent to another host", async () => {
  let other = "";
  await using one = await signedIn({
    answer: ({ form }) =>
      form.get("grant_type") === "refresh_token" ? { status: 307, headers: { location: `${other}/token` } } : undefined,
  });
  other = one.scene.other;
  one.scene.expire();
  await assert.rejects(one.fetchOf()(one.scene.url, ask), /redirects to .*another host/u);
  assert.deepEqual(
    one.scene.seen.filter(({ host }) => host === "other"),
    [],
  );
});

test("an interrupt does not wait for a renewal that hangs", async () => {
  const stop = new AbortController();
  await using one = await signedIn({
    answer({ form }) {
      if (form.get("grant_type") !== "refresh_token") return undefined;
      stop.abort();
      return "hang";
    },
  });
  one.scene.expire();
  await assert.rejects(one.fetchOf()(one.scene.url, { ...ask, signal: stop.signal }), /interrupted/u);
});

test("signing out revokes and deletes both tokens, even when the server cannot revoke", async () => {
  await using one = await signedIn();
  assert.deepEqual(await one.rig.signOut("locked", remoteEntry(one.scene.url).target, never), {
    ok: true,
    value: { wasSignedIn: true, isRevoked: true },
  });
  assert.deepEqual([...one.scene.validTokens], []);
  await assert.rejects(readFile(one.rig.file), /ENOENT/u);
  await assert.rejects(one.fetchOf()(one.scene.url, ask), /You are not signed in to locked/u);
  assert.deepEqual(await one.rig.signOut("locked", undefined, never), {
    ok: true,
    value: { wasSignedIn: false, isRevoked: false },
  });

  await using away = await signedIn({ answer: ({ path }) => (path === "/revoke" ? { status: 500 } : undefined) });
  const left = await away.rig.signOut("locked", remoteEntry(away.scene.url).target, never);
  assert.deepEqual(left, { ok: true, value: { wasSignedIn: true, isRevoked: false } });
  await assert.rejects(readFile(away.rig.file), /ENOENT/u);
});

test("a damaged token file is reported and not replaced, and signing out removes it", async () => {
  await using one = await signedIn();
  await writeFile(one.rig.file, "{ damaged");
  await assert.rejects(
    one.fetchOf()(one.scene.url, ask),
    (thrown) => thrown instanceof McpUnauthorized && /locked\.json is damaged/u.test(thrown.message),
  );
  const again = await one.rig.signInAs();
  assert.match(again.ok ? "" : again.error.message, /is damaged/u);
  assert.equal(await readFile(one.rig.file, "utf8"), "{ damaged");
  assert.ok((await one.rig.signOut("locked", undefined, never)).ok);
  assert.ok((await one.rig.signInAs()).ok);
});
