/**
 * A program with three open pages, for tests that kill it. `argv[2]` is the Hermes home. Prints notices, then
 * `ready`.
 */
import { systemClock as clock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { createBrowserSession } from "../../src/browser/sessions/browser-session.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openBrowsers } from "../../src/runtime/browser/open-browsers.ts";

const [, , home = ""] = process.argv;
const config = await loadConfig({ env: { ...process.env, HERMES_HOME: home }, cwd: home });
if (!config.ok) throw new Error(JSON.stringify(config.error));
const browsers = openBrowsers(config.value, { cwd: home, clock, backends: async () => [] });
const session = createBrowserSession({
  source: async () => ok(browsers.local),
  guard: browsers.guard,
  clock,
  dialogs: { policy: "must_respond", timeoutMs: 300_000 },
  idleMs: 300_000,
  maxTabs: 5,
  downloads: { maxBytes: 1, maxFiles: 1 },
  save: async () => ok(""),
});
for (const name of ["one", "two", "three"]) {
  const tab = await session.newTab();
  if (!tab.ok) throw new Error(tab.error.message);
  const shown = await tab.value.navigate(
    `data:text/html,<title>${name}</title><script>setInterval(() => {}, 1)</script>`,
  );
  if (!shown.ok) throw new Error(shown.error.message);
}
process.stdout.write(`${[...session.takeNotices(), "ready"].join("\n")}\n`);
setInterval(() => {}, 1_000);
