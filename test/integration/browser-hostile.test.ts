// covers: src/browser/guard, src/browser/launch, src/browser/sessions, src/browser/cdp
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Tab } from "../../src/browser/sessions/tab.ts";
import { eventually } from "../support/eventually.ts";
import { type GuardedBrowser, guardedBrowser, publicAddress } from "../support/guarded-browser.ts";
import { leaves, reaches } from "../support/sites/hostile-pages.ts";
import { secretText, type Sites, startSites } from "../support/sites/sites.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });

/** Untrusted pages against the real guard: names resolve to this machine, and a private host counts requests. */
describe("hostile pages cannot harm the host", { skip, concurrency: false }, () => {
  const stack = new AsyncDisposableStack();
  let sites: Sites;
  let browser: GuardedBrowser;
  let base = "";

  before(async () => {
    sites = stack.use(await startSites());
    const names = { "rebind.example": [publicAddress, "127.0.0.1"], "private.example": ["10.0.0.7"] };
    browser = stack.use(await guardedBrowser(names, { maxPageMb: 150, maxBytes: 2_000_000 }));
    base = `http://shop.example:${sites.port}`;
  });
  after(() => stack.disposeAsync());

  /** The only tab. */
  async function page(): Promise<Tab> {
    const [first] = browser.session.tabs();
    if (first) browser.session.select(first.id);
    await eventually(async () => {
      const [, ...others] = browser.session.tabs();
      for (const tab of others) await tab.close().catch(() => {});
      return others.length === 0;
    }, "other tabs stay open");
    const opened = await browser.session.current();
    assert.ok(opened.ok, JSON.stringify(opened));
    browser.session.takeNotices();
    return opened.value;
  }

  const saw = (words: RegExp) => words.test(browser.session.takeNotices().join("\n"));

  async function open(path: string): Promise<Tab> {
    const tab = await page();
    const opened = await tab.navigate(`${base}${path}`);
    assert.ok(opened.ok, JSON.stringify(opened));
    return tab;
  }

  /** A navigation returns when the document starts to load; its text may arrive later. */
  const showsTable = async (tab: Tab) => eventually(async () => (await textIn(tab)).includes("Departures"));

  /** Asks again while the page is replaced: an expression ends with its document. A closed tab has no text. */
  async function valueIn(tab: Tab, expression: string): Promise<string | boolean | undefined> {
    const answer: { value?: string | boolean | undefined } = {};
    await eventually(async () => {
      if (!browser.session.tabs().includes(tab)) return true;
      try {
        const sent = tab.main.send<{ result: { value?: string | boolean } }>("Runtime.evaluate", { expression });
        answer.value = (await sent).result.value;
        return true;
      } catch (thrown) {
        assert.match(String(thrown), /context|navigat|closed/iu);
        return false;
      }
    }, "the page does not answer");
    return answer.value;
  }

  const textIn = async (tab: Tab) => String((await valueIn(tab, "document.documentElement.innerText")) ?? "");

  test("no request of a page reaches a private host: resources, sockets, workers, popups, beacons", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433"]) {
      sites.state.reports.length = 0;
      await open(`/hostile/many?to=${encodeURIComponent(`http://${host}:${sites.secret.port}/secret`)}`);
      await eventually(() => sites.state.reports.includes("tried everything"));
      assert.match(browser.session.takeNotices().join("\n"), /blocked: .*(?:loopback|this machine|local)/u);
    }
    assert.deepEqual(sites.secret.requests, []);
  });

  test("no navigation of a page reaches a private host: scripts, redirects, forms, downloads, pings", async () => {
    for (const way of Object.keys(reaches).filter((one) => leaves.test(one))) {
      sites.state.reports.length = 0;
      const tab = await open(`/hostile/reach?way=${encodeURIComponent(way)}`);
      // The refusal is a sentence, or the page continues as if nothing had happened.
      await eventually(() => saw(/blocked/u) || sites.state.reports.includes("tried"), way);
      assert.doesNotMatch(await textIn(tab), new RegExp(secretText, "u"), way);
    }
    assert.deepEqual(sites.secret.requests, []);
    for (const url of ["http://private.example/", "http://169.254.169.254/latest/meta-data", sites.secret.url]) {
      const refused = await (await page()).navigate(url);
      assert.match(refused.ok ? "" : refused.error.message, /blocked/u, url);
    }
  });

  test("a host name whose address changes to a private one after the first request is refused", async () => {
    const tab = await page();
    assert.ok((await tab.navigate(`http://rebind.example:${sites.port}/hostile/rebind`)).ok);
    await eventually(async () => /refused|failed/u.test(await textIn(tab)));
    assert.deepEqual(
      sites.requests.filter((request) => request.includes("/secret")),
      [],
    );
  });

  test("local files and internal pages of the browser cannot be opened, even by scripts", async () => {
    for (const url of ["file:///etc/passwd", "view-source:file:///etc/passwd", "chrome://version", "javascript:1"])
      assert.equal((await (await page()).navigate(url)).ok, false, url);
    const tab = await open("/hostile/files");
    await eventually(() => !tab.network.isLoading());
    for (const one of browser.session.tabs()) {
      assert.doesNotMatch(one.url, /^(?:file|chrome|view-source):/u);
      assert.doesNotMatch(await textIn(one), /root:/u);
    }
  });

  test("a page that opens endless popups is limited, and the tab can be navigated", async () => {
    await open("/hostile/popups");
    await eventually(() => saw(/many tabs/u));
    assert.ok(browser.session.tabs().length <= 6);
    await showsTable(await open("/table"));
  });

  test("a page that uses too much memory crashes alone, and its tab can be used again", async () => {
    const tab = await open("/hostile/memory");
    await eventually(() => /memory/u.test(tab.crash ?? ""));
    await showsTable(await open("/table"));
  });

  test("endless dialogs of a page can be answered, and the tab can be navigated", async () => {
    const tab = await page();
    void tab.navigate(`${base}/hostile/dialogs`);
    for (let count = 0; count < 3; count++) {
      await eventually(() => tab.dialogs()[0]?.message === `again ${count}`);
      assert.ok(await tab.answerDialog({ isAccepted: true }));
    }
    await eventually(() => tab.dialogs().length === 1);
    await tab.close();
    await showsTable(await open("/table"));
  });

  test("a download stays in its folder and below its size limit", async () => {
    const tab = await open("/downloads");
    const isClicked = async (words: string) => {
      const query = `[...document.querySelectorAll("a,button")].find((one) => one.textContent === ${JSON.stringify(words)})`;
      // A click whose answer is lost is not repeated: the file would arrive twice.
      const once = "if (target && !target.clicked) { target.clicked = true; target.click(); }";
      const expression = `(() => { const target = ${query}; ${once} return target !== undefined; })()`;
      return (await valueIn(tab, expression)) === true;
    };
    const click = async (words: string) => eventually(() => isClicked(words), words);
    const hasState = (url: RegExp, state: string) =>
      browser.session.downloads().some((each) => url.test(each.url) && each.state === state);
    await click("A file with a bad name");
    await eventually(() => hasState(/escape$/u, "saved"));
    await click("A file without end");
    await eventually(() => hasState(/endless$/u, "failed"));
    await click("Make a file here");
    await eventually(() => hasState(/^blob:/u, "saved"));
    const names = await readdir(browser.folder);
    assert.equal(names.length, 2, names.join(", "));
    assert.equal(await readFile(join(browser.folder, "made.txt"), "utf8"), "made in the page");
    assert.ok(
      names.every((name) => !name.includes("/") && !name.startsWith(".")),
      names.join(", "),
    );
  });
});
