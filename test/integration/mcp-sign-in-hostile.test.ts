// covers: src/base/oauth, src/mcp/oauth, src/contracts/mcp
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";

import { unsafeAddress } from "../../src/mcp/oauth/discover.ts";
import { assertFails } from "../support/failure.ts";
import { type OAuthRules, type OAuthScene, startOAuthScene } from "../support/mcp-oauth-server.ts";
import { signInRig } from "../support/mcp-sign-in-rig.ts";

/** Tries to sign in; no token is issued, nothing is stored, and no page is shown unless the rules require it. */
async function refused(
  rules: OAuthRules | ((scene: () => OAuthScene) => OAuthRules),
  reason: RegExp,
  options: { readonly isPageShown?: boolean } = {},
) {
  const started: OAuthScene = await startOAuthScene(typeof rules === "function" ? rules(() => started) : rules);
  await using _scene = started;
  await using rig = await signInRig(started);
  assertFails(await rig.signInAs(), reason);
  assert.equal(rig.shown.length, options.isPageShown ? 1 : 0);
  assert.equal(existsSync(rig.file), false);
  const leaked = started.seen.filter(({ host, form }) => host === "other" && [...form.keys()].length > 0);
  assert.deepEqual(leaked, []);
}

const nonsense = [{ json: [] }, { json: "text" }, { json: { issuer: 7 } }, { text: "<html>" }, { text: "" }] as const;

test("invalid metadata ends the sign-in with a reason", async () => {
  for (const reply of nonsense)
    await refused(
      { answer: ({ path, host }) => (host === "auth" && path.startsWith("/.well-known") ? reply : undefined) },
      /Sign-in to locked failed: .*(?:has no metadata|does not describe an authorization server)/u,
    );
  for (const reply of nonsense)
    await refused(
      { answer: ({ path, host }) => (host === "mcp" && path.startsWith("/.well-known") ? reply : undefined) },
      /Sign-in to locked failed: .*(?:could not register|does not describe an authorization server)/u,
    );
  await refused(
    { answer: ({ host }) => (host === "auth" ? "cut" : undefined) },
    /Sign-in to locked failed: .*127\.0\.0\.1/u,
  );
  await refused({ answer: ({ host }) => (host === "auth" ? { status: 500 } : undefined) }, /answers with status 500/u);
});

test("invalid answers of the registration and token endpoints end the sign-in", async () => {
  for (const json of [{}, { client_id: "" }, { client_id: 5 }, { client_id: "a\u001b[2Jb" }, []])
    await refused({ answer: ({ path }) => (path === "/register" ? { json } : undefined) }, /without a client id/u);
  for (const json of [
    {},
    { access_token: "" },
    { access_token: 5 },
    { access_token: "a\nX-Evil: b" },
    { access_token: "a", token_type: "mac" },
    { error: "server_error", error_description: "\u001b[31mred" },
    "text",
  ])
    await refused(
      { answer: ({ path }) => (path === "/token" ? { json } : undefined) },
      /Sign-in to locked failed: (?:the response (?:has|contains)|127)/u,
      { isPageShown: true },
    );
});

test("endless sign-in documents are cut off", async () => {
  const text = `{"issuer": "${"x".repeat(3_000_000)}`;
  await refused({ answer: ({ host }) => (host === "auth" ? { text } : undefined) }, /sent more than/u);
});

test("sign-in metadata for another resource is refused", async () => {
  for (const resource of ["https://bank.example/mcp", "http://127.0.0.1:1/mcp", 7, "nonsense"])
    await refused(
      { resource: (metadata) => ({ ...metadata, resource }) },
      /the server's metadata is for another server/u,
    );
  await refused(
    { resource: (metadata) => ({ ...metadata, resource: `${String(metadata["resource"])}/deeper` }) },
    /the server's metadata is for another server/u,
  );
});

test("sign-in metadata of another issuer is refused", async () => {
  await refused(
    { metadata: (metadata) => ({ ...metadata, issuer: "https://accounts.bank.example" }) },
    /is for another server .*accounts\.bank\.example/u,
  );
});

test("a server of the March 2025 protocol is its own authorization server, on its own host only", async () => {
  for (const [isOwn, reason] of [
    [true, /could not register at http:\/\/127\.0\.0\.1:\d+\/tenant: .*status 404/u],
    [false, /is for another server .*bank\.example/u],
  ] as const)
    await refused(
      (scene) => ({
        resource: () => undefined,
        answer({ host, path }) {
          if (host !== "mcp" || path !== "/.well-known/oauth-authorization-server") return undefined;
          const { origin } = new URL(scene().url);
          const paths = { authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` };
          const issuer = isOwn ? `${origin}/tenant` : "https://accounts.bank.example";
          return { json: { issuer, ...paths, registration_endpoint: `${origin}/r` } };
        },
      }),
      reason,
    );
});

test("a sign-in page on one host and a token endpoint on another are refused, unless replies name their issuer", async () => {
  const unnamed = { authorization_response_iss_parameter_supported: false };
  await refused(
    (scene) => ({
      metadata: (metadata) => ({ ...metadata, ...unnamed, authorization_endpoint: `${scene().other}/authorize` }),
    }),
    /refused, because you would sign in at 127\.0\.0\.1:\d+ but 127\.0\.0\.1:\d+ would get the code/u,
  );
  // The page belongs to the issuer: a large provider may keep its tokens elsewhere.
  let tokens = "";
  await using scene = await startOAuthScene({
    metadata: (metadata) => ({ ...metadata, ...unnamed, token_endpoint: tokens }),
    answer: ({ host, path }) =>
      host === "other" && path === "/token" ? { json: { access_token: "token-of-other" } } : undefined,
  });
  tokens = `${scene.other}/token`;
  await using rig = await signInRig(scene);
  // This server does not know that token.
  assertFails(await rig.signInAs(), /locked rejects the token/u);
  assert.equal(scene.seen.filter(({ host }) => host === "other").length, 1);
});

test("a reply that names another issuer, or lacks a required issuer, is refused and its code is not used", async () => {
  for (const iss of ["https://accounts.bank.example", undefined]) {
    await using scene = await startOAuthScene();
    await using rig = await signInRig(scene);
    const talk = {
      async show(url: string) {
        const back = new URL(await scene.redirectOf(url));
        if (iss === undefined) back.searchParams.delete("iss");
        else back.searchParams.set("iss", iss);
        await fetch(back);
      },
    };
    assertFails(await rig.signInAs({}, { show: (url) => void talk.show(url) }), /the reply does not come from/u);
    assert.equal(
      scene.seen.some(({ path }) => path === "/token"),
      false,
    );
  }
});

test("no secret is sent to a redirect target on another host", async () => {
  for (const path of ["/register", "/token", "/.well-known/oauth-authorization-server"])
    await refused(
      (scene) => ({
        answer: (request) =>
          request.host === "auth" && request.path === path
            ? { status: 307, headers: { location: `${scene().other}${path}` } }
            : undefined,
      }),
      /redirects to .*another host/u,
      { isPageShown: path === "/token" },
    );
  await refused(
    (scene) => ({
      answer: ({ host, path }) =>
        host === "mcp" && path.startsWith("/.well-known")
          ? { status: 302, headers: { location: `${scene().other}/metadata` } }
          : undefined,
    }),
    /redirects to .*another host/u,
  );
});

test("waiting for a server that hangs ends when the user gives up", async () => {
  for (const path of ["/mcp", "/.well-known/oauth-authorization-server", "/register", "/token"]) {
    const stop = new AbortController();
    await using scene = await startOAuthScene({
      answer(request) {
        if (request.path !== path) return undefined;
        setTimeout(() => stop.abort(), 20);
        return "hang";
      },
    });
    await using rig = await signInRig(scene);
    assertFails(await rig.signInAs({}, rig.person, stop.signal), /Sign-in to locked failed: /u);
    assert.equal(existsSync(rig.file), false);
  }
});

test("a client secret from the settings is not sent to another issuer", async () => {
  let isMoved = false;
  let other = "";
  await using scene = await startOAuthScene({
    resource: (metadata) => (isMoved ? { ...metadata, authorization_servers: [other] } : metadata),
    answer: ({ host, path }) =>
      host === "other" && path === "/.well-known/oauth-authorization-server"
        ? { json: { issuer: other, authorization_endpoint: `${other}/a`, token_endpoint: `${other}/t` } }
        : undefined,
  });
  other = scene.other;
  await using rig = await signInRig(scene);
  const client = { clientId: "ours", clientSecret: "secret" };
  assert.ok((await rig.signInAs(client)).ok);
  isMoved = true;
  assertFails(await rig.signInAs(client), /client_secret to .* run: hermes mcp logout locked/u);
  assert.equal(rig.shown.length, 1);
});

test("only https is accepted, http only for a local server, and a public server cannot name a private address", () => {
  const safe = (address: string, server: string) => unsafeAddress(address, server) === undefined;
  assert.ok(safe("https://auth.example/token", "https://mcp.example/mcp"));
  assert.ok(safe("http://127.0.0.1:9/token", "http://127.0.0.1:8/mcp"));
  assert.ok(safe("https://auth.example/token", "http://127.0.0.1:8/mcp"));
  for (const address of [
    "http://auth.example/token",
    "http://127.0.0.1/token",
    "https://127.0.0.1/token",
    "https://10.1.2.3/token",
    "https://[fd00::1]/token",
    "http://169.254.169.254/latest",
    "https://user:pass@auth.example/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "nonsense",
    "",
  ])
    assert.equal(safe(address, "https://mcp.example/mcp"), false, address);
  assert.equal(safe("http://169.254.169.254/latest", "http://127.0.0.1:8/mcp"), false);
});
