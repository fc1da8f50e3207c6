/**
 * Time that the sandbox adds to the command `true` in the terminal tool, measured over the whole path of a call,
 * alternately with and without the sandbox.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { asId, type CallId } from "../src/base/ids.ts";
import { loadConfig } from "../src/config/load.ts";
import { openToolbox } from "../src/runtime/calls/open-toolbox.ts";
import { missingPrograms } from "../test/support/system-programs.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";

const what = "time that isolation adds to the command true, p50";
const limitMs = 7;
const missing = missingPrograms({ bwrap: "bubblewrap" });
if (missing === false) await measure();
else report("isolation", what, { skipped: missing });

async function measure(): Promise<void> {
  await using home = await tempHome();
  const cwd = join(home.path, "project");
  // Creates a typical home folder with some caches and some keys.
  for (const name of ["project", ".npm", ".cache", ".cargo/registry", ".ssh", ".aws", ".gnupg"])
    await mkdir(join(home.path, name), { recursive: true });
  const { signal } = new AbortController();
  const open = async (mode: "on" | "off") => {
    const env = { PATH: process.env["PATH"], HOME: home.path, HERMES_HOME: join(home.path, `.hermes-${mode}`) };
    const config = await loadConfig({ env, cwd, overrides: { "isolation.mode": mode } });
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    return openToolbox(config.value, { cwd, principal: { id: "local:bench" }, signal });
  };
  await using off = await open("off");
  await using on = await open("on");
  const call = (toolbox: typeof on, isConfined: boolean) => async () => {
    const request = { id: asId<CallId>("call_bench"), name: "terminal", args: { command: "true" } };
    const result = await toolbox.call(request, signal);
    const text = JSON.stringify(result);
    if (!result.ok || text.includes("sandbox") !== isConfined) throw new Error(text);
  };
  const contenders = { off: call(off, false), on: call(on, true) };
  await interleaved(contenders, 10);
  const times = await interleaved(contenders, process.argv.includes("--quick") ? 5 : 300);
  const addedMs = median(times.on) - median(times.off);
  report("isolation", what, {
    ms: rounded(addedMs, 2),
    onMs: rounded(median(times.on), 2),
    offMs: rounded(median(times.off), 2),
    onP99Ms: rounded(quantile(times.on, 0.99), 2),
    limitMs,
    holds: addedMs <= limitMs,
  });
}
