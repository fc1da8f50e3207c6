import assert from "node:assert/strict";
import test from "node:test";

import { err, ok } from "../../base/result.ts";
import type { Web, WebRequest } from "../safety/web.ts";
import { type ApiCall, callApi } from "./call-api.ts";

const { signal } = new AbortController();

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const requests: WebRequest[] = [];
  const web: Web = {
    async fetch(request) {
      requests.push(request);
      return ok({ url: request.url, status, headers, body: new TextEncoder().encode(body) });
    },
  };
  return { web, requests };
}

const call: ApiCall = { service: "tavily", url: "https://api.tavily.test/search", keyVar: "TAVILY_API_KEY" };

async function faultOf(status: number, body: string, headers?: Record<string, string>) {
  const answered = await callApi(answering(status, body, headers).web, call, signal);
  assert.ok(!answered.ok);
  return answered.error;
}

test("a response contains its parsed JSON, or undefined if the body is not JSON", async () => {
  const { web, requests } = answering(200, '{"results":[1]}');
  const answered = await callApi(web, { ...call, json: { query: "é" } }, signal);
  assert.ok(answered.ok);
  assert.deepEqual(answered.value.json(), { results: [1] });
  assert.equal(requests[0]?.body, '{"query":"é"}');
  assert.equal(requests[0]?.headers?.["content-type"], "application/json");
  const page = await callApi(answering(200, "<html>").web, call, signal);
  assert.ok(page.ok);
  assert.equal(page.value.json(), undefined);
});

test("a multipart form is sent with its boundary in the content type", async () => {
  const form = new FormData();
  form.set("file", new Blob(["abc"]), "a.wav");
  const { web, requests } = answering(200, "{}");
  await callApi(web, { ...call, form }, signal);
  const boundary = /^multipart\/form-data; boundary=(.+)$/u.exec(requests[0]?.headers?.["content-type"] ?? "")?.[1];
  assert.ok(boundary);
  assert.ok(new TextDecoder().decode(requests[0]?.body as Uint8Array).includes(boundary));
});

test("a failure contains the service's error text and a hint", async () => {
  for (const [body, words] of [
    ['{"error":{"message":"Bad key"}}', "Bad key"],
    ['{"detail":{"error":"Bad key"}}', "Bad key"],
    ['{"detail":[{"msg":"Bad key"}]}', "Bad key"],
    ['{"errors":1,"title":"Bad key"}', "Bad key"],
    ["Bad\n key", "Bad key"],
  ] as const)
    assert.equal(
      (await faultOf(401, body)).message,
      `tavily answered 401: ${words}. Check its key: hermes config set TAVILY_API_KEY …`,
    );
  assert.equal((await faultOf(403, "<html>no</html>")).message.includes("<html>"), false);
  assert.equal((await faultOf(402, "{}")).kind, "credit");
  assert.equal((await faultOf(400, '{"message":"No query!"}')).message, "tavily answered 400: No query!");
  assert.equal((await faultOf(503, "")).message, "tavily answered 503. Try again later.");
  const limit = await faultOf(429, "slow down", { "retry-after": "7" });
  assert.equal(limit.message, "tavily answered 429: slow down. Wait 7 s and try again.");
  assert.equal(limit.retryAfterMs, 7000);
  assert.ok((await faultOf(400, JSON.stringify({ message: "x".repeat(10_000) }))).message.length < 400);
});

test("only a server named in the settings may have a private address", async () => {
  const { web, requests } = answering(200, "{}");
  await callApi(web, { ...call, url: "http://127.0.0.1:3002/v1", isNamedBySettings: true }, signal);
  await callApi(web, call, signal);
  assert.deepEqual(
    requests.map(({ trustedOrigin }) => trustedOrigin),
    ["http://127.0.0.1:3002", undefined],
  );
});

test("a failed connection is returned as a fault with a hint", async () => {
  const web: Web = { fetch: async () => err({ kind: "unreachable", message: "ENOTFOUND" }) };
  const answered = await callApi(web, call, signal);
  assert.ok(!answered.ok);
  assert.equal(answered.error.message, "tavily cannot be reached: ENOTFOUND. Check the network.");
});
