/**
 * Counts the scenarios of the official MCP conformance suite that `hermes mcp serve` and our client pass. The server
 * offers the suite's fixtures as a user's tools, resources and prompts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";

import { sourceFlags } from "../test/support/child-process.ts";
import {
  clientScenarios,
  type ConformanceSuite,
  openConformanceSuite,
  type Scenario,
  serverScenarios,
} from "../test/support/mcp-conformance.ts";
import { npmPrograms } from "../test/support/npm-programs.ts";
import { tokenProxy } from "../test/support/token-proxy.ts";
import { report } from "./support/measure.ts";
import { hermes, makeScene } from "./support/programs.ts";

/** The smallest suites: two scenarios of the server and two of the client. */
const isQuick = process.argv.includes("--quick");
const support = join(import.meta.dirname, "..", "test", "support");
const fixtures = join(import.meta.dirname, "..", "test", "fixtures", "mcp-conformance");
const { folder, skip } = await npmPrograms("mcp");
if (skip !== false) {
  for (const side of ["server", "client"]) report("mcp-conformance", `${side} scenarios`, { skipped: skip });
} else {
  const suite = await openConformanceSuite(folder, !isQuick);
  // Some scenarios check times, so the two sides run at the same time only in a quick run.
  const server = measureServer(suite);
  if (!isQuick) await server;
  await measureClient(suite);
  await server;
}

async function measureClient(suite: ConformanceSuite): Promise<void> {
  const client = join(support, "mcp-conformance-client.ts");
  const command = `${process.execPath} ${sourceFlags.join(" ")} ${client}`;
  tell("client", await clientScenarios(suite, command, isQuick ? "backcompat" : "all"), 20);
}

async function measureServer(suite: ConformanceSuite): Promise<void> {
  using scene = makeScene("http://127.0.0.1:9");
  cpSync(fixtures, join(scene.home, "tools"), { recursive: true });
  const token = crypto.randomUUID();
  const [node = "", ...args] = hermes("mcp", "serve", "--http", "--toolset", "conformance");
  const child = spawn(node, args, {
    cwd: scene.folder,
    env: { ...scene.env, HERMES_MCP_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let output = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const match = /listening on \S+:(\d+)\/mcp/u.exec(output)?.[1];
        if (match !== undefined) resolve(Number(match));
      });
      void exited.then(() => reject(new Error(`hermes mcp serve ended: ${output}`)));
    });
    await using proxy = await tokenProxy(port, token);
    tell("server", await serverScenarios(suite, `http://localhost:${proxy.port}/mcp`, isQuick ? "pending" : "all"), 30);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

/** Scenarios of drafts and extensions are reported, but they do not affect `holds`. */
function tell(side: string, scenarios: readonly Scenario[], limitOfAll: number): void {
  const [dated, others] = [scenarios.filter(({ isDated }) => isDated), scenarios.filter(({ isDated }) => !isDated)];
  const limit = isQuick ? dated.length : limitOfAll;
  const passed = (some: readonly Scenario[]): number => some.filter(({ hasPassed }) => hasPassed).length;
  report("mcp-conformance", `${side} scenarios with a dated protocol version`, {
    passed: passed(dated),
    of: dated.length,
    otherPassed: passed(others),
    others: others.length,
    failed: scenarios.flatMap(({ name, hasPassed }) => (hasPassed ? [] : [name])).join(", "),
    limit,
    holds: passed(dated) >= limit,
  });
}
