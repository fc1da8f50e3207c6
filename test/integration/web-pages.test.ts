// covers: src/web/fetch, src/web/extract, src/web/search, src/runtime/web, src/tools/web
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";

import { webRig } from "../support/web-rig.ts";

const never = new AbortController().signal;
const local = "security: {allow_private_urls: true}\n";

async function serve(t: TestContext, listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => {});
    requests.push(request);
    if (request.url === "/robots.txt" && !request.headers["x-own"]) {
      const robots = "User-agent: *\nDisallow: /private/\n";
      response.writeHead(200, { "content-type": "text/plain" }).end(robots);
    } else listener(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}`, pages: () => requests.filter(({ url }) => url !== "/robots.txt") };
}

const html = (body: string) =>
  `<!doctype html><html><head><title>A page</title></head><body><main>${body}</main></body></html>`;
const article = html(
  `<h1>Owls</h1>${"<p>Owls hunt at night and sleep by day, in old trees of the forest.</p>".repeat(8)}`,
);

test("hostile and broken servers give an error for their page in time, and the other pages are read", async (t) => {
  const bomb40Mb = gzipSync(Buffer.alloc(40 << 20, 0x20));
  const { base } = await serve(t, ({ url = "" }, response) => {
    if (url === "/good") return void response.writeHead(200, { "content-type": "text/html" }).end(article);
    if (url === "/slow") return void response.writeHead(200, { "content-type": "text/html" }).write("<p>begin");
    if (url === "/endless") {
      response.writeHead(200, { "content-type": "text/html" });
      const chunk = "x".repeat(65_536);
      const more = (): void => void (response.destroyed || response.write(chunk, () => setImmediate(more)));
      return more();
    }
    if (url === "/bomb") {
      return void response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end(bomb40Mb);
    }
    if (url === "/metadata") return void response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end();
    if (url.startsWith("/loop")) return void response.writeHead(302, { location: `${url}x` }).end();
    if (url === "/picture")
      return void response
        .writeHead(200, { "content-type": "image/png" })
        .end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]));
    if (url === "/cut") {
      response.writeHead(200, { "content-type": "text/html", "content-length": "5000" });
      return void response.write("<p>cut", () => response.destroy());
    }
    response.writeHead(410).end();
  });
  await using hurried = await webRig(`${local}web: {timeout: 2}\n`);
  const [slow] = await hurried.pages.extract({ urls: [`${base}/slow`] }, never);
  assert.match(slow?.error ?? "", /no complete answer in 2 s.*slow/u);
  await using rig = await webRig(`${local}web: {timeout: 120, max_page_mb: 5}\n`);
  const errors = async (...paths: string[]) =>
    (await rig.pages.extract({ urls: paths.map((path) => `${base}${path}`) }, never)).map(({ error = "" }) => error);
  const [endless, bomb, good, metadata] = await errors("/endless", "/bomb", "/good", "/metadata");
  assert.equal(good, "");
  assert.match(endless ?? "", /max_page_mb/u);
  assert.match(bomb ?? "", /max_page_mb/u);
  assert.match(metadata ?? "", /169\.254\.169\.254|metadata/u);
  const [loop, picture, cut, removed] = await errors("/loop", "/picture", "/cut", "/gone");
  assert.match(loop ?? "", /redirects/u);
  assert.match(picture ?? "", /binary file \(image\/png\)/u);
  assert.notEqual(cut, "");
  assert.match(removed ?? "", /410 Gone.*search/u);
  const refused = await rig.pages.extract(
    { urls: ["http://127.0.0.1:1/", "ftp://x.example/", "http://no-such-host.invalid/"] },
    never,
  );
  assert.match(refused[0]?.error ?? "", /nothing listens/u);
  assert.match(refused[1]?.error ?? "", /http or https/u);
  assert.match(refused[2]?.error ?? "", /cannot be resolved|no address|invalid/u);
});

test("without the setting, private addresses are refused", async (t) => {
  const { base, pages } = await serve(t, (_, response) => response.end(article));
  await using rig = await webRig("{}\n");
  const [page] = await rig.pages.extract({ urls: [`${base}/x`], isByPerson: true }, never);
  assert.match(page?.error ?? "", /loopback/u);
  assert.equal(pages().length, 0);
});

test("robots.txt applies to pages that the agent chose, not to those that the user named", async (t) => {
  const { base } = await serve(t, (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(article),
  );
  const url = `${base}/private/owls`;
  await using rig = await webRig(local);
  const read = async (personText?: string) => {
    const [page] = await rig.pages.extract({ urls: [url], ...(personText !== undefined && { personText }) }, never);
    return page?.error ?? "read";
  };
  assert.match(await read(), /robots\.txt/u);
  assert.match(await read("look for owls"), /robots\.txt/u);
  assert.match(await read(`read ${url}-2`), /robots\.txt/u);
  assert.equal(await read(`please read ${url}, and tell me`), "read");
  assert.equal(await read(`${url.replace("http://", "")}/`), "read");
  await using free = await webRig(`${local}web: {robots: false}\n`);
  const [page] = await free.pages.extract({ urls: [url] }, never);
  assert.equal(page?.error, undefined);
});

test("a robots.txt with a server error forbids the site for a while, except for pages that the user named", async (t) => {
  let status = 503;
  const paths: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    paths.push(url);
    if (url === "/robots.txt") return void response.writeHead(status).end("User-agent: *\nDisallow: /private/\n");
    response.writeHead(200, { "content-type": "text/html" }).end(article);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  await using rig = await webRig(local);
  const read = async (path: string, personText?: string) => {
    const wish = { urls: [`${base}${path}`], ...(personText !== undefined && { personText }) };
    return (await rig.pages.extract(wish, never))[0]?.error ?? "read";
  };
  const refused = `The robots.txt of 127.0.0.1:${port} cannot be read now (503 Service Unavailable)`;
  assert.ok((await read("/owls")).startsWith(refused));
  assert.ok((await read("/cats")).includes("web.robots: false"));
  assert.equal(await read("/owls", `read ${base}/owls`), "read");
  // The host is not asked again before the time is over.
  assert.deepEqual(paths, ["/robots.txt", "/owls"]);
  for (const other of [404, 403, 200]) {
    status = other;
    await using fresh = await webRig(local);
    assert.equal((await fresh.pages.extract({ urls: [`${base}/owls`] }, never))[0]?.error, undefined, String(other));
  }
  await using free = await webRig(`${local}web: {robots: false}\n`);
  status = 500;
  assert.equal((await free.pages.extract({ urls: [`${base}/private/x`] }, never))[0]?.error, undefined);
});

test("robots.txt of another host applies to a redirect there, before anything is read", async (t) => {
  const other = await serve(t, (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(article));
  const { base } = await serve(t, ({ url = "" }, response) =>
    response.writeHead(302, { location: `${other.base}${url.replace("/to", "")}` }).end(),
  );
  await using rig = await webRig(local);
  const [refused, open] = await rig.pages.extract({ urls: [`${base}/to/private/owls`, `${base}/to/owls`] }, never);
  assert.match(refused?.error ?? "", /^The robots\.txt of 127\.0\.0\.1:\d+ asks programs not to read/u);
  assert.equal(open?.error, undefined);
  const paths = other.pages().map(({ url }) => url);
  assert.deepEqual(paths, ["/owls"]);
  const [named] = await rig.pages.extract({ urls: [`${base}/to/private/owls`], isByPerson: true }, never);
  assert.equal(named?.error, undefined);
});

test("a host that requests a short delay is asked again after it; one that requests a long delay is left alone", async (t) => {
  let count = 0;
  const { base, pages } = await serve(t, ({ url }, response) => {
    count++;
    if (url === "/short" && count === 1) return void response.writeHead(429, { "retry-after": "1" }).end();
    if (url === "/long") return void response.writeHead(503, { "retry-after": "3600" }).end();
    response.writeHead(200, { "content-type": "text/html" }).end(article);
  });
  await using rig = await webRig(local);
  const read = async (path: string) => (await rig.pages.extract({ urls: [`${base}${path}`] }, never))[0]?.error;
  assert.equal(await read("/short"), undefined);
  assert.match((await read("/long")) ?? "", /503.*3600 s/u);
  const before = pages().length;
  assert.match((await read("/other")) ?? "", /wants no requests for/u);
  assert.equal(pages().length, before);
});

test("the cache revalidates pages, uses fresh pages without a request, and survives damage", async (t) => {
  const { base, pages } = await serve(t, ({ url, headers }, response) => {
    const cached = { "content-type": "text/html", etag: '"v1"' };
    if (url === "/fresh")
      return void response.writeHead(200, { ...cached, "cache-control": "max-age=600" }).end(article);
    if (url === "/secret") return void response.writeHead(200, { ...cached, "cache-control": "no-store" }).end(article);
    if (headers["if-none-match"] === '"v1"') return void response.writeHead(304, { etag: '"v1"' }).end();
    response.writeHead(200, cached).end(article);
  });
  await using rig = await webRig(local);
  const read = async (path: string) => (await rig.pages.extract({ urls: [`${base}${path}`] }, never))[0]?.content ?? "";
  const requestsTo = (path: string) => pages().filter(({ url }) => url === path);
  for (const path of ["/fresh", "/fresh", "/tagged", "/tagged", "/secret", "/secret"])
    assert.match(await read(path), /Owls hunt/u);
  assert.equal(requestsTo("/fresh").length, 1);
  assert.deepEqual(
    requestsTo("/tagged").map(({ headers }) => headers["if-none-match"]),
    [undefined, '"v1"'],
  );
  assert.deepEqual(
    requestsTo("/secret").map(({ headers }) => headers["if-none-match"]),
    [undefined, undefined],
  );
  const folder = join(rig.home, "cache", "web", "pages");
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "damaged\n\u0000");
  assert.match(await read("/tagged"), /Owls hunt/u);
  assert.equal(requestsTo("/tagged")[2]?.headers["if-none-match"], undefined);
});

test("a long page is cut to its head and tail, with the full text in a file; a question returns its passages", async (t) => {
  const sections = Array.from(
    { length: 400 },
    (_, index) => `<h2>Part ${index}</h2><p>Text of part ${index} about the weather.</p>`,
  );
  sections[200] = "<h2>Owls</h2><p>The great grey owl weighs <a href='/facts'>1,300 grams</a>.</p>";
  const { base } = await serve(t, (_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(html(sections.join(""))),
  );
  await using rig = await webRig(local);
  const url = `${base}/long`;
  const [page] = await rig.pages.extract({ urls: [url], charLimit: 2_000 }, never);
  const { content = "" } = page ?? {};
  assert.match(content, /Part 0\b/u);
  assert.match(content, /part 399 about/u);
  assert.doesNotMatch(content, /great grey owl/u);
  const [, file = ""] = /is in (\S+): read it in pages with read_file/u.exec(content) ?? [];
  assert.match(readFileSync(file, "utf8"), /great grey owl[\s\S]*\/facts/u);
  const [answer] = await rig.pages.extract({ urls: [url], question: "How much does the great grey owl weigh?" }, never);
  assert.match(answer?.content ?? "", /1,300 grams/u);
  assert.ok((answer?.content.length ?? 0) < 3_000, String(answer?.content.length));
  const questions: string[] = [];
  const complete = async (task: string, prompt: string) => {
    questions.push(task, prompt);
    return { ok: true, value: "1,300 grams" } as const;
  };
  await using withModel = await webRig(local, {}, { auxiliary: { complete } });
  const [written] = await withModel.pages.extract({ urls: [url], question: "How heavy?" }, never);
  assert.match(written?.content ?? "", /^1,300 grams\n\n\[A model wrote this answer/u);
  assert.equal(questions[0], "web_extract");
  assert.match(questions[1] ?? "", /How heavy\?[\s\S]*great grey owl/u);
});

test("a page that needs scripts is opened in the browser, or the result reports it", async (t) => {
  const empty =
    '<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script><noscript>You need to enable JavaScript to run this app.</noscript></body></html>';
  const { base } = await serve(t, (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(empty));
  await using rig = await webRig(local);
  const [page] = await rig.pages.extract({ urls: [`${base}/app`] }, never);
  assert.match(`${page?.content}${page?.error}`, /needs? JavaScript/u);
  const renderPage = async (url: string) => ({ ok: true, value: { url, html: article } }) as const;
  await using withBrowser = await webRig(local, {}, { renderPage });
  const [rendered] = await withBrowser.pages.extract({ urls: [`${base}/app`] }, never);
  assert.match(rendered?.content ?? "", /Owls hunt at night/u);
});

test("without a key DuckDuckGo is used, and a refusal gives advice", async (t) => {
  const results =
    '<div class="result"><a class="result__a" href="https://example.org/owls">Owls</a><a class="result__snippet">At night</a></div>';
  const { base } = await serve(t, ({ url = "" }, response) => {
    const isRefused = url.includes("refused");
    response
      .writeHead(isRefused ? 202 : 200, { "content-type": "text/html" })
      .end(isRefused ? "<p>Are you a person?</p>" : results);
  });
  await using rig = await webRig("web: {find_searxng: false}\n", { DDGS_URL: `${base}/html/` });
  const answered = await rig.pages.search({ query: "owls", limit: 5 }, never);
  assert.ok(answered.ok, JSON.stringify(answered));
  assert.equal(answered.value.hits[0]?.url, "https://example.org/owls");
  assert.match(answered.value.notes.join(" "), /best effort/u);
  const refused = await rig.pages.search({ query: "refused", limit: 5 }, never);
  assert.match(refused.ok ? "" : refused.error.message, /refuses automated searches.*SEARXNG_URL/u);
});
