// covers: src/web/search
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { createWeb } from "../../src/safety/url.ts";
import { findSearxng } from "../../src/web/search/searxng.ts";
import { missingSearx, startSearx } from "../support/searx-server.ts";
import { webRig } from "../support/web-rig.ts";

const never = new AbortController().signal;

test("a real SearX server answers a search and is discovered on this machine", { skip: missingSearx() }, async (t) => {
  const engine = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const query = searchParams.get("q") ?? "";
    const hits = query.includes("nothing")
      ? []
      : [{ url: "https://example.org/ü", title: `Results for ${query}`, text: "Käuze & Eulen" }];
    response
      .writeHead(query.includes("broken") ? 500 : 200, { "content-type": "application/json" })
      .end(JSON.stringify({ hits }));
  });
  await new Promise<void>((listening) => engine.listen(0, "127.0.0.1", listening));
  t.after(() => engine.close());
  // A TCP server always has this kind of address.
  const { port } = engine.address() as AddressInfo;
  const searchUrl = `http://127.0.0.1:${port}/s?q={query}`;
  await using searx = await startSearx(searchUrl);
  await using rig = await webRig("{}\n", { SEARXNG_URL: `${searx.url}/` });
  const search = (query: string) => rig.pages.search({ query, limit: 5 }, never);
  const answered = await search("Eulen & Käuze");
  assert.ok(answered.ok, JSON.stringify(answered));
  const { backend, hits } = answered.value;
  assert.deepEqual(
    [backend, hits.length, hits[0]?.title, hits[0]?.description],
    ["searxng", 1, "Results for Eulen & Käuze", "Käuze & Eulen"],
  );
  const empty = await search("nothing");
  assert.deepEqual(empty.ok && empty.value.hits, []);
  const broken = await search("broken");
  assert.match(broken.ok ? broken.value.notes.join(" ") : broken.error.message, /did not answer: local/u);

  const http = createHttp({ clock: systemClock });
  const web = createWeb({ rules: async () => ({ allowPrivate: false }), http, clock: systemClock });
  assert.equal(await findSearxng(web, never, ["http://127.0.0.1:1", `http://127.0.0.1:${port}`, searx.url]), searx.url);
  assert.equal(await findSearxng(web, never, ["http://127.0.0.1:1", `http://127.0.0.1:${port}`]), undefined);
});

test("for a SearXNG server without JSON output, the error explains how to enable it", async (t) => {
  let [status, body] = [403, "<h1>Forbidden</h1>"];
  const server = createServer((_, response) => response.writeHead(status, { "content-type": "text/html" }).end(body));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  await using rig = await webRig("{}\n", { SEARXNG_URL: `http://127.0.0.1:${port}` });
  for ([status, body] of [
    [403, "<h1>Forbidden</h1>"],
    [200, "<h1>Results</h1>"],
  ] as const) {
    const refused = await rig.pages.search({ query: "x", limit: 5 }, never);
    assert.match(refused.ok ? "" : refused.error.message, /JSON format.*settings\.yml/u);
  }
});
