// covers: src/base/oauth, src/mcp/oauth, src/contracts/mcp
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";

import { assertFails } from "../support/failure.ts";
import { startOAuthScene } from "../support/mcp-oauth-server.ts";
import { remoteEntry, signInRig } from "../support/mcp-sign-in-rig.ts";

const never = new AbortController().signal;
const callLimits = { signal: never, timeoutMs: 20_000 };

test("a sign-in registers a client, uses PKCE, is stored for the owner only, and works for a call", async () => {
  await using scene = await startOAuthScene({ challenge: 'scope="read write"' });
  await using rig = await signInRig(scene);
  const done = await rig.signInAs();
  assert.deepEqual(done, { ok: true, value: { issuer: scene.auth, scope: "read write", toolCount: 1 } });
  const page = new URL(rig.shown[0] ?? "");
  assert.equal(page.searchParams.get("code_challenge_method"), "S256");
  assert.equal(page.searchParams.get("resource"), scene.url);
  assert.equal(page.searchParams.get("scope"), "read write");
  const registration = scene.seen.find(({ path }) => path === "/register");
  assert.deepEqual(registration?.json["redirect_uris"], [page.searchParams.get("redirect_uri")]);
  const exchange = scene.seen.find(({ path }) => path === "/token");
  assert.equal(exchange?.form.get("resource"), scene.url);
  assert.equal((await stat(rig.file)).mode & 0o777, 0o600);
  assert.equal((await stat(dirname(rig.file))).mode & 0o777, 0o700);
  const connected = await rig.process().connect(remoteEntry(scene.url), noRequests, never);
  assert.ok(connected.ok);
  await using connection = connected.value;
  assert.ok((await connection.call("look", {}, callLimits)).ok);
});

test("without a sign-in, a connection error names the command to run, and no page opens", async () => {
  await using scene = await startOAuthScene();
  await using rig = await signInRig(scene);
  const connected = await rig.connect(remoteEntry(scene.url), noRequests, never);
  assert.ok(!connected.ok);
  assert.equal(connected.error.kind, "auth");
  assert.match(connected.error.message, /You are not signed in to locked\. Run: hermes mcp login locked/u);
  assert.deepEqual(
    scene.seen.filter(({ host }) => host !== "mcp"),
    [],
  );
});

test("a second sign-in to an MCP server reuses the registration and the port of the first", async () => {
  await using scene = await startOAuthScene();
  await using rig = await signInRig(scene);
  assert.ok((await rig.signInAs()).ok);
  assert.ok((await rig.signInAs()).ok);
  assert.equal(scene.seen.filter(({ path }) => path === "/register").length, 1);
  const [first, second] = rig.shown.map((url) => new URL(url).searchParams.get("redirect_uri"));
  assert.equal(first, second);
});

test("a pasted redirect URL replaces the browser, and a code works only once", async () => {
  await using scene = await startOAuthScene();
  await using rig = await signInRig(scene);
  const pages: string[] = [];
  const shown = Promise.withResolvers<string>();
  const talk = {
    show(url: string) {
      pages.push(url);
      shown.resolve(url);
    },
    paste: async () => ` ${await scene.redirectOf(await shown.promise)}\n`,
  };
  assert.ok((await rig.signInAs({}, talk)).ok);
  assert.equal(scene.seen.filter(({ path }) => path === "/token").length, 1);
  // The address of the first sign-in again: it has another state.
  const stop = new AbortController();
  let pastes = 0;
  const replay = {
    show: (url: string) => void pages.push(url),
    async paste() {
      pastes += 1;
      if (pastes > 1) stop.abort();
      const { searchParams } = new URL(pages[0] ?? "");
      return `${searchParams.get("redirect_uri")}?code=code-1&state=${searchParams.get("state")}`;
    },
  };
  assertFails(await rig.signInAs({}, replay, stop.signal), /interrupted/u);
  assert.equal(scene.seen.filter(({ path }) => path === "/token").length, 1);
});

test("a refused sign-in code is not sent again", async () => {
  await using scene = await startOAuthScene({
    answer: ({ path }) => (path === "/token" ? { status: 400, json: { error: "invalid_grant" } } : undefined),
  });
  await using rig = await signInRig(scene);
  assertFails(await rig.signInAs(), /Sign-in to locked failed: .*invalid_grant/u);
  assert.equal(scene.seen.filter(({ path }) => path === "/token").length, 1);
});

test("a configured client sends its secret in the way that the server expects, and the secret is not stored", async () => {
  for (const [method, isHeader] of [
    ["client_secret_basic", true],
    ["client_secret_post", false],
  ] as const) {
    await using scene = await startOAuthScene({
      metadata: (metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: [method] }),
    });
    await using rig = await signInRig(scene);
    assert.ok((await rig.signInAs({ clientId: "ours", clientSecret: "s3cret:+ /" })).ok);
    const exchange = scene.seen.find(({ path }) => path === "/token");
    const basic = `Basic ${Buffer.from("ours:s3cret%3A%2B+%2F").toString("base64")}`;
    assert.equal(exchange?.headers.authorization, isHeader ? basic : undefined);
    assert.equal(exchange?.form.get("client_secret"), isHeader ? null : "s3cret:+ /");
    assert.equal(
      scene.seen.some(({ path }) => path === "/register"),
      false,
    );
    assert.doesNotMatch(await readFile(rig.file, "utf8"), /s3cret/u);
  }
});

test("a client id metadata document is used if the server supports it", async () => {
  const clientMetadataUrl = "https://hermes.example/client.json";
  for (const isTaken of [true, false]) {
    await using scene = await startOAuthScene({
      metadata: (metadata) => ({ ...metadata, client_id_metadata_document_supported: isTaken }),
    });
    await using rig = await signInRig(scene);
    assert.ok((await rig.signInAs({ clientMetadataUrl })).ok);
    const id = new URL(rig.shown[0] ?? "").searchParams.get("client_id");
    assert.equal(id, isTaken ? clientMetadataUrl : "client-1");
  }
});

test("for a server without client registration, the error names the setting to add", async () => {
  await using scene = await startOAuthScene({ metadata: ({ registration_endpoint: _none, ...others }) => others });
  await using rig = await signInRig(scene);
  assertFails(
    await rig.signInAs({ redirectPort: 0 }),
    /does not let programs register.*127\.0\.0\.1:\d+\/callback.*client_id/u,
  );
});

test("a server without metadata uses the sign-in of the 2025 protocol", async () => {
  await using scene = await startOAuthScene({ resource: () => undefined });
  await using rig = await signInRig(scene);
  // The paths are on the MCP server itself, which has none of them.
  assertFails(await rig.signInAs(), /could not register at .*status 404/u);
  assert.deepEqual(
    scene.seen.map(({ method, path }) => `${method} ${path}`),
    [
      "POST /mcp",
      "GET /.well-known/oauth-protected-resource/mcp",
      "GET /.well-known/oauth-protected-resource",
      "GET /.well-known/oauth-authorization-server",
      "GET /.well-known/openid-configuration",
      "POST /register",
    ],
  );
});

test("a server that connects without a sign-in needs one later, when a refusal names the scopes", async () => {
  await using scene = await startOAuthScene({
    answer: ({ json, headers }) =>
      json["method"] === "initialize" && headers.authorization === undefined
        ? { json: { jsonrpc: "2.0", id: json["id"], result: {} }, headers: { "mcp-session-id": "s1" } }
        : undefined,
    challenge: 'scope="deep"',
  });
  await using rig = await signInRig(scene);
  const done = await rig.signInAs();
  assert.ok(done.ok);
  assert.equal(done.value.scope, "deep");
  assert.equal(scene.seen[1]?.headers["mcp-session-id"], "s1");
});

test("signing in to a server that needs no token fails with that reason", async () => {
  await using scene = await startOAuthScene({ isOpen: true, resource: () => undefined });
  await using rig = await signInRig(scene);
  assertFails(await rig.signInAs(), /the server does not require a sign-in/u);
});

test("additional scopes are requested at the next sign-in, and one command asks the user at most twice", async () => {
  await using scene = await startOAuthScene({
    challenge: 'scope="read"',
    scopes: { "tools/call": "write" },
  });
  await using rig = await signInRig(scene);
  assert.ok((await rig.signInAs()).ok);
  const connected = await rig.connect(remoteEntry(scene.url), noRequests, never);
  assert.ok(connected.ok);
  await using connection = connected.value;
  const refused = await connection.call("look", {}, callLimits);
  assert.ok(!refused.ok);
  assert.equal(refused.error.kind, "auth");
  assert.match(refused.error.message, /locked requires more permissions: write\. Run: hermes mcp login locked/u);
  const again = await rig.signInAs();
  assert.ok(again.ok);
  assert.equal(again.value.scope, "read write");
  assert.ok((await connection.call("look", {}, callLimits)).ok);

  await using greedy = await startOAuthScene({
    answer: ({ json, headers }) =>
      json["method"] === "tools/list" && headers.authorization
        ? {
            status: 403,
            headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="s${Math.random()}"` },
          }
        : undefined,
  });
  await using second = await signInRig(greedy);
  assertFails(await second.signInAs(), /locked rejects the token that it issued in 2 sign-ins/u);
  assert.equal(second.shown.length, 2);
});

test("a sign-in whose token the server refuses fails and is not stored", async () => {
  await using scene = await startOAuthScene({
    answer: ({ path, headers }) => (path === "/mcp" && headers.authorization ? { status: 401 } : undefined),
  });
  await using rig = await signInRig(scene);
  assertFails(await rig.signInAs(), /locked rejects the token that it issued/u);
  assert.doesNotMatch(await readFile(rig.file, "utf8"), /token-1|refresh-1/u);
});

test("a program signs in without a user if the server expects that", async () => {
  await using scene = await startOAuthScene({
    metadata: (metadata) => ({ ...metadata, grant_types_supported: ["client_credentials"] }),
    isFinal: true,
  });
  await using rig = await signInRig(scene);
  const oauth = { clientId: "ours", clientSecret: "secret" };
  assert.ok((await rig.signInAs(oauth)).ok);
  assert.deepEqual(rig.shown, []);
  scene.expire();
  assert.ok((await rig.connect(remoteEntry(scene.url, oauth), noRequests, never)).ok);
});

test("a sign-in can be interrupted, and has a time limit", async () => {
  await using scene = await startOAuthScene();
  await using rig = await signInRig(scene);
  const stop = new AbortController();
  assertFails(await rig.signInAs({}, { show: () => stop.abort() }, stop.signal), /interrupted/u);
  assertFails(await rig.signInAs({ timeoutMs: 50 }, { show() {} }), /timed out/u);
});

const noRequests = {
  sample: async () => ({ ok: false, error: { message: "no" } }) as const,
  elicit: async () => ({ ok: false, error: { message: "no" } }) as const,
  roots: () => [],
  log() {},
};
