/**
 * Calls per second that one Python script makes: a tool that does nothing, sequentially and 16 in parallel, and
 * `read_file`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import { parsedObject } from "../src/base/json.ts";
import { defineTool } from "../src/contracts/tool/define-tool.ts";
import { text } from "../src/contracts/tool/tool-result.ts";
import { runtimeRig } from "../test/support/runtime-rig.ts";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { textOf } from "../test/support/turn-rig.ts";
import { median, report, rounded } from "./support/measure.ts";

const quick = process.argv.includes("--quick");
const [rounds, calls] = quick ? [1, 30] : [40, 300];
/** Scripts that are not measured: Node compiles the code of the dispatcher again while they run. */
const warmUp = quick ? 0 : 10;

const loads = {
  serial: { what: "no-op, one by one", limit: 4_000 },
  parallel: { what: "no-op, 16 at once", limit: 10_000 },
  files: { what: "read_file of 1 KB", limit: 1_000 },
} as const;

await using home = await tempHome();
const file = join(home.path, "small.txt");
await writeFile(file, `${"x".repeat(63)}\n`.repeat(16));

/** The first call connects, so it is not measured. */
const code = `
import time
from hermes_tools import noop, read_file, parallel
def rate(work):
    started = time.perf_counter()
    work()
    return ${calls} / (time.perf_counter() - started)
def serial():
    for index in range(${calls}):
        assert noop(word="a%d" % index) == "done"
def files():
    for index in range(${calls}):
        assert "xxx" in read_file(path=${JSON.stringify(file)})["content"]
noop(word="first")
parallel([lambda: noop(word="a")] * 16)
print('{"serial": %f, "parallel": %f, "files": %f}' % (
    rate(serial),
    rate(lambda: parallel([lambda: noop(word="a")] * ${calls})),
    rate(files),
))
`;

const noop = defineTool({
  name: "noop",
  toolset: "bench",
  description: "Does nothing.",
  input: z.object({ word: z.string() }),
  traits: { readOnly: true, parallel: true, callers: "both" },
  run: async () => text("done"),
});

const model = scriptedModel((_, index) =>
  index % 2 === 0 ? { calls: [{ id: `code_${index}`, name: "execute_code", args: { code } }] } : { text: "done" },
);
const settings = { toolsets: ["all"], "code_execution.max_tool_calls": 1_000 };
await using runtime = await runtimeRig({ folder: home.path, model, settings });
runtime.registry.add(noop, { kind: "builtin" });
await using session = await runtime.openSession({ source: "bench" });
const rates: Record<keyof typeof loads, number[]> = { serial: [], parallel: [], files: [] };
const cpuUs: number[] = [];
for (let round = 0; round < rounds; round++) {
  const cpu = process.cpuUsage();
  await session.prompt([{ type: "text", text: "go" }]).done;
  const { user, system } = process.cpuUsage(cpu);
  cpuUs.push((user + system) / (3 * calls));
  const last = session.history().findLast((message) => message.role === "tool");
  const { output } = parsedObject(last ? textOf(last) : "");
  if (typeof output !== "string" || !output.startsWith("{")) throw new Error(last && textOf(last));
  const measured = parsedObject(output);
  for (const load of Object.keys(loads) as (keyof typeof loads)[]) rates[load].push(Number(measured[load]));
}
for (const load of Object.keys(loads) as (keyof typeof loads)[]) {
  const { what, limit } = loads[load];
  const aSecond = median(rates[load].slice(warmUp));
  report("code-rpc", `one Python script: ${what}`, {
    callsASecond: rounded(aSecond, 0),
    firstScript: rounded(rates[load][0] ?? 0, 0),
    limit,
    holds: aSecond >= limit,
  });
}
report("code-rpc", "processor time of the host per call, including the start of the script", {
  us: rounded(median(cpuUs.slice(warmUp)), 0),
  holds: true,
});
