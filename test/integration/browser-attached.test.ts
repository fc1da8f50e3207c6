// covers: src/runtime/browser, src/browser/sessions, src/browser/cloud, src/tools/browser
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { browsingSession } from "../support/browsing-session.ts";
import { cloudKey, startCloudServer, startDebuggedBrowser } from "../support/cloud-browser-server.ts";
import { eventually } from "../support/eventually.ts";
import { startSites } from "../support/sites/sites.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });

describe("attached browsers work through the whole runtime", { skip, concurrency: false }, () => {
  test("with browser.cdp_url, pages open in that browser, and only the session's tab is closed with the session", async () => {
    await using browser = await startDebuggedBrowser();
    await using sites = await startSites();
    const settings = { cdp_url: `http://127.0.0.1:${browser.port}`, allow_private_urls: true };
    const page = `${sites.origin}/shop`;
    await using own = await browsingSession([["browser_navigate", { url: page }]], settings);
    const shown = await own.next();
    assert.match(shown, /Only navigations are checked in the browser at 127\.0\.0\.1[^]*Corner Shop/u);
    assert.deepEqual((await browser.pages()).toSorted(), ["about:blank", page]);
    await own.endSession();
    await eventually(async () => (await browser.pages()).join() === "about:blank", "the tab is closed");
  });

  test("public pages open in a cloud browser and private pages in a local one; both close with the session", async () => {
    await using sites = await startSites();
    // The name has no address here: only the browser of the service knows it.
    const publicSite = `http://shop.cloud-only.example:${sites.port}`;
    await using browser = await startDebuggedBrowser([`--host-resolver-rules=MAP shop.cloud-only.example 127.0.0.1`]);
    await using server = await startCloudServer(browser);
    const secrets = `BROWSERBASE_API_KEY=${cloudKey}\nBROWSERBASE_PROJECT_ID=p\nBROWSERBASE_BASE_URL=${server.url}\n`;
    await using own = await browsingSession(
      [
        ["browser_navigate", { url: `${publicSite}/shop` }],
        ["browser_navigate", { url: `${sites.origin}/form` }],
        ["browser_snapshot"],
        ["browser_navigate", { url: `${publicSite}/shop` }],
        ["browser_close"],
      ],
      { backend: "browserbase", allow_private_urls: true },
      secrets,
    );
    assert.match(await own.next(), /the browser of Browserbase[^]*Corner Shop/u);
    assert.equal(server.open.size, 1);
    const notes = join(own.home, "browser", "open");
    assert.equal((await readdir(notes)).length, 1);
    const before = await browser.pages();
    assert.match(await own.next(), /Full name/u);
    assert.match(await own.next(), /Full name/u);
    assert.deepEqual(await browser.pages(), before, "the private page is not open at the service");
    assert.match(await own.next(), /Corner Shop/u);
    await own.next();
    assert.equal(server.open.size, 0, "browser_close gives the browser back");
    await own.endSession();
    assert.equal(server.open.size, 0);
    assert.ok(!existsSync(notes) || (await readdir(notes)).length === 0);
  });

  test("a session that ends without browser_close releases its cloud browser", async () => {
    await using sites = await startSites();
    await using browser = await startDebuggedBrowser();
    await using server = await startCloudServer(browser);
    const secrets = `FIRECRAWL_API_KEY=${cloudKey}\nFIRECRAWL_API_URL=${server.url}\n`;
    const settings = { backend: "firecrawl", allow_private_urls: true, auto_local_for_private_urls: false };
    await using own = await browsingSession([["browser_navigate", { url: `${sites.origin}/shop` }]], settings, secrets);
    assert.match(await own.next(), /A person can watch at https:\/\/live\.example[^]*Corner Shop/u);
    assert.equal(server.open.size, 1);
    await own.endSession();
    assert.equal(server.open.size, 0);
  });
});
