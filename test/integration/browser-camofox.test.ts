// covers: src/browser/cloud
import assert from "node:assert/strict";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { type CamofoxDeps, createCamofoxBrowser } from "../../src/browser/cloud/camofox.ts";
import type { Browser, BrowserRequest } from "../../src/contracts/web/browser.ts";
import { createGuardedFetch } from "../../src/safety/url/guarded-fetch.ts";
import { startCamofoxServer } from "../support/camofox-server.ts";
import { npmPrograms } from "../support/npm-programs.ts";
import { shopPassword } from "../support/sites/shop.ts";
import { startSites } from "../support/sites/sites.ts";
import { missingPrograms } from "../support/system-programs.ts";

const { signal } = new AbortController();
const programs = await npmPrograms("browser");
const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" }) || programs.skip;

const web = createGuardedFetch({
  rules: async () => ({ allowPrivate: false }),
  resolve: async () => ["127.0.0.1"],
  http: createHttp({ clock: systemClock }),
  clock: systemClock,
});

async function read(browser: Browser, request: BrowserRequest): Promise<string> {
  const answered = await browser.run(request, signal);
  assert.ok(answered.ok, JSON.stringify(answered));
  return answered.value.text;
}

function refIn(text: string, element: RegExp): string {
  const line = text.split("\n").find((one) => element.test(one));
  const ref = /@e\d+/u.exec(line ?? "")?.[0];
  assert.ok(ref, `${String(element)} in ${text}`);
  return ref;
}

test(
  "Camofox completes a shopping task over HTTP, with redirects checked, until the browser closes",
  { skip },
  async () => {
    await using sites = await startSites();
    await using server = await startCamofoxServer(programs.folder, "fox-key");
    const deps: CamofoxDeps = {
      web,
      url: server.url,
      accessKey: "fox-key",
      userId: "hermes_1",
      sessionKey: "conversation-1",
      isPersistent: false,
      adoptsTab: false,
      loopbackAlias: undefined,
      refusal: async (url) => (url.includes(`:${sites.secret.port}`) ? "a private address" : undefined),
    };
    const browser = createCamofoxBrowser(deps);
    assert.deepEqual(await browser.facts(), {});
    assert.equal((await browser.run({ do: "back" }, signal)).ok, false);

    const form = await read(browser, { do: "navigate", url: `${sites.origin}/shop/login` });
    const fields = [
      { ref: refIn(form, /textbox "Name"/u), value: "ada" },
      { ref: refIn(form, /textbox "Password"/u), value: shopPassword },
    ];
    const account = await read(browser, { do: "fill", fields, submit: refIn(form, /button "Sign in"/u) });
    assert.match(account, /Account of ada/u);
    assert.deepEqual(sites.state.signIns, ["ada"]);
    assert.equal((await browser.facts()).url, `${sites.origin}/shop/account`);
    assert.match(await read(browser, { do: "evaluate", expression: "document.title" }), /Account of ada/u);
    const pictured = await browser.run({ do: "picture", isAnnotated: false }, signal);
    assert.match(pictured.ok ? (pictured.value.picture?.data ?? "") : "", /^iVBOR/u);

    const straight = await browser.run({ do: "navigate", url: sites.secret.url }, signal);
    assert.equal(straight.ok ? "" : straight.error.kind, "refused");
    assert.deepEqual(sites.secret.requests, [], "refused before it is sent");
    const moved = await browser.run({ do: "navigate", url: `${sites.origin}/hostile/redirect` }, signal);
    assert.match(moved.ok ? "" : moved.error.message, /moved on to .*private address/u);

    await server.forgetTabs();
    assert.match(await read(browser, { do: "navigate", url: `${sites.origin}/table` }), /Departures/u);
    assert.equal((await browser.run({ do: "pdf" }, signal)).ok, false);
    await read(browser, { do: "close" });
    assert.deepEqual(server.users(), []);

    const locked = createCamofoxBrowser({ ...deps, accessKey: "wrong" });
    const refused = await locked.run({ do: "navigate", url: `${sites.origin}/table` }, signal);
    assert.match(refused.ok ? "" : refused.error.message, /Unauthorized.*CAMOFOX_ACCESS_KEY/u);
  },
);
