/** Calls a second that one running call can make: a tool that does nothing, one by one and 16 at once, and `read_file`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import type { JsonObject } from "../src/base/json.ts";
import { defineTool } from "../src/contracts/tool/define-tool.ts";
import { type CallTool, text } from "../src/contracts/tool/tool-result.ts";
import { runtimeRig } from "../test/support/runtime-rig.ts";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { median, report, rounded } from "./support/measure.ts";

const quick = false; const only = process.argv[2] ?? "";

interface Load {
  readonly what: string;
  readonly tool: string;
  readonly args: (index: number) => JsonObject;
  readonly lanes: number;
  readonly leastASecond: number;
}

await using home = await tempHome();
const file = join(home.path, "small.txt");
await writeFile(file, `${"x".repeat(63)}\n`.repeat(16));
const loads: readonly Load[] = [
  { what: "no-op, one by one", tool: "noop", args: (index) => ({ word: `a${index}` }), lanes: 1, leastASecond: 4_000 },
  { what: "no-op, 16 at once", tool: "noop", args: (index) => ({ word: `a${index}` }), lanes: 16, leastASecond: 10_000 },
  { what: "read_file of 1 KB", tool: "read_file", args: () => ({ path: file }), lanes: 1, leastASecond: 1_000 },
];
const noop = defineTool({
  name: "noop",
  toolset: "bench",
  description: "Does nothing.",
  input: z.object({ word: z.string() }),
  traits: { readOnly: true, parallel: true, callers: "both" },
  run: async () => text("done"),
});

const callsOfRound = Number(process.argv[4] ?? 960);
let current: Load | undefined;
const rates: number[] = [];
const cpuUs: number[] = [];
const driver = defineTool({
  name: "driver",
  toolset: "bench",
  description: "Calls another tool many times.",
  input: z.object({}),
  needs: ["call"],
  effects: () => [],
  async run(_, { call }) {
    if (current) rates.push(await rateOf(current, call));
    return text("done");
  },
});

const rounds = Number(process.argv[3] ?? 6);
const model = scriptedModel((_, index) =>
  index % 2 === 0 ? { calls: [{ id: `driver_${index}`, name: "driver", args: {} }] } : { text: "done" },
);
await using runtime = await runtimeRig({ folder: home.path, model, settings: { toolsets: ["all"] } });
runtime.registry.add(noop, { kind: "builtin" });
runtime.registry.add(driver, { kind: "builtin" });
await using session = await runtime.openSession({ source: "bench" });
for (const load of loads.filter(({ what }) => what.includes(only))) {
  current = load;
  rates.length = 0;
  cpuUs.length = 0;
  for (let round = 0; round < rounds; round++) await session.prompt([{ type: "text", text: "go" }]).done;
  if (rates.length !== rounds) throw new Error(`${rates.length} of ${rounds} rounds ran`);
  const aSecond = median(quick ? rates : rates.slice(2));
  report("code-rpc", `in process: ${load.what}`, {
    callsASecond: rounded(aSecond, 0),
    hostCpuUs: rounded(median(cpuUs.slice(quick ? 0 : 2)), 0),
    limit: load.leastASecond,
    holds: aSecond >= load.leastASecond,
  });
}

async function rateOf({ tool, args, lanes }: Load, call: CallTool): Promise<number> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let started = 0;
  const lane = async () => {
    while (started < callsOfRound) {
      const result = await call(tool, args(started++));
      if (!result.ok) throw new Error(result.error.message);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const { user, system } = process.cpuUsage(cpu);
  cpuUs.push((user + system) / callsOfRound);
  return (callsOfRound / (performance.now() - startedAt)) * 1000;
}
