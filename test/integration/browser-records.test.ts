// covers: src/browser/trace, src/browser/page, src/runtime/browser, src/tools/browser
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { systemClock } from "../../src/base/clock.ts";
import { connectCdp } from "../../src/browser/cdp/connection.ts";
import { openSocketWire } from "../../src/browser/cdp/socket-wire.ts";
import { browsingSession } from "../support/browsing-session.ts";
import { startDebuggedBrowser } from "../support/cloud-browser-server.ts";
import { eventually } from "../support/eventually.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });

/** Every text of the page tries to run in whatever shows it. */
const attack = `</pre></section><script>document.title = "taken"</script><img src=x onerror="document.title = 'taken'">`;
const page = `<!doctype html><meta charset="utf-8"><title></title><h1></h1><button>Go on</button><script>
  const attack = ${JSON.stringify(attack).replaceAll("</", "<\\/")};
  document.title = attack; document.querySelector("h1").textContent = attack; console.log(attack);
</script>`;

async function hostileSite() {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface ShownTrace {
  readonly title: string;
  readonly steps: readonly string[];
  readonly pictures: readonly number[];
  readonly text: string;
}

/** A file as a person sees it who opens it in a browser. */
async function opened(file: string): Promise<ShownTrace> {
  await using browser = await startDebuggedBrowser();
  const wire = await openSocketWire(browser.url, AbortSignal.timeout(60_000));
  assert.ok(wire.ok, JSON.stringify(wire));
  using connection = connectCdp(wire.value, { clock: systemClock });
  const { targetId } = await connection.send<{ targetId: string }>("Target.createTarget", {
    url: pathToFileURL(file).href,
  });
  const attach = { targetId, flatten: true };
  const { sessionId } = await connection.send<{ sessionId: string }>("Target.attachToTarget", attach);
  const expression = `JSON.stringify(location.protocol === "file:" && document.readyState === "complete" && {
    title: document.title, text: document.body.innerText,
    steps: [...document.querySelectorAll("h2")].map((each) => each.textContent),
    pictures: [...document.images].map((each) => each.complete ? each.naturalWidth : 0),
  })`;
  let shown: ShownTrace | false = false;
  await eventually(async () => {
    const answer = await connection
      .session(sessionId)
      .send<{ result: { value: string } }>("Runtime.evaluate", { expression })
      .catch(() => undefined);
    shown = answer ? (JSON.parse(answer.result.value) as ShownTrace | false) : false;
    return shown !== false && shown.pictures.every((width) => width > 0);
  }, "the trace is shown with its pictures");
  assert.ok(shown);
  return shown;
}

describe("browser sessions are recorded", { skip, concurrency: false }, () => {
  test("screenshots are files, and the user can open the trace, in which no page code runs", async () => {
    await using site = await hostileSite();
    await using own = await browsingSession(
      [
        ["browser_navigate", { url: site.url }],
        ["browser_vision", { question: "Which colour?" }],
        ["browser_snapshot"],
      ],
      { record_sessions: true, allow_private_urls: true },
    );
    assert.match(await own.next(), /Go on/u);
    const looked = await own.next();
    const path = /Saved for a day: ([^"\\\s]+\.png)/u.exec(looked)?.[1] ?? "";
    assert.ok(path.startsWith(join(own.home, "cache", "screenshots")), looked);
    assert.deepEqual([...(await readFile(path)).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await own.next();
    await own.endSession();
    const traces = join(own.home, "browser", "traces");
    const [name = ""] = await readdir(traces);
    const { title, steps, pictures, text } = await opened(join(traces, name));
    assert.match(title, /^Browser trace \d+_/u);
    assert.deepEqual(steps, [`1. navigate ${site.url}`, "2. picture", "3. snapshot"]);
    assert.equal(pictures.length, 1);
    assert.ok(text.includes(attack), "the page's text is shown as text");
  });
});
