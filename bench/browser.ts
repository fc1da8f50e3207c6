/**
 * The browser against bare playwright-core (`ariaSnapshot({mode: "ai"})`) and agent-browser: time to the first snapshot,
 * time of a large snapshot, and the bytes that a model reads in twenty tasks. `--times` and `--tasks` select a part.
 */
import { createRequire } from "node:module";
import { join } from "node:path";

import { headlessShell } from "../test/support/cloud-browser-server.ts";
import { npmPrograms } from "../test/support/npm-programs.ts";
import { type Sites, startSites } from "../test/support/sites/sites.ts";
import { missingPrograms } from "../test/support/system-programs.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { tasks } from "./support/browser-tasks.ts";
import { median, report, rounded } from "./support/measure.ts";
import { openOwnBrowser, type OwnBrowser, ownTaskBrowser } from "./support/own-browser.ts";
import { agentBrowser, peerArguments, playwrightBrowser } from "./support/peer-browsers.ts";
import { runTask, type TaskBrowser, type TaskOutcome } from "./support/task-browser.ts";

const isQuick = process.argv.includes("--quick");
const programs = await npmPrograms("browser");
const skipped = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" }) || programs.skip;
if (skipped) report("browser", "everything", { skipped });
else {
  await using sites = await startSites({ other: (port) => `http://other.example:${port}` });
  // The other browsers cannot resolve `other.example`, so their pages link to the second site by its address.
  await using plainSites = await startSites();
  const [named, plain] = [`http://shop.example:${sites.port}`, plainSites.origin];
  if (!process.argv.includes("--tasks")) await measureTimes(named, plain);
  if (!process.argv.includes("--times")) await measureTasks(sites, named, plainSites, plain);
}

async function measureTimes(named: string, plain: string): Promise<void> {
  const { signal } = new AbortController();
  const { chromium } = createRequire(join(programs.folder, "x.js"))("playwright-core");
  const launch = () => chromium.launch({ executablePath: headlessShell, args: peerArguments });
  const rounds = isQuick ? 1 : 11;
  const timed = async (run: () => Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    await run();
    return performance.now() - startedAt;
  };
  const shown = async (opened: OwnBrowser, path: string): Promise<string> => {
    const answered = await opened.browser.run({ do: "navigate", url: `${named}${path}` }, signal);
    if (!answered.ok) throw new Error(answered.error.message);
    return answered.value.text;
  };

  const first: Times = { own: [], peer: [] };
  for (let round = 0; round < rounds; round++) {
    await using opened = await openOwnBrowser();
    first.own.push(await timed(() => shown(opened, "/shop")));
    await opened.browser.run({ do: "close" }, signal);
    let browser: Awaited<ReturnType<typeof launch>>;
    const peer = await timed(async () => {
      browser = await launch();
      const page = await browser.newPage();
      await page.goto(`${plain}/shop`);
      await page.ariaSnapshot({ mode: "ai" });
    });
    first.peer.push(peer);
    await browser.close();
  }
  compare("from the first call to a snapshot, starting the browser", first, 0.8);

  await using opened = await openOwnBrowser();
  const browser = await launch();
  const page = await browser.newPage();
  await shown(opened, "/hotel");
  await page.goto(`${plain}/hotel`);
  const paths = ["/shop", "/table", "/form", "/hotel"];
  const running: Times = { own: [], peer: [] };
  for (let round = 0; round < rounds; round++) {
    const path = paths[round % paths.length] ?? "";
    running.own.push(await timed(() => shown(opened, path)));
    running.peer.push(
      await timed(async () => {
        await page.goto(`${plain}${path}`);
        await page.ariaSnapshot({ mode: "ai" });
      }),
    );
  }
  compare("from a navigation to a snapshot, browser already running", running, 0.5);

  const elements = isQuick ? 300 : 3000;
  await shown(opened, `/many?count=${elements}`);
  await page.goto(`${plain}/many?count=${elements}`);
  const large: Times = { own: [], peer: [] };
  let chars = 0;
  for (let round = 0; round < rounds; round++) {
    large.own.push(
      await timed(async () => {
        const answered = await opened.browser.run({ do: "snapshot", isFull: false }, signal);
        chars = answered.ok ? answered.value.text.length : Number.NaN;
      }),
    );
    large.peer.push(await timed(() => page.ariaSnapshot({ mode: "ai" })));
  }
  await browser.close();
  compare(`snapshot of ${elements.toLocaleString("en")} elements`, large, 0.3, { chars, isShort: chars <= 8000 });
}

interface Times {
  readonly own: number[];
  readonly peer: number[];
}

function compare(
  what: string,
  { own, peer }: Times,
  limit: number,
  more: { chars?: number; isShort?: boolean } = {},
): void {
  const ratio = median(own) / median(peer);
  report("browser", what, {
    ms: rounded(median(own), 1),
    playwrightMs: rounded(median(peer), 1),
    ratio: rounded(ratio, 2),
    ...(more.chars !== undefined && { chars: more.chars }),
    reach: `at most ${limit} times`,
    holds: ratio <= limit && more.isShort !== false,
  });
}

async function measureTasks(sites: Sites, named: string, plainSites: Sites, plain: string): Promise<void> {
  await using scratch = await tempHome();
  const chosen = isQuick ? tasks.slice(10, 11) : tasks;
  const contenders: Readonly<Record<string, () => Promise<[TaskBrowser, Sites]>>> = {
    own: async () => [await ownTaskBrowser(named, { isFull: false }), sites],
    playwright: async () => [await playwrightBrowser(programs.folder, plain), plainSites],
    ...(!isQuick && {
      ownFull: async () => [await ownTaskBrowser(named, { isFull: true }), sites],
      agentBrowser: async () => [
        await agentBrowser(programs.folder, plain, `bench-${process.pid}`, scratch.path),
        plainSites,
      ],
    }),
  };
  const outcomes: Record<string, readonly TaskOutcome[]> = {};
  for (const [name, open] of Object.entries(contenders)) {
    const [browser, { state }] = await open();
    await using _ = browser;
    const done: TaskOutcome[] = [];
    for (const task of chosen) {
      for (const list of [state.orders, state.signIns, state.bookings, state.forms, state.reports]) list.length = 0;
      state.carts.clear();
      const startedAt = performance.now();
      const outcome = await runTask(task, browser, state);
      const seconds = rounded((performance.now() - startedAt) / 1000, 1);
      const { bytes, calls, failure } = outcome;
      process.stderr.write(
        `${name}, ${done.length + 1} of ${chosen.length}, ${task.name}: ${bytes} bytes, ${calls} calls, ${seconds} s` +
          `${failure === undefined ? "" : `; failed: ${failure.slice(0, 300)}`}\n`,
      );
      done.push(outcome);
      await browser.reset();
    }
    outcomes[name] = done;
  }
  const bytes = (name: string, isCounted: (index: number) => boolean = () => true) =>
    (outcomes[name] ?? []).reduce((sum, outcome, index) => sum + (isCounted(index) ? outcome.bytes : 0), 0);
  const successes = (name: string) => (outcomes[name] ?? []).filter(({ failure }) => failure === undefined).length;
  for (const [peer, what, limit] of [
    ["ownFull", "compared with our own full snapshot after each action", 0.4],
    ["playwright", "compared with playwright's snapshot after each action", 0.4],
    ["agentBrowser", "compared with agent-browser snapshot -i", 0.8],
  ] as const) {
    if (outcomes[peer] === undefined) continue;
    // Excludes tasks that the other browser does not finish: it read few bytes only because it stopped early.
    const isCounted = (index: number) => outcomes[peer]?.[index]?.failure === undefined;
    const ratio = bytes("own", isCounted) / bytes(peer, isCounted);
    report("browser", `bytes read in ${chosen.length} tasks, ${what}`, {
      bytes: bytes("own", isCounted),
      peerBytes: bytes(peer, isCounted),
      ratio: rounded(ratio, 2),
      done: successes("own"),
      peerDone: successes(peer),
      reach: `at most ${limit} times, all tasks done`,
      holds: ratio <= limit && successes("own") === chosen.length,
    });
  }
}
