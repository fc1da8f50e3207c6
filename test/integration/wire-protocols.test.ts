// covers: src/providers
import assert from "node:assert/strict";
import { test } from "node:test";

import { protocols, type Endpoint, type Protocol } from "../../src/providers/endpoint.ts";
import { eventually } from "../support/eventually.ts";
import { attempt, plainRequest, readTool } from "../support/wire-servers/attempt.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";
import type { Fault, ScriptedTurn } from "../support/wire-servers/turn.ts";

const key = "sk-test-0123456789abcdef";

function endpointOf(protocol: Protocol, baseUrl: string, more: Partial<Endpoint> = {}): Endpoint {
  return { providerId: "scripted", protocol, baseUrl, key, ...more };
}

/** An answer with every kind of content, with characters of one to four bytes. */
const rich: ScriptedTurn = {
  reasoning: ["Überlegen … ", "思考 ", "🧠"],
  text: ["Grüße, ", "世界 ", "🌍🚀", " \n\n```ts\nconst a = 1;\n```"],
  calls: [
    { id: "call_a", name: "read_file", args: { path: "ä/🌍.txt", deep: { list: [1, 2, { x: null }] } } },
    { id: "call_b", name: "read_file", args: { path: 'quote " and \\ and \n' } },
  ],
  usage: { input: 1000, output: 50, cacheRead: 700, reasoning: 0 },
};

for (const protocol of protocols) {
  test(`${protocol}: text, reasoning, calls and usage arrive, streamed and as one document`, async () => {
    await using server = await startModelServer({ protocol, turns: [rich] });
    const { text, reasoning, message, usage } = await attempt(endpointOf(protocol, server.url), { tools: [readTool] });
    assert.equal(text, (rich.text as string[]).join(""));
    assert.equal(reasoning, (rich.reasoning as string[]).join(""));
    assert.equal(message?.content.map((part) => (part.type === "text" ? part.text : "")).join(""), text);
    assert.equal(message?.reasoning, reasoning);
    assert.equal(message?.stop, "calls");
    assert.deepEqual(
      message?.calls.map(({ id, name, args }) => [id, name, typeof args === "string" ? JSON.parse(args) : args]),
      rich.calls?.map(({ id, name, args }) => [id, name, args]),
    );
    assert.deepEqual(usage, { input: 1000, output: 50, cacheRead: 700, cacheWrite: 0, reasoning: 0 });
    assert.equal(server.requests[0]?.key, key);
  });

  test(`${protocol}: the answer does not depend on how the bytes are split`, async () => {
    const faults: Fault[] = [
      { chunkBytes: 1 },
      { chunkBytes: 7 },
      { newline: "\r\n", chunkBytes: 3 },
      { newline: "\r", chunkBytes: 5 },
      { bom: true },
      { keepAlives: 3, chunkBytes: 11 },
      { encoding: "gzip", chunkBytes: 64 },
      { encoding: "br" },
      { encoding: "deflate" },
      { whole: true },
      { ndjson: true },
      { contentType: "text/html" },
      { contentType: "application/json" },
      { contentType: "application/octet-stream", chunkBytes: 13 },
    ];
    const plain = { ...rich, usage: { ...(rich.usage as object), reasoning: 0 } };
    await using server = await startModelServer({
      protocol,
      turns: (_request, number) => (number === 0 ? plain : { ...plain, fault: faults[number - 1] ?? {} }),
    });
    const endpoint = endpointOf(protocol, server.url);
    // The data that the scripted provider signs contains the number of the turn.
    const expected = unsigned(await attempt(endpoint, { tools: [readTool] }));
    for (const fault of faults)
      assert.deepEqual(unsigned(await attempt(endpoint, { tools: [readTool] })), expected, JSON.stringify(fault));
  });

  test(`${protocol}: an answer that is cut off is an error, never half an answer`, async () => {
    const long: ScriptedTurn = { text: Array.from({ length: 50 }, (_, index) => `piece ${index} `) };
    await using server = await startModelServer({
      protocol,
      turns: [
        { ...long, fault: { disconnectAfter: 1500 } },
        { ...long, fault: { endAfter: 1500 } },
        { ...long, fault: { noEnd: true } },
        { ...long, fault: { disconnectAfter: 0 } },
        { ...long, fault: { endAfter: 0 } },
      ],
    });
    const kinds = [];
    for (let index = 0; index < 5; index++) kinds.push((await attempt(endpointOf(protocol, server.url))).error?.kind);
    assert.deepEqual(kinds, ["network", "network", "network", "network", "malformed"]);
  });

  test(`${protocol}: a server that hangs is detected, with or without keep-alives`, async () => {
    await using server = await startModelServer({
      protocol,
      turns: [
        { text: "hi", fault: { delayMs: 600_000 } },
        { text: "hi there", fault: { hangAfter: 40 } },
        { text: ["a", "b"], fault: { keepAlives: 2_000, chunkBytes: 14, dripMs: 10 } },
      ],
    });
    // Only one limit can be reached in each attempt, even on a busy machine.
    const patient = { headMs: 60_000, stallMs: 60_000, contentMs: 60_000 };
    const errors = [];
    for (const limit of [{ headMs: 150 }, { stallMs: 150 }, { contentMs: 300 }]) {
      const timeouts = { ...patient, ...limit };
      errors.push((await attempt(endpointOf(protocol, server.url, { timeouts }))).error);
    }
    assert.deepEqual(
      errors.map((error) => error?.kind),
      ["stalled", "stalled", "stalled"],
    );
    assert.match(errors[0]?.message ?? "", /did not respond within 150 ms/u);
    assert.match(errors[1]?.message ?? "", /sent nothing for 150 ms/u);
    assert.match(errors[2]?.message ?? "", /only keep-alives for 300 ms/u);
  });

  test(`${protocol}: a slow answer is not a stalled one`, async () => {
    await using server = await startModelServer({
      protocol,
      turns: [{ text: ["slow ", "and ", "steady"], fault: { chunkBytes: 40, dripMs: 20 } }],
    });
    const timeouts = { headMs: 2000, stallMs: 800, contentMs: 800 };
    assert.equal((await attempt(endpointOf(protocol, server.url, { timeouts }))).text, "slow and steady");
  });

  test(`${protocol}: an abort ends a request that hangs, wherever it is, and closes the connection`, async () => {
    for (const fault of [{ delayMs: 600_000 }, { hangAfter: 60 }, { chunkBytes: 1, dripMs: 5 }]) {
      await using server = await startModelServer({ protocol, turns: [{ text: "x".repeat(500), fault }] });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 100);
      const { error } = await attempt(endpointOf(protocol, server.url), {}, { signal: controller.signal });
      assert.equal(error?.kind, "aborted");
      await eventually(async () => (await server.openConnections()) === 0);
    }
  });

  test(`${protocol}: limits and refusals are distinguished, with the time to wait`, async () => {
    const refused = (status: number, message: string, type: string, headers = {}): ScriptedTurn => ({
      error: { status, message, type },
      headers,
    });
    await using server = await startModelServer({
      protocol,
      turns: [
        refused(429, "Rate limit reached", "rate_limit_error", { "retry-after": "7" }),
        refused(529, "Overloaded", "overloaded_error", { "retry-after": "2" }),
        refused(401, "Incorrect API key provided: sk-test-0123456789abcdef", "authentication_error"),
        refused(402, "Insufficient credits", "billing_error"),
        refused(404, "The model `x` does not exist", "not_found_error"),
        refused(400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
        refused(500, "Internal server error", "api_error"),
        { raw: { status: 502, body: "<html><head><title>502 Bad Gateway</title></head></html>" } },
        { raw: { status: 200, body: "<!DOCTYPE html><html><title>Sign in</title></html>" } },
        { text: "one", errorInStream: { message: "Overloaded", type: "overloaded_error", code: "overloaded" } },
      ],
    });
    const errors = [];
    for (let index = 0; index < 10; index++) errors.push((await attempt(endpointOf(protocol, server.url))).error);
    assert.deepEqual(
      errors.map((error) => error?.kind),
      [
        "rate_limited",
        "overloaded",
        "auth",
        "billing",
        "not_found",
        "context_overflow",
        "server",
        "server",
        "not_found",
        "overloaded",
      ],
    );
    assert.equal(errors[0]?.retryAfterMs, 7000);
    assert.equal(errors[1]?.retryAfterMs, 2000);
    assert.equal(errors[5]?.contextTokens, 200_000);
    assert.match(errors[8]?.message ?? "", /a web page: Sign in/u);
    assert.equal(errors.filter((error) => error?.message.includes(key)).length, 0);
  });

  test(`${protocol}: a redirect within the host is followed, to another host it is not`, async () => {
    await using elsewhere = await startModelServer({ protocol, turns: [{ text: "stolen" }], repeat: true });
    const moved = (status: number, to: string): ScriptedTurn => ({ fault: { redirect: { status, to } } });
    await using server = await startModelServer({
      protocol,
      turns: (request, number) => {
        if (request.path.startsWith("/moved")) return { text: "here" };
        if (number === 0) return moved(307, `http://localhost:${elsewhere.port}/v1/x`);
        if (number === 1) return moved(308, "/moved/here");
        return number === 3 ? moved(301, "/moved/here") : moved(307, "/loop");
      },
    });
    const endpoint = endpointOf(protocol, server.url);
    const away = await attempt(endpoint);
    assert.equal(away.error?.kind, "not_found");
    assert.match(away.error?.message ?? "", /another host/u);
    assert.deepEqual([...elsewhere.requests, ...elsewhere.otherRequests], []);
    assert.equal((await attempt(endpoint)).text, "here");
    assert.equal(server.requests.at(-1)?.key, key);
    assert.match((await attempt(endpoint)).error?.message ?? "", /use that as the base URL/u);
    assert.match((await attempt(endpoint)).error?.message ?? "", /in circles/u);
  });

  test(`${protocol}: malformed arguments are passed on unchanged, and sent back as an object`, async () => {
    if (protocol === "gemini") return;
    const calls = [{ id: "call_x", name: "read_file", args: '{"path": "unfinished' }];
    await using server = await startModelServer({ protocol, turns: [{ calls }, { text: "ok" }] });
    const endpoint = endpointOf(protocol, server.url);
    const { message } = await attempt(endpoint, { tools: [readTool] });
    assert.equal(message?.calls[0]?.args, '{"path": "unfinished');
    if (!message?.calls[0]) return;
    const result = { type: "text" as const, text: "not JSON" };
    const { id: callId, name } = message.calls[0];
    await attempt(endpoint, {
      tools: [readTool],
      messages: [...plainRequest.messages, message, { role: "tool", callId, name, failed: true, content: [result] }],
    });
    assert.ok(!JSON.stringify(server.requests[1]?.json).includes("unfinished"));
  });

  test(`${protocol}: a line of several megabytes is read completely, an endless line is refused`, async () => {
    await using server = await startModelServer({
      protocol,
      turns: [
        { text: "x".repeat(8 * 2 ** 20), fault: { chunkBytes: 4096 } },
        { raw: { body: `data: {"x":"${"y".repeat(17 * 2 ** 20)}` } },
      ],
    });
    assert.equal((await attempt(endpointOf(protocol, server.url))).text.length, 8 * 2 ** 20);
    assert.match((await attempt(endpointOf(protocol, server.url))).error?.message ?? "", /more than 16 MB/u);
  });
}

test("the address, the key and the body follow the quirks of the provider", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "ok" }], repeat: true });
  const base = `http://127.0.0.1:${server.port}`;
  const azure: Endpoint = {
    ...endpointOf("openai-chat", `${base}/`),
    headers: { "X-Title": "test", Accept: "text/event-stream" },
    quirks: {
      auth: "api-key",
      path: "/openai/deployments/{model}/chat/completions",
      query: { "api-version": "2026-01-01" },
      body: { model: null, safe: { on: true } },
    },
  };
  assert.equal((await attempt(azure, { model: "my model" })).text, "ok");
  const [first] = server.requests;
  assert.equal(first?.path, "/openai/deployments/my%20model/chat/completions?api-version=2026-01-01");
  assert.equal(first?.headers["api-key"], key);
  assert.equal(first?.headers.authorization, undefined);
  assert.equal(first?.headers["x-title"], "test");
  assert.match(first?.headers["user-agent"] ?? "", /^hermes-agent-ts\//u);
  assert.deepEqual([first?.json["model"], first?.json["safe"]], [undefined, { on: true }]);

  const query = endpointOf("openai-chat", `${base}/v1`, { quirks: { auth: "query" } });
  assert.equal((await attempt(query)).text, "ok");
  assert.equal(server.requests[1]?.path, `/v1/chat/completions?key=${key}`);
  const open = endpointOf("openai-chat", `${base}/v1`, { quirks: { auth: "none" } });
  assert.equal((await attempt(open)).text, "ok");
  assert.equal(server.requests[2]?.key, undefined);
});

test("names of tools and arguments that a provider refuses are changed, and restored in its calls", async () => {
  const odd = {
    name: "mcp.files/read it!",
    description: "Reads.",
    inputSchema: { type: "object", properties: { "the path": { type: "string" } }, required: ["the path"] },
  };
  for (const protocol of protocols) {
    await using server = await startModelServer({
      protocol,
      turns: ({ json }) => {
        const sent = JSON.stringify(json["tools"]);
        const name = /"name":"([^"]+)"/u.exec(sent)?.[1] ?? "";
        const path = /"required":\["([^"]+)"\]/u.exec(sent)?.[1] ?? "";
        assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u);
        assert.match(path, /^[A-Za-z0-9_.-]{1,64}$/u);
        return { calls: [{ name, args: { [path]: "x" } }] };
      },
    });
    const { message, error } = await attempt(endpointOf(protocol, server.url), { tools: [odd] });
    assert.equal(error, undefined);
    assert.deepEqual(
      message?.calls.map(({ name, args }) => [name, args]),
      [["mcp.files/read it!", { "the path": "x" }]],
    );
  }
});

function unsigned(attempted: Awaited<ReturnType<typeof attempt>>): unknown {
  const { message, usage, text, reasoning, error } = attempted;
  const { provider: _provider, ...rest } = message ?? {};
  return { rest, usage, text, reasoning, error };
}
