// covers: src/base/oauth, src/providers, src/hosts
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { signInByBrowser } from "../../src/providers/credentials/sign-in/browser-flow.ts";
import { type DeviceCode, signInByCode } from "../../src/providers/credentials/sign-in/device-flow.ts";
import { createGrantTokens } from "../../src/providers/credentials/sign-in/renew-grants.ts";
import { signInByUserCode } from "../../src/providers/credentials/sign-in/user-code-flow.ts";
import { assertFails } from "../support/failure.ts";
import { hermes } from "../support/fake-terminal.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { type SignInServer, startSignInServer } from "../support/sign-in-server.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const never = new AbortController().signal;
const device = {
  device_code: "device-1",
  user_code: "ABCD-1234",
  verification_uri: "https://example.com/device",
  expires_in: 600,
  interval: 5,
};
const pending = { status: 400, body: { error: "authorization_pending" } };
const granted = { body: { access_token: "token-1", refresh_token: "renew-1", expires_in: 3600 } };

/** A clock on which waits end at once; the waiting times are recorded. */
function hurried(): { readonly clock: Clock; readonly waits: number[] } {
  const waits: number[] = [];
  let passedMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + passedMs,
    elapsed: () => systemClock.elapsed() + passedMs,
    after(ms, run) {
      waits.push(ms);
      passedMs += ms;
      return systemClock.after(0, run);
    },
  };
  return { clock, waits };
}

/** Waits between attempts pass ten times as fast, and the wire has time enough on a busy machine. */
const quickly: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / 10, run) };

async function byCode(server: SignInServer, more: { readonly provesDevice?: boolean } = {}, signal = never) {
  const { clock, waits } = hurried();
  using http = createHttp({ clock: systemClock });
  const shown: DeviceCode[] = [];
  const where = { deviceUrl: `${server.url}/device`, tokenUrl: `${server.url}/token`, clientId: "us", scope: "a b" };
  const result = await signInByCode({ ...where, ...more }, (code) => shown.push(code), { http, clock }, signal);
  return { result, waits, shown };
}

test("a device sign-in shows a code and polls at the server's interval", async () => {
  const slower = { status: 400, body: { error: "slow_down" } };
  await using server = await startSignInServer({ device, token: [pending, slower, pending, granted] });
  const { result, waits, shown } = await byCode(server);
  assert.ok(result.ok);
  assert.deepEqual([result.value.accessToken, result.value.refreshToken], ["token-1", "renew-1"]);
  assert.deepEqual(shown, [{ url: "https://example.com/device", code: "ABCD-1234", minutes: 10 }]);
  assert.deepEqual(waits, [5_000, 5_000, 10_000, 10_000]);
  assert.deepEqual(
    [...(server.forms[0]?.form ?? [])],
    [
      ["client_id", "us"],
      ["scope", "a b"],
    ],
  );
});

test("a refused code, an expired one and an unreachable server end with a message", async () => {
  const says = async (code: string) => {
    await using server = await startSignInServer({ device, token: [{ status: 400, body: { error: code } }] });
    const { result } = await byCode(server);
    return result.ok ? "" : result.error.message;
  };
  assert.match(await says("access_denied"), /refused on that page/u);
  assert.match(await says("expired_token"), /expired/u);
  assert.match(await says("invalid_client"), /invalid_client/u);
  await using forever = await startSignInServer({ device, token: [pending] });
  const { result, waits } = await byCode(forever);
  assert.match(result.ok ? "" : result.error.message, /expired/u);
  assert.ok(waits.length > 100);
});

test("requests to a server that fails for a moment are retried, less often", async () => {
  await using server = await startSignInServer({ device, token: [{ status: 503, body: {} }, granted] });
  const { result, waits } = await byCode(server);
  assert.ok(result.ok);
  assert.deepEqual(waits, [5_000, 10_000]);
});

test("the PKCE proof of the device flow is sent with both requests", async () => {
  await using server = await startSignInServer({ device, token: [granted] });
  await byCode(server, { provesDevice: true });
  const [first, second] = server.forms.map(({ form }) => form);
  assert.equal(first?.get("code_challenge_method"), "S256");
  assert.ok((second?.get("code_verifier") ?? "").length >= 43);
});

test("a sign-in answer without a code, or with an address that is not a web page, is not shown", async () => {
  for (const bad of [
    {},
    { ...device, verification_uri: "javascript:alert(1)" },
    { ...device, user_code: "\u001b[2J" },
  ]) {
    await using server = await startSignInServer({ device: bad, token: [granted] });
    const { result, shown } = await byCode(server);
    assertFails(result, /the server sent no code to sign in with/u);
    assert.equal(shown.length, 0);
  }
});

test("waiting for a code can be interrupted", async () => {
  await using server = await startSignInServer({ device: { ...device, interval: 50 }, token: [pending] });
  const stop = new AbortController();
  using http = createHttp({ clock: systemClock });
  const where = { deviceUrl: `${server.url}/device`, tokenUrl: `${server.url}/token`, clientId: "us" };
  const waiting = signInByCode(where, () => stop.abort(), { http, clock: systemClock }, stop.signal);
  assertFails(await waiting, /interrupted/u);
});

async function byBrowser(server: SignInServer, act: (address: string) => Promise<void>) {
  using http = createHttp({ clock: systemClock });
  const where = { authorizeUrl: `${server.url}/authorize`, tokenUrl: `${server.url}/token`, clientId: "us" };
  const acts: Promise<void>[] = [];
  const show = (address: string) => void acts.push(act(address));
  const result = await signInByBrowser(where, { show }, { http, clock: systemClock }, never);
  await Promise.all(acts);
  return result;
}

test("the browser returns to this machine with a code that only this sign-in can use", async () => {
  await using server = await startSignInServer({ token: [granted] });
  const result = await byBrowser(server, async (address) => {
    const { status, text } = await server.browse(address);
    assert.equal(status, 200);
    assert.match(text, /Signed in/u);
  });
  assert.ok(result.ok && result.value.accessToken === "token-1");
  assert.equal(server.forms[0]?.form.get("code"), "the-code");
});

test("an answer with the state of another sign-in is refused, and the real one is still accepted", async () => {
  await using server = await startSignInServer({ token: [granted] });
  const result = await byBrowser(server, async (address) => {
    for (const state of ["wrong", "", "x".repeat(64)]) {
      const { status } = await server.browse(address, (back) => back.searchParams.set("state", state));
      assert.equal(status, 400);
    }
    assert.equal((await server.browse(address, (back) => void (back.pathname = "/other"))).status, 404);
    await server.browse(address);
  });
  assert.ok(result.ok);
  assert.equal(server.forms.length, 1);
});

test("a refusal in the browser is reported", async () => {
  await using server = await startSignInServer({ token: [granted] });
  const result = await byBrowser(server, async (address) => {
    await server.browse(address, (back) => {
      back.searchParams.delete("code");
      back.searchParams.set("error", "access_denied");
    });
  });
  assert.match(result.ok ? "" : result.error.message, /refused/u);
  assert.equal(server.forms.length, 0);
});

test("a pasted URL replaces the browser's callback", async () => {
  await using server = await startSignInServer({ token: [{ status: 400, body: { error: "invalid_grant" } }] });
  using http = createHttp({ clock: systemClock });
  let address = "";
  const result = await signInByBrowser(
    { authorizeUrl: `${server.url}/authorize`, tokenUrl: `${server.url}/token`, clientId: "us" },
    {
      show: (url) => void (address = url),
      paste: async () => {
        const asks = new URL(address).searchParams;
        return `${asks.get("redirect_uri")}?code=pasted&state=${asks.get("state")}`;
      },
    },
    { http, clock: systemClock },
    never,
  );
  assert.equal(server.forms[0]?.form.get("code"), "pasted");
  assertFails(result, /invalid_grant.*the proof is wrong/u);
});

test("signing in on the command line stores the token for the owner only, and it is used and renewed", async () => {
  await using signIn = await startSignInServer({
    device: { ...device, interval: 1 },
    token: [
      { body: { access_token: "short-lived-token-1", refresh_token: "renew-1", expires_in: 60 } },
      { body: { access_token: "fresh-token-number-2", expires_in: 3600 } },
    ],
  });
  await using model = await startModelServer({
    protocol: "openai-chat",
    turns: [{ text: "hello" }, { text: "again" }],
    keys: ["fresh-token-number-2"],
  });
  const settings = (url: string) =>
    `model: nous/m\nproviders: {nous: {sign_in: {device_url: "${url}/device", token_url: "${url}/token"}}}\n`;
  await using rig = await modelsRig(settings(signIn.url), { NOUS_INFERENCE_BASE_URL: model.url }, systemClock);
  const result = await hermes(["auth", "add", "nous", "--oauth"], { home: rig.home });
  assert.equal(result.code, 0, result.err);
  assert.match(result.err, /ABCD-1234/u);
  assert.doesNotMatch(result.out + result.err, /short-lived/u);
  assert.equal((await stat(rig.credentials)).mode & 0o777, 0o600);
  const models = await rig.again();
  assert.equal((await ask(models)).text, "hello");
  assert.equal((await ask(models)).text, "again");
  const renewals = signIn.forms.filter(({ form }) => form.get("grant_type") === "refresh_token");
  assert.deepEqual(
    renewals.map(({ form }) => [form.get("refresh_token"), form.get("client_id")]),
    [["renew-1", "hermes-cli"]],
  );
  const listed = await hermes(["auth", "list", "nous"], {
    home: rig.home,
    env: { NOUS_INFERENCE_BASE_URL: model.url },
  });
  assert.match(listed.out, /signed in/u);
  assert.doesNotMatch(listed.out, /fresh-token/u);
});

async function grantsFile(url: string, expiresAt: number) {
  const home = await tempHome();
  const file = join(home.path, "credentials.json");
  const grant = { clientId: "us", tokenUrl: `${url}/token`, refreshToken: "renew-1", expiresAt };
  const key = { id: "key_1", label: "signed in", key: "old-token", addedAt: 1, grant };
  await writeFile(file, JSON.stringify({ keys: { nous: [key] }, states: {} }), { mode: 0o600 });
  return { home, file };
}

test("a hundred concurrent requests renew a token once", async () => {
  let used = 0;
  const once = (form: URLSearchParams) => {
    used += 1;
    return form.get("refresh_token") === "renew-1" && used === 1
      ? { body: { access_token: "new-token", refresh_token: "renew-2", expires_in: 3600 } }
      : { status: 400, body: { error: "invalid_grant" } };
  };
  await using server = await startSignInServer({ token: [once] });
  const { home, file } = await grantsFile(server.url, 1);
  await using _home = home;
  using http = createHttp({ clock: systemClock });
  const make = () => createGrantTokens({ file, http: () => http, clock: systemClock });
  const [one, two] = [make(), make()];
  const reported = await Promise.all(
    Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).tokenOf("nous", "key_1", undefined, never)),
  );
  assert.ok(reported.every((each) => each.ok && each.value === "new-token"));
  assert.equal(used, 1);
  assert.match(await readFile(file, "utf8"), /renew-2/u);
});

test("after a refused renewal the user must sign in again; an unreachable server does not require that", async () => {
  await using server = await startSignInServer({
    token: [
      { status: 400, body: { error: "invalid_grant", error_description: "revoked" } },
      { status: 502, body: {} },
    ],
  });
  const { home, file } = await grantsFile(server.url, 1);
  await using _home = home;
  using http = createHttp({ clock: systemClock });
  const tokens = createGrantTokens({ file, http: () => http, clock: systemClock });
  const refused = await tokens.tokenOf("nous", "key_1", undefined, never);
  assert.match(refused.ok ? "" : refused.error.message, /revoked.*Sign in again: hermes auth add nous --oauth/u);
  const away = await tokens.tokenOf("nous", "key_1", undefined, never);
  assert.match(away.ok ? "" : away.error.message, /could not be renewed/u);
  assert.doesNotMatch(away.ok ? "" : away.error.message, /Sign in again/u);
});

test("an interrupt does not wait for a renewal that hangs", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = silent.address() as AddressInfo;
  const { home, file } = await grantsFile(`http://127.0.0.1:${port}`, 1);
  await using _home = home;
  using http = createHttp({ clock: systemClock });
  const tokens = createGrantTokens({ file, http: () => http, clock: systemClock });
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  assertFails(await tokens.tokenOf("nous", "key_1", undefined, stop.signal), /interrupted/u);
  silent.closeAllConnections();
  silent.close();
});

test("a token that the provider refuses before its time is renewed once", async () => {
  await using signIn = await startSignInServer({
    token: [{ body: { access_token: "token-that-works", expires_in: 60 } }],
  });
  await using model = await startModelServer({
    protocol: "openai-chat",
    turns: () => ({ text: "hello" }),
    keys: ["token-that-works"],
  });
  await using rig = await modelsRig("model: nous/m\n", { NOUS_INFERENCE_BASE_URL: model.url }, systemClock);
  const grant = { clientId: "us", tokenUrl: `${signIn.url}/token`, refreshToken: "r", expiresAt: Date.now() + 9e6 };
  const key = { id: "key_1", label: "mine", key: "revoked-token-0123", addedAt: 1, grant };
  await writeFile(rig.credentials, JSON.stringify({ keys: { nous: [key] }, states: {} }), { mode: 0o600 });
  const reply = await ask(await rig.again());
  assert.equal(reply.text, "hello");
  assert.deepEqual(reply.decisions, ["retry: renewing the sign-in mine"]);
});

test("a token request is retried when the server is unreachable, and not when it refuses", async () => {
  await using model = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "hello" }) });
  await using rig = await modelsRig("model: nous/m\n", { NOUS_INFERENCE_BASE_URL: model.url }, quickly);
  const keep = (url: string) => {
    const grant = { clientId: "us", tokenUrl: `${url}/token`, refreshToken: "r", expiresAt: 1 };
    const key = { id: "key_1", label: "mine", key: "old-token-0123456", addedAt: 1, grant };
    return writeFile(rig.credentials, JSON.stringify({ keys: { nous: [key] }, states: {} }), { mode: 0o600 });
  };
  await using away = await startSignInServer({ token: [{ status: 503, body: {} }, granted] });
  await keep(away.url);
  const reply = await ask(await rig.again());
  assert.equal(reply.text, "hello");
  assert.match(reply.decisions[0] ?? "", /^retry: retrying in/u);
  await using refusing = await startSignInServer({ token: [{ status: 400, body: { error: "invalid_grant" } }] });
  await keep(refusing.url);
  const { end } = await ask(await rig.again());
  assert.match(end?.type === "error" ? end.error.message : "", /Sign in again/u);
  assert.equal(refusing.forms.length, 1);
});

test("for a provider without a sign-in flow or a client id, the error names the setting to add", async () => {
  await using home = await tempHome();
  const unknown = await hermes(["auth", "add", "groq", "--oauth"], { home: home.path });
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /providers\.groq\.sign_in\.token_url/u);
  const nameless = await hermes(["auth", "add", "copilot", "--oauth"], { home: home.path });
  assert.match(nameless.err, /hermes config set providers\.copilot\.sign_in\.client_id/u);
});

async function byUserCode(script: Parameters<typeof startSignInServer>[0]) {
  await using server = await startSignInServer(script);
  const { clock, waits } = hurried();
  using http = createHttp({ clock: systemClock });
  const shown: DeviceCode[] = [];
  const where = { deviceUrl: `${server.url}/device`, tokenUrl: `${server.url}/token`, clientId: "us", scope: "a b" };
  const result = await signInByUserCode(where, (code) => shown.push(code), { http, clock }, never);
  return { result, waits, shown, forms: server.forms, now: clock.now() };
}

const userCode = { user_code: "WDJB-MJHT", verification_uri: "https://example.com/go", interval: 2000 };

test("MiniMax sign-in polls with the shown code until the status is success", async () => {
  const { result, waits, shown, forms, now } = await byUserCode({
    device: { ...userCode, expired_in: systemClock.now() + 600_000 },
    token: [
      { body: { status: "pending" } },
      { status: 502, body: {} },
      { body: { status: "success", access_token: "token-1", refresh_token: "renew-1", expired_in: 3600 } },
    ],
  });
  assert.deepEqual(shown, [{ url: "https://example.com/go", code: "WDJB-MJHT", minutes: 10 }]);
  assert.ok(result.ok && result.value.accessToken === "token-1" && result.value.refreshToken === "renew-1");
  assert.ok(Math.abs((result.value.expiresAt ?? 0) - now - 3_600_000) < 60_000);
  assert.deepEqual(waits.slice(0, 3), [2_000, 3_000, 4_500]);
  const { form } = forms.at(-1) ?? {};
  assert.equal(form?.get("user_code"), "WDJB-MJHT");
  assert.equal(form?.get("grant_type"), "urn:ietf:params:oauth:grant-type:user_code");
  const challenge = createHash("sha256")
    .update(form?.get("code_verifier") ?? "")
    .digest("base64url");
  assert.equal(forms[0]?.form.get("code_challenge"), challenge);
});

test("a refusal, an expired code and a response of another sign-in end the MiniMax sign-in", async () => {
  const pendingOn = [{ body: { status: "pending" } }];
  for (const [script, message] of [
    [{ device: userCode, token: [{ body: { status: "error", base_resp: { status_msg: "denied" } } }] }, /denied/u],
    [{ device: { ...userCode, expired_in: 20 }, token: pendingOn }, /the code expired before it was entered/u],
    [{ device: { ...userCode, state: "another" }, token: pendingOn }, /no code to sign in with/u],
    [{ device: { ...userCode, verification_uri: "http://example.com" }, token: pendingOn }, /no code to sign in with/u],
    [{ device: { base_resp: { status_msg: "unknown client" } }, token: pendingOn }, /unknown client/u],
  ] as const) {
    const { result } = await byUserCode(script);
    assert.match(result.ok ? "" : result.error.message, message);
  }
});
