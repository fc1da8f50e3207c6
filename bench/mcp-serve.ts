/**
 * Measures MCP as a server: start time and a no-op call of `hermes mcp serve`, compared with a bare server of the
 * official library.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { bareTransport, connectOfficial } from "./support/mcp-client.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { hermes, makeScene } from "./support/programs.ts";

/** The no-op tool is a user's own tool. */
const noopTool = `import { defineTool, z } from "hermes-agent-ts/plugin";
export default defineTool({
  name: "noop",
  description: "Does nothing",
  input: z.object({}),
  traits: { readOnly: true, parallel: true },
  run: () => "done",
});
`;

const quick = process.argv.includes("--quick");
using scene = makeScene("http://127.0.0.1:9");
// The transport of the official library accepts only string values here.
const env = Object.fromEntries(Object.entries(scene.env).flatMap(([key, value]) => (value ? [[key, value]] : [])));
const [command = "", ...args] = hermes("mcp", "serve");
const quietly = { command, env, cwd: scene.folder, stderr: "ignore" } as const;
const withTool = () => new StdioClientTransport({ ...quietly, args: [...args, "--toolset", "user"] });
const transports = {
  bare: bareTransport,
  ours: quick ? withTool : () => new StdioClientTransport({ ...quietly, args }),
};
const addTool = () => {
  mkdirSync(join(scene.home, "tools"));
  writeFileSync(join(scene.home, "tools", "noop.tool.mjs"), noopTool);
};
// A quick run starts each server once, so it uses the servers of the first measurement for the second one.
if (quick) addTool();
const open: { bare?: Client; ours?: Client } = {};
const readyMs = { bare: [] as number[], ours: [] as number[] };
const contenders = { bare: () => ready("bare"), ours: () => ready("ours") };
if (!quick) await interleaved(contenders, 1);
for (const who of ["bare", "ours"] as const) readyMs[who] = [];
await interleaved(contenders, quick ? 1 : 21);
const ratio = median(readyMs.ours) / median(readyMs.bare);
report("mcp-serve", "time until hermes mcp serve has listed its tools, compared with a bare server of the library", {
  ms: rounded(median(readyMs.ours), 1),
  bareMs: rounded(median(readyMs.bare), 1),
  ratio: rounded(ratio, 2),
  limit: 2,
  holds: ratio <= 2,
});

if (!quick) addTool();
const [bare, ours] = [
  open.bare ?? (await connectOfficial(transports.bare())),
  open.ours ?? (await connectOfficial(withTool())),
];
const first = await ours.callTool({ name: "noop", arguments: {} });
if (first.isError) throw new Error(JSON.stringify(first));
const calls = {
  bare: () => bare.callTool({ name: "noop", arguments: {} }),
  ours: () => ours.callTool({ name: "noop", arguments: {} }),
};
await interleaved(calls, quick ? 10 : 200);
const times = await interleaved(calls, quick ? 10 : 1_000);
const more = median(times.ours) - median(times.bare);
report("mcp-serve", "a no-op call of hermes mcp serve, compared with a bare server", {
  ms: rounded(median(times.ours)),
  bareMs: rounded(median(times.bare)),
  moreMs: rounded(more),
  limitMs: 1,
  holds: more <= 1,
});
await bare.close();
await ours.close();

async function ready(who: keyof typeof transports): Promise<void> {
  const startedAt = performance.now();
  const client = await connectOfficial(transports[who]());
  await client.listTools();
  readyMs[who].push(performance.now() - startedAt);
  if (quick) open[who] = client;
  else await client.close();
}
