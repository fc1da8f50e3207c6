// covers: src/browser/cloud, src/browser/cdp
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, rename } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { ownerName } from "../../src/base/process/process-owner.ts";
import { ok } from "../../src/base/result.ts";
import { connectCdp } from "../../src/browser/cdp/connection.ts";
import { openSocketWire } from "../../src/browser/cdp/socket-wire.ts";
import { type CloudBrowsers, createCloudBrowsers } from "../../src/browser/cloud/cloud-browsers.ts";
import type { Backend } from "../../src/contracts/plugin/backend.ts";
import { createGuardedFetch } from "../../src/safety/url/guarded-fetch.ts";
import { cloudKey, type CloudServer, startCloudServer, startDebuggedBrowser } from "../support/cloud-browser-server.ts";
import { eventually } from "../support/eventually.ts";
import { npmPrograms } from "../support/npm-programs.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });
const { signal } = new AbortController();
const noBrowser = { port: 1, path: "/" };

/** Private addresses stay closed: only a server that the settings name may be on this machine. */
const web = createGuardedFetch({
  rules: async () => ({ allowPrivate: false }),
  resolve: async () => ["127.0.0.1"],
  http: createHttp({ clock: systemClock }),
  clock: systemClock,
});

const variables = (
  server: CloudServer,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  BROWSERBASE_API_KEY: cloudKey,
  BROWSERBASE_PROJECT_ID: "project-1",
  BROWSERBASE_BASE_URL: server.url,
  BROWSER_USE_API_KEY: cloudKey,
  BROWSER_USE_BASE_URL: `${server.url}/api/v3`,
  FIRECRAWL_API_KEY: cloudKey,
  FIRECRAWL_API_URL: server.url,
  ...more,
});

function browsers(
  env: Readonly<Record<string, string>>,
  folder: string,
  backends: readonly Backend[] = [],
): CloudBrowsers {
  return createCloudBrowsers({ web, variable: (name) => env[name], folder, backends });
}

/** Asks the browser for the title of the tab: a script of ours would end with the empty page that the tab begins with. */
async function assertTitle(cdpUrl: string, page: string, title: string): Promise<void> {
  const wire = await openSocketWire(cdpUrl, signal);
  assert.ok(wire.ok, JSON.stringify(wire));
  using connection = connectCdp(wire.value, { clock: systemClock });
  const tab = await connection.send<{ targetId: string }>("Target.createTarget", { url: page });
  await eventually(async () => {
    const { targetInfo } = await connection.send<{ targetInfo: { title: string } }>("Target.getTargetInfo", tab);
    return targetInfo.title === title;
  }, `the tab has the title ${title}`);
}

describe("cloud browsers", { concurrency: false }, () => {
  test("each cloud service opens a browser that answers over CDP, and closes it once", { skip }, async () => {
    await using browser = await startDebuggedBrowser();
    await using server = await startCloudServer(browser);
    await using home = await tempHome();
    const cloud = browsers(variables(server), home.path);
    for (const id of ["browserbase", "browser_use", "firecrawl"]) {
      const opened = await cloud.open(id, signal);
      assert.ok(opened.ok, JSON.stringify(opened));
      await assertTitle(opened.value.cdpUrl, `data:text/html,<title>Page of ${id}</title>`, `Page of ${id}`);
      assert.equal((await readdir(home.path)).length, 1, "a note for the case of a crash");
      assert.equal(server.open.size, 1);
      for (let time = 0; time < 2; time++) assert.ok((await opened.value.close(signal)).ok);
      assert.deepEqual([server.open.size, await readdir(home.path)], [0, []]);
    }
    assert.match(server.requests[0] ?? "", /"keepAlive":true,"proxies":true/u);
    assert.equal(server.requests.filter((request) => /RELEASE|"stop"|^DELETE/u.test(request)).length, 3);
  });

  test("the next start closes a cloud browser that a killed process left open, but not one of a live process", async () => {
    await using server = await startCloudServer(noBrowser);
    await using home = await tempHome();
    for (let count = 0; count < 2; count++)
      assert.ok((await browsers(variables(server), home.path).open("firecrawl", signal)).ok);
    const [mine = ""] = (await readdir(home.path)).toSorted();
    const dead = String(spawnSync("true").pid);
    await rename(join(home.path, mine), join(home.path, mine.replace(/^\d+/u, dead)));
    assert.ok(mine.startsWith(ownerName()));
    assert.equal((await browsers(variables(server), home.path).open("browser_use", signal)).ok, true);
    assert.deepEqual([...server.open].toSorted(), ["session-2", "session-3"]);
    assert.equal((await readdir(home.path)).length, 2);
  });

  test("features that the cloud account lacks are not requested; other refusals quote the service's message", async () => {
    await using server = await startCloudServer(noBrowser);
    await using home = await tempHome();
    const cloud = browsers(variables(server), home.path);
    server.fail(402, { message: "Proxies need a paid plan" });
    const opened = await cloud.open("browserbase", signal);
    assert.deepEqual(opened.ok && opened.value.leftOut, ["proxies"]);
    assert.doesNotMatch(server.requests.at(-1) ?? "", /proxies/u);

    for (const [status, body, kind, words] of [
      [401, { error: "Unauthorized" }, "key", /Unauthorized.*hermes config set FIRECRAWL_API_KEY/u],
      [402, { error: "Insufficient credits" }, "credit", /Insufficient credits/u],
      [429, { error: "Too many sessions" }, "limit", /Too many sessions.*Wait 7 s/u],
      [503, { error: "no capacity" }, "unavailable", /no capacity.*later/u],
      [200, { success: false, error: "ttl is too short" }, "refused", /ttl is too short/u],
      [200, { success: true }, "unavailable", /did not say where/u],
    ] as const) {
      server.fail(status, body, { "retry-after": "7" });
      const refused = await cloud.open("firecrawl", signal);
      assert.ok(!refused.ok);
      assert.equal(refused.error.kind, kind);
      assert.match(refused.error.message, words);
    }
    const unknown = await cloud.open("nimbus", signal);
    assert.match(unknown.ok ? "" : unknown.error.message, /no browser backend nimbus/u);
  });

  test("without keys no cloud request is sent, and a service cannot point at this machine or an unencrypted socket", async () => {
    await using server = await startCloudServer(noBrowser);
    await using home = await tempHome();
    const none = browsers({ BROWSERBASE_API_KEY: cloudKey }, home.path);
    assert.equal(none.available(), undefined);
    const unset = await none.open("browserbase", signal);
    assert.match(unset.ok ? "" : unset.error.message, /needs BROWSERBASE_PROJECT_ID: hermes config set/u);
    assert.equal(browsers({ FIRECRAWL_API_KEY: "k" }, home.path).available()?.id, "firecrawl");
    assert.deepEqual(server.requests, []);

    const answers = [
      { id: "a", connectUrl: "ws://127.0.0.1:9222/x" },
      { id: "a", connectUrl: "file:///etc/passwd" },
    ];
    for (const answer of answers) {
      const scripted = createCloudBrowsers({
        web: {
          fetch: async ({ url }) => ok({ url, status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) }),
        },
        variable: (name) => ({ BROWSERBASE_API_KEY: "k", BROWSERBASE_PROJECT_ID: "p" })[name],
        folder: home.path,
        backends: [],
      });
      const opened = await scripted.open("browserbase", signal);
      assert.match(opened.ok ? "" : opened.error.message, /not encrypted/u);
    }
  });

  test("a plugin can provide a browser, but a built-in name wins", async () => {
    await using home = await tempHome();
    const calls: unknown[] = [];
    const backend = (id: string): Backend => ({
      name: `browser:${id}`,
      kind: "browser",
      id,
      title: "Lab",
      isAvailable: async () => true,
      run: async (input) => {
        calls.push(input);
        return ok(input["action"] === "open" ? { cdp_url: "ws://127.0.0.1:9/x", id: "lab-1" } : {});
      },
    });
    const cloud = browsers({}, home.path, [backend("lab"), backend("firecrawl")]);
    assert.deepEqual(
      cloud.services.map(({ id }) => id),
      ["browserbase", "browser_use", "firecrawl", "lab"],
    );
    const opened = await cloud.open("lab", signal);
    assert.ok(opened.ok && opened.value.cdpUrl === "ws://127.0.0.1:9/x");
    await opened.value.close(signal);
    assert.deepEqual(calls, [{ action: "open" }, { action: "close", id: "lab-1" }]);
    assert.equal((await cloud.open("firecrawl", signal)).ok, false);
  });
});

const programs = await npmPrograms("browser");
test("the vendors' own clients work with the scripted server", { skip: programs.skip }, async () => {
  await using server = await startCloudServer(noBrowser);
  const load = createRequire(join(programs.folder, "x.js"));
  const { Browserbase } = load("@browserbasehq/sdk");
  const base = new Browserbase({ apiKey: cloudKey, baseURL: server.url });
  const first = await base.sessions.create({ projectId: "p", keepAlive: true });
  assert.match(first.connectUrl, /^ws:/u);
  await base.sessions.update(first.id, { projectId: "p", status: "REQUEST_RELEASE" });

  const { BrowserUse } = load("browser-use-sdk/v3");
  const use = new BrowserUse({ apiKey: cloudKey, baseUrl: `${server.url}/api/v3` });
  const second = await use.browsers.create({ timeout: 15 });
  assert.match(second.cdpUrl, /^http:/u);
  await use.browsers.stop(second.id);

  const { Firecrawl } = load("@mendable/firecrawl-js");
  const crawl = new Firecrawl({ apiKey: cloudKey, apiUrl: server.url });
  const third = await crawl.browser({ ttl: 300 });
  assert.match(third.cdpUrl, /^ws:/u);
  await crawl.deleteBrowser(third.id);
  assert.deepEqual([...server.open], []);
});
