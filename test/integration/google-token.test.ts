// covers: src/providers
import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { createGoogleTokens } from "../../src/providers/credentials/google-token.ts";
import { assertFails } from "../support/failure.ts";
import { tempHome } from "../support/temp-home.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const signal = new AbortController().signal;

async function tokenServer(answer: object) {
  const forms: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      forms.push(new URLSearchParams(body));
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    forms,
    url: `http://127.0.0.1:${port}/token`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

test("a service account exchanges a signed assertion for a token, once per lifetime", async () => {
  await using home = await tempHome();
  await using server = await tokenServer({ access_token: "ya29.token", expires_in: 3600 });
  using http = createHttp({ clock: systemClock });
  const file = join(home.path, "account.json");
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await writeFile(
    file,
    JSON.stringify({ type: "service_account", client_email: "me@p", private_key: key, token_uri: server.url }),
  );
  const tokens = createGoogleTokens({ http: () => http, clock: systemClock });
  assert.deepEqual(await tokens.tokenOf(file, signal), { ok: true, value: "ya29.token" });
  assert.deepEqual(await tokens.tokenOf(file, signal), { ok: true, value: "ya29.token" });
  assert.equal(server.forms.length, 1);
  const [head = "", claims = "", signature = ""] = (server.forms[0]?.get("assertion") ?? "").split(".");
  assert.ok(verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url")));
  const claim: unknown = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.ok(typeof claim === "object" && claim !== null && "iss" in claim && claim.iss === "me@p");
});

test("the token of a user account is refreshed, and a refusal gives the reason", async () => {
  await using home = await tempHome();
  await using server = await tokenServer({ error: "invalid_grant", error_description: "Token has been revoked" });
  using http = createHttp({ clock: systemClock });
  const file = join(home.path, "adc.json");
  await writeFile(
    file,
    JSON.stringify({
      type: "authorized_user",
      client_id: "c",
      client_secret: "s",
      refresh_token: "r",
      token_uri: server.url,
    }),
  );
  const answer = await createGoogleTokens({ http: () => http, clock: systemClock }).tokenOf(file, signal);
  assert.ok(!answer.ok);
  assert.match(answer.error.message, /Token has been revoked/u);
  assert.equal(server.forms[0]?.get("refresh_token"), "r");
});

test("no request is sent to a host in the credentials file that does not belong to Google", async () => {
  await using home = await tempHome();
  using http = createHttp({ clock: systemClock });
  const tokens = createGoogleTokens({ http: () => http, clock: systemClock });
  const file = join(home.path, "evil.json");
  for (const token_uri of [
    "https://evil.example/token",
    "https://googleapis.com.evil.example/",
    "http://oauth2.googleapis.com/token",
  ]) {
    await writeFile(file, JSON.stringify({ type: "authorized_user", refresh_token: "r", token_uri }));
    const answer = await tokens.tokenOf(file, signal);
    assert.ok(!answer.ok && answer.error.message.includes("not a Google host"), JSON.stringify(answer));
  }
  await writeFile(file, "no json");
  assertFails(await tokens.tokenOf(file, signal), /is not a key file of a Google account/u);
  assertFails(await tokens.tokenOf(join(home.path, "missing"), signal), /does not exist; check the path/u);
});
