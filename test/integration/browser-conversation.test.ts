// covers: src/browser, src/runtime/browser, src/runtime/calls, src/tools/browser, src/commands/extensions, src/runtime/web
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { parsedObject } from "../../src/base/json.ts";
import { eventually } from "../support/eventually.ts";
import { startSites } from "../support/sites/sites.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { talking } from "../support/talking-program.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

const shell = "chromium-headless-shell";
const skip = missingPrograms({ [shell]: shell });

/** The next call, from the last result and the snapshot of the form. */
type Step = (last: string, form: string) => ScriptedTurn;

const call = (name: string, args: object = {}): ScriptedTurn => ({ calls: [{ name, args: { ...args } }] });
const refOf = (text: string, words: string) =>
  /@e\d+/u.exec(text.split("\n").find((line) => line.includes(words)) ?? "")?.[0] ?? "@e0";

/** The built program with its own temporary folder, which a browser of another account can enter. */
async function scene(steps: readonly Step[]) {
  const stack = new AsyncDisposableStack();
  const results: string[] = [];
  const temp = stack.adopt(mkdtempSync(join(tmpdir(), "hermes-conversation-")), (path) =>
    rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  );
  chmodSync(temp, 0o711);
  const program = stack.use(
    await talking((request, number) => {
      const messages = request.json["messages"] as readonly { readonly content: unknown }[];
      const last = messages.at(-1)?.content;
      results.push(typeof last === "string" ? last : JSON.stringify(last));
      const form = results.find((text) => text.includes('"Full name"')) ?? "";
      return steps[number]?.(results.at(-1) ?? "", form) ?? { text: "No more steps." };
    }),
  );
  Object.assign(program.env, { TMPDIR: temp });
  const file = join(program.env.HERMES_HOME, "config.yaml");
  const settings = { browser: { allow_private_urls: true }, security: { allow_private_urls: true } };
  writeFileSync(file, JSON.stringify({ ...parsedObject(readFileSync(file, "utf8")), ...settings }));
  return { ...program, temp, results, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A person's own browser with remote debugging. */
async function runningBrowser(profile: string) {
  const flags = ["--no-sandbox", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"];
  // The command is a script that starts the browser: both end as one group.
  const child = spawn(shell, flags, { stdio: ["ignore", "ignore", "pipe"], detached: true });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const portOf = () => /127\.0\.0\.1:(\d+)/u.exec(printed)?.[1];
  await eventually(() => portOf() !== undefined);
  return {
    url: `http://127.0.0.1:${portOf()}`,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async [Symbol.asyncDispose]() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      process.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}

/** A question drops keys that come too early, so the answer is typed until it is accepted. */
async function answer(chat: { type(keys: string): void; said(): string }, keys: string, words: string): Promise<void> {
  const times = () => chat.said().split(words).length;
  const before = times();
  let looks = 0;
  await eventually(async () => {
    if (looks++ % 50 === 49) chat.type(keys);
    await pause(20);
    return times() > before;
  });
}

describe("the browser works in whole conversations", { skip, concurrency: false }, () => {
  test("one conversation uses pages, questions, files and another browser, and leaves nothing behind", async () => {
    await using sites = await startSites();
    const page = (path: string) => call("browser_navigate", { url: `${sites.origin}${path}` });
    await using own = await scene([
      () => page("/form"),
      (last) => call("browser_type", { ref: refOf(last, "Full name"), text: "Ann" }),
      (_, form) => call("browser_fill", { fields: { [refOf(form, "Country")]: "Norway" } }),
      (_, form) => call("browser_upload", { ref: refOf(form, "Attachment"), paths: ["note.txt"] }),
      (_, form) => call("browser_click", { ref: refOf(form, "Send everything") }),
      () => call("browser_back"),
      () => page("/downloads"),
      (last) => call("browser_download", { ref: refOf(last, "Report") }),
      () => call("browser_pdf", { path: "out/page.pdf" }),
      () => ({ text: "First part." }),
      () => page("/frames"),
      (last) => call("browser_click", { ref: refOf(last, "Pay now") }),
      () => ({ text: "Second part." }),
      () => page("/shop"),
      () => ({ text: "Third part." }),
    ]);
    await using theirs = await runningBrowser(join(own.temp, "theirs"));
    writeFileSync(join(own.work, "note.txt"), "hello");
    await using chat = own.terminal(["chat"]);
    await chat.until("❯");
    chat.type("go\r");
    await chat.until(/browser_type connects to http:\/\/127[^]*\[s\]ession[^]*denies\): /u);
    await answer(chat, "s\r", "Allowed: session");
    // The site is allowed for the session; a file needs a separate approval.
    await chat.until(/browser_upload reads [^]*\[tainted\][^]*denies\): /u);
    assert.doesNotMatch(chat.said(), /Approval needed for browser_fill/u);
    await answer(chat, "o\r", "Allowed: once");
    await chat.until("First part.");
    assert.match(String(sites.state.forms[0]), /name=Ann&.*country=no&.*attachment=note\.txt/u);
    assert.ok(own.results.slice(1, 8).every((text) => text.startsWith("<untrusted_tool_result source=")));
    assert.match(own.results[6] ?? "", /"Full name" @e\d+ = "Ann"/u);
    assert.deepEqual(readdirSync(join(own.work, "browser-downloads")), ["report.csv"]);
    assert.match(readFileSync(join(own.work, "out", "page.pdf"), "latin1"), /^%PDF/u);

    chat.type(`/browser connect ${theirs.url}\r`);
    await chat.until("Connected to the browser at");
    chat.type("go on\r");
    // The button is in a frame of another site, which nobody has allowed yet.
    await chat.until(/browser_click connects to http:\/\/127\.0\.0\.2:[^]*denies\): /u);
    await answer(chat, "o\r", "Allowed: once");
    await chat.until("Second part.");
    assert.match(own.results.at(-2) ?? "", /Only navigations are checked[^]*frame "Payment"/u);
    await eventually(() => sites.state.reports.some((report) => report.startsWith("paid")));
    chat.type("/browser disconnect\r");
    await chat.until("Disconnected.");
    await eventually(async () => {
      const pages = (await (await fetch(`${theirs.url}/json/list`)).json()) as readonly { readonly url: string }[];
      return pages.map(({ url }) => url).join() === "about:blank";
    }, "only the person's own tab is left");
    chat.type("the end\r");
    await chat.until("Third part.");
    assert.match(own.results.at(-1) ?? "", /Corner Shop/u);
    assert.doesNotMatch(own.results.at(-1) ?? "", /Only navigations/u);
    chat.type("/quit\r");
    assert.equal(await chat.code, 0);
    assert.equal(theirs.isRunning(), true);
    const left = () => readdirSync(own.temp).filter((name) => name.startsWith("hermes"));
    await eventually(() => left().length === 0, "a folder is left");
  });

  test("web_extract uses the browser to read a page that a script builds", async () => {
    const body = `<div id="root"></div><script>setTimeout(() => { root.innerHTML = "<main><h1>Made later</h1>" + "<p>A sentence that a script wrote into the page, as apps do it.</p>".repeat(20) + "</main>"; }, 200)</script>`;
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>App</title>${body}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A TCP server always has this kind of address.
    const { port } = server.address() as AddressInfo;
    await using own = await scene([]);
    const url = `http://127.0.0.1:${port}/`;
    const ran = await own.run(["tools", "call", "web_extract", "--args", JSON.stringify({ urls: [url] })]);
    server.closeAllConnections();
    server.close();
    assert.match(ran.stdout, /Made later[^]*A sentence that a script wrote/u, ran.stderr);
    await eventually(() => readdirSync(own.temp).length === 0, "a folder is left");
  });
});
