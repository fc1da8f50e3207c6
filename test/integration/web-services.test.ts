// covers: src/web/search, src/web/extract, src/web/services, src/runtime/web
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { asId, type TurnId } from "../../src/base/ids.ts";
import type { Backend } from "../../src/contracts/plugin/backend.ts";
import { npmPrograms } from "../support/npm-programs.ts";
import { startSearchServices } from "../support/search-services.ts";
import { webRig } from "../support/web-rig.ts";

const never = new AbortController().signal;
const clients = await npmPrograms("web");

/** Keys and addresses of each service at the scripted server. */
const variables = (url: string, key = "good-key"): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  firecrawl: { FIRECRAWL_API_KEY: key, FIRECRAWL_API_URL: url },
  parallel: { PARALLEL_API_KEY: key, PARALLEL_BASE_URL: url, PARALLEL_SEARCH_MODE: "agentic" },
  tavily: { TAVILY_API_KEY: key, TAVILY_BASE_URL: url },
  exa: { EXA_API_KEY: key, EXA_BASE_URL: url },
  brave: { BRAVE_SEARCH_API_KEY: key, BRAVE_BASE_URL: url },
  xai: { XAI_API_KEY: key, XAI_BASE_URL: url },
});

test("each service with a key can search; the first in order is chosen automatically, but never xAI", async () => {
  await using services = await startSearchServices();
  for (const [name, env] of Object.entries(variables(services.url))) {
    await using rig = await webRig(name === "xai" ? "web: {search_backend: xai}\n" : "{}\n", env);
    const answered = await rig.pages.search({ query: "owls", limit: 3 }, never);
    assert.ok(answered.ok, `${name}: ${JSON.stringify(answered)}`);
    const { backend, hits } = answered.value;
    assert.equal(backend, name);
    assert.equal(hits.length, name === "xai" ? 1 : 3, name);
    assert.match(hits[0]?.url ?? "", /^https:\/\/example\.org\/owls/u);
    assert.match(hits[0]?.description ?? "", /^Owls hunt \*\*at night\*\*\./u, name);
  }
  await using onlyXai = await webRig("web: {find_searxng: false}\n", variables(services.url)["xai"]);
  const state = await onlyXai.opened.searchState(never);
  assert.equal("backend" in state && state.backend, "ddgs");
  const all = Object.assign({}, ...Object.values(variables(services.url))) as Record<string, string>;
  await using first = await webRig("{}\n", all);
  const chosen = await first.opened.searchState(never);
  assert.equal("backend" in chosen && chosen.backend, "firecrawl");
});

test("a wrong key, missing credit, a limit and a failure are reported with the service's message and advice", async () => {
  await using services = await startSearchServices();
  for (const [name, env] of Object.entries(variables(services.url, "bad-key"))) {
    await using rig = await webRig(`web: {search_backend: ${name}}\n`, env);
    const refused = await rig.pages.search({ query: "owls", limit: 3 }, never);
    assert.match(refused.ok ? "" : refused.error.message, /invalid|Incorrect/iu, name);
  }
  await using rig = await webRig("{}\n", variables(services.url)["tavily"]);
  const fails = async (status: number, body: unknown, headers = {}) => {
    services.failNext(status, body, headers);
    const answered = await rig.pages.search({ query: "owls", limit: 3 }, never);
    return answered.ok ? "" : answered.error.message;
  };
  assert.match(
    await fails(401, { detail: { error: "No key." } }),
    /Tavily answered 401: No key\..*hermes config set TAVILY_API_KEY/u,
  );
  assert.match(await fails(402, { error: "Plan used up" }), /Plan used up.*credit/u);
  assert.match(await fails(429, { error: "Slow down" }, { "retry-after": "7" }), /Slow down.*7 s/u);
  assert.match(await fails(500, { error: "Oops" }), /Oops.*later/u);
  assert.match(await fails(200, "not an object"), /cannot be read/u);
});

test("a missing key, an unknown engine and SearXNG without an address are reported with advice", async () => {
  for (const [name, words] of [
    ["brave", /hermes config set BRAVE_SEARCH_API_KEY/u],
    ["xai", /hermes auth add xai-oauth --oauth.*XAI_API_KEY/u],
    ["searxng", /hermes config set SEARXNG_URL/u],
    ["tavly", /Did you mean tavily\?/u],
  ] as const) {
    await using rig = await webRig(`web: {backend: ${name}}\n`);
    const answered = await rig.pages.search({ query: "owls", limit: 3 }, never);
    assert.match(answered.ok ? "" : answered.error.message, words);
  }
});

test("blocked sites are left out, and a turn can make at most 50 searches", async () => {
  await using services = await startSearchServices();
  const blocked = "security: {website_blocklist: {enabled: true, domains: [example.org]}}\n";
  await using rig = await webRig(blocked, variables(services.url)["tavily"]);
  const turnId = asId<TurnId>("turn_1");
  const search = () => rig.pages.search({ query: "owls", limit: 3, turnId }, never);
  const first = await search();
  assert.deepEqual(first.ok && [first.value.hits, first.value.notes], [[], ["3 results of blocked sites left out."]]);
  for (let count = 2; count <= 50; count++) assert.ok((await search()).ok);
  const last = await search();
  assert.match(last.ok ? "" : last.error.message, /50 searches/u);
  assert.ok((await rig.pages.search({ query: "owls", limit: 1, turnId: asId<TurnId>("turn_2") }, never)).ok);
});

test("services read pages, and a page that no longer exists has its own error", async () => {
  await using services = await startSearchServices();
  const urls = ["https://example.org/owls", "https://example.org/gone"];
  for (const name of ["firecrawl", "parallel", "tavily", "exa"]) {
    await using rig = await webRig(`web: {extract_backend: ${name}}\n`, variables(services.url)[name]);
    const [page, missing] = await rig.pages.extract({ urls }, never);
    assert.deepEqual(
      [page?.title, page?.content, page?.error],
      ["Owls at night", "Owls hunt **at night**.", undefined],
      name,
    );
    assert.match(missing?.error ?? "", /gone|CRAWL_NOT_FOUND/u, name);
    await using wrong = await webRig(`web: {extract_backend: ${name}}\n`, variables(services.url, "bad-key")[name]);
    const [refused] = await wrong.pages.extract({ urls }, never);
    assert.match(refused?.error ?? "", /invalid|unauthorized/iu, name);
  }
});

test("no service can redirect a search or a page to another private server", async () => {
  const reached: (string | undefined)[] = [];
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener);
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    // A TCP server always has this kind of address.
    const { port } = server.address() as AddressInfo;
    return { server, url: `http://127.0.0.1:${port}` };
  };
  const secret = await serve((request, response) => response.end(String(reached.push(request.url))));
  let status = 302;
  const turned = await serve((_, response) => response.writeHead(status, { location: `${secret.url}/secret` }).end());
  await using _servers = new AsyncDisposableStack();
  for (const { server } of [secret, turned]) _servers.use(server);
  for (status of [302, 307])
    for (const [name, env] of Object.entries({ ...variables(turned.url), searxng: { SEARXNG_URL: turned.url } })) {
      await using rig = await webRig(`web: {search_backend: ${name}, extract_backend: ${name}}\n`, env);
      const searched = await rig.pages.search({ query: "owls", limit: 3 }, never);
      assert.match(searched.ok ? "" : searched.error.message, /loopback|redirects the posted data/u, name);
      if (!["firecrawl", "parallel", "tavily", "exa"].includes(name)) continue;
      const [page] = await rig.pages.extract({ urls: ["https://example.org/owls"] }, never);
      assert.match(page?.error ?? "", /loopback|redirects the posted data/u, name);
    }
  assert.deepEqual(reached, []);
});

test("the gateway is used instead of a Firecrawl key", async () => {
  await using services = await startSearchServices();
  const env = { FIRECRAWL_GATEWAY_URL: services.url, TOOL_GATEWAY_USER_TOKEN: "good-key" };
  await using quiet = await webRig("{}\n", env);
  assert.ok((await quiet.pages.search({ query: "owls", limit: 1 }, never)).ok);
  await using forced = await webRig("web: {use_gateway: true}\n", {
    ...env,
    FIRECRAWL_API_KEY: "bad-key",
    TAVILY_API_KEY: "x",
  });
  assert.ok((await forced.pages.search({ query: "owls", limit: 1 }, never)).ok);
  assert.deepEqual(new Set(services.calls.map(({ path }) => path)), new Set(["/v2/search"]));
  await using missing = await webRig("web: {use_gateway: true}\n");
  const refused = await missing.pages.search({ query: "owls", limit: 1 }, never);
  assert.match(refused.ok ? "" : refused.error.message, /hermes auth add nous --oauth/u);
});

test("a plugin provides a search engine: by name, or automatically if no other engine has a key", async () => {
  const backend: Backend = {
    name: "search:owlish",
    kind: "search",
    id: "owlish",
    title: "Owlish",
    isAvailable: async () => true,
    run: async ({ query }) => ({
      ok: true,
      value: { results: [{ url: "https://owl.example/", title: JSON.stringify(query), description: "d" }] },
    }),
  };
  for (const settings of ["web: {search_backend: owlish}\n", "{}\n"]) {
    await using rig = await webRig(settings, {}, { backends: [backend] });
    const answered = await rig.pages.search({ query: "owls", limit: 1 }, never);
    assert.deepEqual(answered.ok && [answered.value.backend, answered.value.hits[0]?.title], ["owlish", '"owls"']);
  }
});

test("x_search checks dates and handles, retries, and reports when no post was cited", async () => {
  await using services = await startSearchServices();
  await using rig = await webRig("{}\n", variables(services.url)["xai"]);
  const search = (more: object) => rig.pages.searchPosts({ query: "owls", ...more }, never);
  const message = async (more: object) => {
    const answered = await search(more);
    return answered.ok ? "" : answered.error.message;
  };
  assert.match(await message({ fromDate: "2026-02-30" }), /not a date/u);
  assert.match(await message({ fromDate: "2026-02-02", toDate: "2026-02-01" }), /after to_date/u);
  assert.match(await message({ fromDate: "2999-01-01" }), /future/u);
  assert.match(await message({ allowedHandles: ["a"], excludedHandles: ["b"] }), /exclude each other/u);
  assert.equal(services.calls.length, 0);
  services.failNext(503, { error: "busy" }, {});
  const answered = await search({ allowedHandles: ["@owl"], fromDate: "2026-01-01" });
  assert.ok(answered.ok, JSON.stringify(answered));
  const { citations, inlineCitations, credentialSource, degradedReason, model } = answered.value;
  assert.deepEqual([citations, inlineCitations.length, credentialSource], [["https://x.com/a/status/1"], 1, "xai"]);
  assert.deepEqual([degradedReason, model, services.calls.length], [undefined, "grok-4.20-reasoning", 2]);
  assert.deepEqual(services.calls[1]?.body["tools"], [
    { type: "x_search", allowed_x_handles: ["owl"], from_date: "2026-01-01" },
  ]);
  const lonely = await search({ allowedHandles: ["nobody"] });
  assert.match((lonely.ok && lonely.value.degradedReason) || "", /no post was cited/u);
  services.failNext(400, { error: "bad model" });
  assert.match(await message({}), /bad model/u);
});

test("the vendors' own clients accept our scripted servers", { skip: clients.skip }, async () => {
  await using services = await startSearchServices();
  const { url: baseUrl } = services;
  const require = createRequire(join(clients.folder, "x.cjs"));
  const load = (name: string) => require(name);
  const firecrawl = new (load("@mendable/firecrawl-js").default)({ apiKey: "good-key", apiUrl: baseUrl });
  assert.equal((await firecrawl.search("owls", { limit: 2 })).web.length, 2);
  assert.match((await firecrawl.scrape("https://example.org/owls", { formats: ["markdown"] })).markdown, /Owls hunt/u);
  const tavily = load("@tavily/core").tavily({ apiKey: "good-key", apiBaseURL: baseUrl });
  assert.equal((await tavily.search("owls", { maxResults: 2 })).results.length, 2);
  const read = await tavily.extract(["https://example.org/owls", "https://example.org/gone"], {});
  assert.deepEqual([read.results.length, read.failedResults[0].error], [1, "The page is gone."]);
  const exa = new (load("exa-js").default)("good-key", baseUrl);
  assert.equal((await exa.search("owls", { numResults: 2, contents: { highlights: true } })).results.length, 2);
  assert.match((await exa.getContents(["https://example.org/owls"], { text: true })).results[0].text, /Owls hunt/u);
  const parallel = new (load("parallel-web").default)({ apiKey: "good-key", baseURL: baseUrl, maxRetries: 0 });
  const results = await parallel.search({
    objective: "owls",
    search_queries: ["owls"],
    advanced_settings: { max_results: 2 },
  });
  assert.equal(results.results.length, 2);
  const extracted = await parallel.extract({
    urls: ["https://example.org/owls"],
    advanced_settings: { full_content: true },
  });
  assert.match(extracted.results[0].full_content, /Owls hunt/u);
  const wrong = new (load("parallel-web").default)({ apiKey: "bad-key", baseURL: baseUrl, maxRetries: 0 });
  await assert.rejects(wrong.search({ search_queries: ["owls"] }), /Invalid API key/u);
});
