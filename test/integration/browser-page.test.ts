// covers: src/browser/page
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import { createPageBrowser } from "../../src/browser/page/page-browser.ts";
import type { Browser, BrowserRequest } from "../../src/contracts/web/browser.ts";
import { eventually } from "../support/eventually.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type GuardedBrowser, guardedBrowser } from "../support/guarded-browser.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });
const { signal } = new AbortController();

/** Small pages in a real Chromium: what a model reads, and the effects of its actions. */
describe("page content", { skip, concurrency: false }, () => {
  const stack = new AsyncDisposableStack();
  let guarded: GuardedBrowser;
  let browser: Browser;
  let base = "";

  before(async () => {
    let endStarting = () => {};
    let endHeld = () => {};
    let loads = 0;
    const server = createServer((request, response) => {
      const [path = "/"] = (request.url ?? "/").split("?");
      if (path === "/worker.js") return void response.setHeader("content-type", "text/javascript").end(workerScript);
      if (path === "/slow") return void setTimeout(() => response.end("slow"), 300);
      if (path === "/starting") return void (endStarting = () => void response.end("started"));
      if (path === "/held") {
        endHeld = () => void response.end("held");
        return endStarting();
      }
      if (path === "/shown") endHeld();
      if (path === "/members" && request.headers.authorization !== `Basic ${btoa("ann:s3cret:x")}`)
        return void response.writeHead(401, { "www-authenticate": 'Basic realm="Members"' }).end("Go away");
      response.setHeader("content-type", "text/html; charset=utf-8");
      if (path === "/reloading") {
        loads += 1;
        return void response.end(`<title>Reloading</title><h1>Load ${loads}</h1>${loads < 3 ? reloadScript : ""}`);
      }
      response.end(pages[path] ?? "<title>None</title><p>No such page</p>");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    stack.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    stack.defer(() => server.closeAllConnections());
    // An address of a server that listens.
    const { port } = server.address() as AddressInfo;
    base = `http://site.example:${port}`;
    guarded = stack.use(await guardedBrowser({}, {}));
    browser = createPageBrowser({
      session: guarded.session,
      keepUpload: async () => "",
      clock,
      commandMs: 30_000,
      evaluate: { isRestricted: true },
    });
  });
  after(() => stack.disposeAsync());

  async function run(request: BrowserRequest): Promise<string> {
    const answered = await browser.run(request, signal);
    return answered.ok ? answered.value.text : `${answered.error.kind}: ${answered.error.message}`;
  }
  const open = (path: string) => run({ do: "navigate", url: `${base}${path}` });
  const refOf = (text: string, pattern: string): string =>
    new RegExp(`${pattern} (@e\\d+)`, "u").exec(text)?.[1] ?? "@e0";

  test("hidden text is skipped; frames, shadow trees and elements without a role are read and clicked", async () => {
    const text = await open("/parts");
    assert.doesNotMatch(text, /HIDDEN/u);
    for (const part of [
      "In the frame",
      'button "Clobbered"',
      'button "Open shadow"',
      'button "Closed shadow"',
      'clickable "Listens"',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.match(await run({ do: "click", ref: refOf(text, 'button "Frame button"') }), /~ button "Frame pressed"/u);
    assert.match(await run({ do: "click", ref: refOf(text, 'button "Closed shadow"') }), /~ button "Closed pressed"/u);
    assert.match(await run({ do: "click", ref: refOf(text, 'clickable "Listens"') }), /~ clickable "Pressed ear"/u);
  });

  test("the text of deeply nested lists is shown without the lists around it", async () => {
    for (const levels of [5, 3000])
      assert.match(await open(`/deep${levels}`), /^(?:- )?The innermost text(?: · |\n)link "Shop" @e\d+$/mu);
  });

  test("a listener that a script of the model adds to a page without scripts makes its element clickable", async () => {
    await open("/plain");
    assert.doesNotMatch(await run({ do: "snapshot", isFull: false }), /clickable/u);
    const expression = 'document.querySelector("p").addEventListener("click", () => {})';
    await run({ do: "cdp", method: "Runtime.evaluate", params: { expression }, timeoutMs: 5_000 });
    assert.match(await run({ do: "snapshot", isFull: false }), /clickable "Plain text"/u);
  });

  test("typed text goes to the frame of its element or focus, and a new document there gets new references", async () => {
    await open("/around");
    let text = "";
    await eventually(async () => {
      text = await run({ do: "snapshot", isFull: true });
      return text.includes('"Of the ad"') && text.includes('"Written here"');
    });
    const ads = base.replace("site.", "ads.");
    const [own, ad, written] = ['"Own"', '"Of the ad"', '"Written here"'].map((name) => refOf(text, name));
    const framesOf = async (...refs: string[]) =>
      (await browser.facts({ refs })).frames?.map((url) => new URL(url).origin);
    assert.deepEqual(await framesOf(own ?? ""), [base]);
    assert.deepEqual(await framesOf(ad ?? ""), [ads]);
    assert.deepEqual(await framesOf(written ?? ""), [base], "a document without an address belongs to the page");
    assert.deepEqual(await framesOf(own ?? "", ad ?? "", ad ?? ""), [base, ads]);
    const focused = async () => (await browser.facts("focus")).frames?.map((url) => new URL(url).origin);
    await run({ do: "click", ref: own ?? "" });
    assert.deepEqual(await focused(), [base]);
    await run({ do: "click", ref: ad ?? "" });
    assert.deepEqual(await focused(), [ads]);
    // The frame shows another document that looks the same: the reference is not passed on.
    await run({ do: "click", ref: refOf(text, 'link "Another"') });
    await eventually(async () => (await run({ do: "snapshot", isFull: true })).includes("Second ad"));
    assert.match(await run({ do: "type", ref: ad ?? "", text: "x" }), /^gone: /u);
  });

  test("a form is filled in one call, secrets are not repeated in the result, and references stay valid", async () => {
    const text = await open("/form");
    const fields = [
      { ref: refOf(text, 'textbox "Name"'), value: "Ann" },
      { ref: refOf(text, 'textbox "Password"'), value: "hunter2secret" },
      { ref: refOf(text, 'checkbox "Agree"'), value: true },
      { ref: refOf(text, 'combobox "Country"'), value: "spain" },
      { ref: refOf(text, 'date "Day"'), value: "2026-05-06" },
    ];
    const filled = await run({ do: "fill", fields, submit: refOf(text, 'button "Send"') });
    assert.match(filled, /Sent Ann true es 2026-05-06 13/u);
    assert.doesNotMatch(filled, /hunter2/u);
    const again = await run({ do: "snapshot", isFull: false });
    assert.equal(refOf(again, 'textbox "Name"'), fields[0]?.ref);
    assert.match(
      await run({ do: "select", ref: fields[3]?.ref ?? "", options: ["Mars"] }),
      /no option "Mars".*Germany, Spain/u,
    );
  });

  test("a click on an element that is covered, disabled, removed or on an earlier page fails with the reason", async () => {
    const text = await open("/form");
    const [name, cover] = [refOf(text, 'textbox "Name"'), refOf(text, 'button "Cover"')];
    assert.match(await run({ do: "click", ref: refOf(text, 'button "Never"') }), /disabled/u);
    const covered = await run({ do: "click", ref: cover });
    assert.match(covered, /\+ dialog "Cookies"/u);
    assert.match(
      await run({ do: "click", ref: name }),
      /^covered: @e\d+ textbox "Name" is covered by @e\d+ dialog "Cookies"/u,
    );
    await run({ do: "click", ref: refOf(covered, 'button "Remove"') });
    assert.match(await run({ do: "click", ref: name }), /^gone: @e\d+ textbox "Name" is gone/u);
    await open("/parts");
    assert.match(await run({ do: "click", ref: name }), /^gone: .* belongs to a page that was left/u);
    assert.match(await run({ do: "click", ref: "@e9999" }), /^gone: @e9999 does not exist/u);
  });

  test("waiting detects elements that appear late, and reports the page content if they do not appear", async () => {
    const text = await open("/late");
    assert.match(text, /button "Load"/u);
    assert.match(await run({ do: "click", ref: refOf(text, 'button "Load"') }), /Working/u);
    const waiting = run({ do: "wait", until: { for: "text", text: "Late result" }, timeoutMs: 60_000 });
    const tab = await guarded.session.current();
    assert.ok(tab.ok);
    await tab.value.main.send("Runtime.evaluate", { expression: "out.textContent = 'Late result'" });
    assert.match(await waiting, /Now the page shows/u);
    assert.match(await run({ do: "wait", until: { for: "text", text: "Never" }, timeoutMs: 300 }), /^timeout: Waited/u);
  });

  test("a page that a worker renders after its load event is read when the worker is done", async () => {
    assert.match(await open("/worker"), /From the worker: slow/u);
  });

  test("a page with a fast clock and an animation counts as still, and the effect of an action on it is read", async () => {
    const text = await open("/clock");
    assert.doesNotMatch(text, /^Note:/mu);
    const clicked = await run({ do: "click", ref: refOf(text, 'button "Add"') });
    assert.doesNotMatch(clicked, /^Note:/mu);
    assert.match(clicked, /Added: slow/u);
  });

  test("a page that reloads itself twice is read after its last load, even if it reloads while it is read", async () => {
    assert.match(await open("/reloading"), /# Load 3/u);
    const opened = await guarded.session.current();
    assert.ok(opened.ok);
    const { main } = opened.value;
    const { send } = main;
    let reloads = 0;
    // A closed shadow tree needs a second walk. It comes too late, because the page reloads before it.
    main.send = async (method, params, timeoutMs) => {
      if (reloads < 2 && JSON.stringify(params?.["arguments"] ?? "").includes('"walk"')) {
        reloads += 1;
        const { promise: loaded, resolve } = Promise.withResolvers<void>();
        using _ = main.on("Page.loadEventFired", () => resolve());
        await send("Runtime.evaluate", { expression: "location.reload()" });
        await loaded;
      }
      return send(method, params, timeoutMs);
    };
    try {
      assert.match(await open("/closed"), /button "Closed shadow" @e\d+/u);
    } finally {
      main.send = send;
    }
    assert.equal(reloads, 2);
  });

  test("a page that asks for a name and a password waits for the answer, and asks again after a wrong one", async () => {
    const question = /basic_auth dialog is open.*site\.example:\d+ asks for a user name and a password \(Members\)/u;
    assert.match(await open("/members"), question);
    const wrong = await run({ do: "dialog", isAccepted: true, text: "ann:wrong" });
    await eventually(() => guarded.session.peek()?.dialogs()[0]?.id === "dialog-2", wrong);
    assert.match(await run({ do: "snapshot", isFull: false }), question);
    await run({ do: "dialog", isAccepted: true, text: "ann:s3cret:x" });
    const shown = await run({ do: "wait", until: { for: "text", text: "Only members" }, timeoutMs: 30_000 });
    assert.match(shown, /Now the page shows "Only members"/u);
    assert.doesNotMatch(`${wrong}${shown}`, /wrong|s3cret/u);
  });

  test("a browser that nobody uses closes after its idle time, and the next use opens another", async () => {
    const idle = fakeClock();
    await using unused = await guardedBrowser({}, { clock: idle, idleMs: 120_000 });
    assert.ok((await unused.session.current()).ok);
    idle.advance(119_000);
    unused.session.touch();
    idle.advance(119_000);
    assert.equal(unused.session.facts()?.tabCount, 1);
    idle.advance(1_000);
    await eventually(() => unused.session.facts() === undefined);
    assert.match(unused.session.takeNotices().join(), /closed after 120 s without use; open the page again/u);
    assert.ok((await unused.session.current()).ok);
  });

  test("restricted expressions can read but not change the page, and screenshots have marks", async () => {
    await open("/form");
    assert.equal(await run({ do: "evaluate", expression: "document.title" }), "Form");
    assert.match(await run({ do: "evaluate", expression: "document.cookie" }), /^refused: /u);
    assert.match(await run({ do: "evaluate", expression: "document.title = 'x'" }), /^failed: .*side.?effect/iu);
    const pictured = await browser.run({ do: "picture", isAnnotated: true }, signal);
    assert.ok(pictured.ok && pictured.value.picture);
    assert.match(pictured.value.text, /Marks: .*textbox "Name"/u);
    assert.doesNotMatch(await run({ do: "snapshot", isFull: true }), /popover/u);
  });
});

/** Names of inputs that hide properties of their form. */
const clobbered =
  "nodeType childNodes childElementCount checkVisibility getAttribute hasAttribute hasAttributes querySelector getBoundingClientRect classList className localName".split(
    " ",
  );

/** Requests of the page and then of the worker stay open until the text is shown, however slow the machine is. */
const workerScript = `fetch("/held").then((answer) => answer.text()); fetch("/slow").then((answer) => answer.text()).then((text) => postMessage(text));`;

const reloadScript = `<script>addEventListener("load", () => location.reload());</script>`;

const clockScript = `setInterval(() => (clock.textContent = "Now " + Math.random().toFixed(6)), 20);
const draw = () => requestAnimationFrame(draw); draw();
const add = () => fetch("/slow").then((answer) => answer.text()).then((text) => (out.textContent = "Added: " + text));`;
const pages: Readonly<Record<string, string>> = {
  "/around": `<title>Around</title><input aria-label="Own"><iframe srcdoc="<button>Written here</button>"></iframe>
    <script>document.write('<iframe title="Ad" src="http://ads.example:' + location.port + '/ad"></iframe>')</script>`,
  "/ad": `<p>First ad</p><input aria-label="Of the ad"><a href="/ad2">Another</a>`,
  "/ad2": `<p>Second ad</p><input aria-label="Of the ad"><a href="/ad2">Another</a>`,
  "/plain": "<title>Plain</title><p>Plain text</p>",
  ...Object.fromEntries([5, 3000].map((levels) => [`/deep${levels}`, deepLists(levels)])),
  "/parts": `<title>Parts</title>
    <p style="display:none">HIDDEN 1</p><p style="visibility:hidden">HIDDEN 2</p><p style="opacity:0">HIDDEN 3</p>
    <p style="position:absolute;left:-9999px">HIDDEN 4</p><p style="font-size:0">HIDDEN 5</p><p aria-hidden=true>HIDDEN 6</p>
    <p style="position:absolute;width:1px;height:1px;overflow:hidden">HIDDEN 7</p><p style="text-indent:-9999px">HIDDEN 8</p>
    <p style="font-size:0"><i></i><i></i><i></i>HIDDEN 9</p>
    <form><input name=children aria-label=Odd></form>
    <form>${clobbered.map((name) => `<input name=${name} size=1>`).join("")}<div>x<b>y</b></div><button>Clobbered</button></form>
    <iframe srcdoc="<p>In the frame</p><button onclick='this.textContent=\`Frame pressed\`'>Frame button</button>"></iframe>
    <open-box></open-box><closed-box></closed-box><div id=ear>Listens</div>
    <script>
      const box = (mode, name) => class extends HTMLElement { constructor() { super();
        this.attachShadow({ mode }).innerHTML = "<button onclick='this.textContent=\\"" + name + " pressed\\"'>" + name + " shadow</button>"; } };
      customElements.define("open-box", box("open", "Open")); customElements.define("closed-box", box("closed", "Closed"));
      ear.addEventListener("click", () => { ear.textContent = "Pressed ear"; });
    </script>`,
  "/form": `<title>Form</title><form id=f onsubmit="return send()">
    <label>Name <input name=n></label><label>Password <input type=password name=p></label>
    <label><input type=checkbox name=a> Agree</label>
    <label>Country <select name=c><option value=de>Germany<option value=es>Spain</select></label>
    <label>Day <input type=date name=d></label><button>Send</button></form><button disabled>Never</button>
    <button onclick="d.hidden=false">Cover</button><p id=out></p>
    <div id=d role=dialog aria-label=Cookies hidden style="position:fixed;inset:0;background:#fff"><button onclick="f.remove();d.remove()">Remove</button></div>
    <script>function send() { out.textContent = ["Sent", f.n.value, f.a.checked, f.c.value, f.d.value, f.p.value.length].join(" "); return false; }</script>`,
  "/clock": `<title>Clock</title><p id=clock></p><p id=out></p><button onclick="add()">Add</button><script>${clockScript}</script>`,
  "/worker": `<title>Worker</title><p id=out>Nothing yet</p><script>
    fetch("/starting").then((answer) => answer.text());
    new Worker("/worker.js").onmessage = ({ data }) => { out.textContent = "From the worker: " + data; fetch("/shown").then((answer) => answer.text()); };
  </script>`,
  "/closed": `<title>Closed</title><closed-box></closed-box><script>
    customElements.define("closed-box", class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<button>Closed shadow</button>"; } });
  </script>`,
  "/members": `<title>Members</title><p>Only members read this</p>`,
  "/late": `<title>Late</title><button onclick="out.textContent='Working'">Load</button><p id=out></p>`,
};

function deepLists(levels: number): string {
  return `<title>Deep</title>${"<ul><li>".repeat(levels)}The innermost text <a href="/shop">Shop</a>`;
}
