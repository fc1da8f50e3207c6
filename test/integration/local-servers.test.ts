// covers: src/providers, src/runtime
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { findLocalServers, describeServer } from "../../src/runtime/models/local-servers.ts";
import { fakeClock } from "../support/fake-clock.ts";

const never = new AbortController().signal;

test("a local server with a model list is offered, with embedding models last", async () => {
  await using server = await serve((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data: [{ id: "nomic-embed-text" }, { id: "llama3:8b" }] }));
  });
  const [match] = await findLocalServers({ clock: fakeClock(), addresses: { ollama: server.url } }, never);
  assert.deepEqual(match, { provider: "ollama", title: "Ollama", models: ["llama3:8b", "nomic-embed-text"] });
  assert.equal(
    match && describeServer(match),
    "Ollama with llama3:8b and 1 more runs here: /model ollama/llama3:8b uses it",
  );
});

test("a local server that is not a model server is not offered", async () => {
  const answers: readonly RequestListener[] = [
    (_, response) => response.writeHead(404).end("not found"),
    (_, response) => response.end("<html>hello</html>"),
    (_, response) => response.end(JSON.stringify({ data: "no list" })),
    (_, response) => response.end(JSON.stringify([1, 2, 3])),
    (_, response) => void response.destroy(),
    (_, response) => response.end("x".repeat(2_000_000)),
    (_, response) => response.writeHead(302, { location: "http://192.0.2.1/models" }).end(),
  ];
  for (const answer of answers) {
    await using server = await serve(answer);
    assert.deepEqual(await findLocalServers({ clock: fakeClock(), addresses: { vllm: server.url } }, never), []);
  }
});

test("a model name that could trick a terminal is not offered", async () => {
  await using server = await serve((_, response) =>
    response.end(JSON.stringify({ data: [{ id: "a\u001b[31m; rm" }] })),
  );
  const [match] = await findLocalServers({ clock: fakeClock(), addresses: { lmstudio: server.url } }, never);
  assert.deepEqual(match?.models, []);
  assert.equal(match && describeServer(match), undefined);
});

test("a local server that does not answer is skipped and does not delay the others", async () => {
  await using silent = await serve(() => {});
  await using server = await serve((_, response) => response.end(JSON.stringify({ data: [{ id: "m" }] })));
  const addresses = { ollama: silent.url, vllm: server.url, llamacpp: "http://127.0.0.1:9" };
  const match = await findLocalServers({ clock: systemClock, addresses }, never);
  assert.deepEqual(
    match.map(({ provider }) => provider),
    ["vllm"],
  );
});

test("the caller can abort the search for local servers", async () => {
  await using silent = await serve(() => {});
  const stopping = new AbortController();
  const finding = findLocalServers({ clock: systemClock, addresses: { ollama: silent.url } }, stopping.signal);
  stopping.abort();
  assert.deepEqual(await finding, []);
});

async function serve(answer: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
