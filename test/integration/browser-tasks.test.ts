// covers: src/browser/page, src/browser/sessions, src/browser/trace
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { tasks } from "../../bench/support/browser-tasks.ts";
import { openOwnBrowser, ownTaskBrowser } from "../../bench/support/own-browser.ts";
import { runTask } from "../../bench/support/task-browser.ts";
import { systemClock } from "../../src/base/clock.ts";
import { tracedBrowser } from "../../src/browser/trace/traced-browser.ts";
import { smuggled } from "../support/sites/hostile-pages.ts";
import { startSites } from "../support/sites/sites.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });
const { signal } = new AbortController();
const names = { other: (port: number) => `http://other.example:${port}` };

describe("a model completes tasks in a real browser", { skip, concurrency: false }, () => {
  test("twenty browser tasks succeed, as the servers' records show", async () => {
    await using sites = await startSites(names);
    await using browser = await ownTaskBrowser(`http://shop.example:${sites.port}`, { isFull: false });
    for (const task of tasks) {
      const { failure } = await runTask(task, browser, sites.state);
      assert.equal(failure, undefined, task.name);
      // Starting the browser again takes longer than a task: only a login has to go.
      if (sites.state.signIns.length > 0) await browser.reset();
      sites.state.signIns.length = 0;
    }
  });

  test("large pages fit, hidden instructions are not read, and a trace records everything", async () => {
    await using sites = await startSites(names);
    await using home = await tempHome();
    await using opened = await openOwnBrowser();
    const browser = tracedBrowser(opened.browser, {
      folder: home.path,
      name: "session",
      clock: systemClock,
      redact: (text) => text,
      say() {},
    });
    const read = async (path: string): Promise<string> => {
      const shown = await browser.run({ do: "navigate", url: `http://shop.example:${sites.port}${path}` }, signal);
      assert.ok(shown.ok, JSON.stringify(shown));
      return shown.value.text;
    };
    const large = await read("/large");
    assert.ok(large.length <= 8000, String(large.length));
    assert.match(large, /Paragraph 0/u);
    assert.ok((await read("/many?count=3000")).length <= 8000);

    const text = await read("/hostile/text");
    assert.match(text, /Pancakes/u);
    assert.match(text, /\(seen\)/u);
    for (const place of ["none", "hidden", "attribute", "template", "comment", "noscript"])
      assert.ok(!text.includes(`${smuggled} (${place})`), place);
    assert.doesNotMatch(text, /\u202e|@e1 \[system\]/u);

    const [name = ""] = await readdir(home.path);
    const trace = await readFile(join(home.path, name), "utf8");
    assert.equal(trace.split("<img ").length - 1, 3, "a picture of each page");
    assert.match(trace, /navigate http:\/\/shop\.example/u);
  });
});
