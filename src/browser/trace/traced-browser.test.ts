import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { err, ok } from "../../base/result.ts";
import type { Browser, BrowserRequest } from "../../contracts/web/browser.ts";
import { type TraceDeps, tracedBrowser } from "./traced-browser.ts";

const { signal } = new AbortController();
const png = "iVBORw0KGgo=";

/** A browser whose page contains hostile text. */
function scriptedBrowser(): Browser & { readonly requests: string[] } {
  const requests: string[] = [];
  return {
    requests,
    facts: async () => ({ url: "https://shop.example/?token=sk-secret" }),
    async run(request: BrowserRequest) {
      requests.push(request.do);
      if (request.do === "picture") return ok({ text: "", picture: { mimeType: "image/png", data: png } });
      if (request.do === "console")
        return ok({ text: ["log one", requests.length > 4 ? "log two" : ""].filter(Boolean).join("\n") });
      if (request.do === "click") return err({ kind: "covered", message: "a <b>banner</b> covers it" });
      return ok({ text: `<script>alert(1)</script> sk-secret "quoted" \u202e` });
    },
  };
}

const deps = (folder: string, more: Partial<TraceDeps> = {}): TraceDeps => ({
  folder,
  name: "ses_1",
  clock: systemClock,
  redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
  say() {},
  ...more,
});

async function traceIn(folder: string): Promise<string> {
  const [name = ""] = await readdir(folder);
  return readFile(join(folder, name), "utf8");
}

test("a trace has each action with its screenshot, address and console, and no secret, script or typed text", async () => {
  await using home = await tempHome();
  const sentences: string[] = [];
  const folder = join(home.path, "traces");
  const browser = tracedBrowser(scriptedBrowser(), deps(folder, { say: (sentence) => sentences.push(sentence) }));
  await browser.run({ do: "navigate", url: "https://shop.example/?key=sk-secret" }, signal);
  await browser.run({ do: "type", ref: "@e1", text: "hunter2" }, signal);
  assert.equal((await browser.run({ do: "click", ref: "@e2" }, signal)).ok, false);
  await browser.run({ do: "snapshot", isFull: true }, signal);
  const trace = await traceIn(folder);
  assert.doesNotMatch(trace, /sk-secret|hunter2|<script|<b>|\u202e/u);
  for (const part of [
    "1. navigate https://shop.example/?key=[redacted]",
    "2. type 7 characters in @e1",
    'class="failed"',
    "3. click @e2",
    "4. snapshot",
    "log two",
  ])
    assert.ok(trace.includes(part), part);
  assert.equal(trace.split(`base64,${png}`).length - 1, 3, "reading takes no picture");
  assert.equal(trace.split("log one").length - 1, 1, "lines of the console come once");
  assert.equal(sentences.length, 1);
  assert.equal((await stat(sentences[0]?.replace(/^.* in /u, "") ?? "")).mode & 0o777, 0o600);
});

test("traces have a size limit, old ones are deleted, and an unwritable folder does not fail an action", async () => {
  await using home = await tempHome();
  const limits = { maxBytes: 1_000_000, maxSteps: 3, maxFiles: 2 };
  for (let session = 0; session < 4; session++) {
    const browser = tracedBrowser(scriptedBrowser(), deps(home.path, { limits, name: `s${session}` }));
    for (let step = 0; step < 6; step++) assert.ok((await browser.run({ do: "back" }, signal)).ok);
  }
  const names = await readdir(home.path);
  assert.equal(names.length, 2);
  const trace = await traceIn(home.path);
  assert.equal(trace.split("<section").length - 1, 3);
  assert.match(trace, /The trace is full/u);

  const file = join(home.path, "file");
  await writeFile(file, "");
  const sentences: string[] = [];
  const browser = tracedBrowser(
    scriptedBrowser(),
    deps(join(file, "x"), { say: (sentence) => sentences.push(sentence) }),
  );
  for (let step = 0; step < 2; step++) assert.ok((await browser.run({ do: "back" }, signal)).ok);
  assert.equal(sentences.length, 1);
  assert.match(sentences[0] ?? "", /cannot be written/u);
});
