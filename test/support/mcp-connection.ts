import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { systemClock as clock } from "../../src/base/clock.ts";
import { err, type Result } from "../../src/base/result.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { McpConnection, McpFault, McpServerRequests } from "../../src/contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../src/contracts/mcp/server-entry.ts";
import { readMcpEntries } from "../../src/mcp/entries/read-entries.ts";
import { mcpConnector } from "../../src/runtime/mcp/connect.ts";
import { tempHome } from "./temp-home.ts";

export interface McpConnectionRig extends AsyncDisposable {
  /** The workspace of the connections. */
  readonly work: string;
  /** Log messages of servers. */
  readonly logged: readonly string[];
  /** Messages for the user. */
  readonly reports: readonly string[];
  /** Connects to a server that is described like an entry of `mcp_servers`. */
  connect(settings: object, signal?: AbortSignal): Promise<Result<McpConnection, McpFault>>;
}

/** Real connections to servers, with a separate Hermes home. Open connections close at the end. */
export async function mcpConnectionRig(requests: Partial<McpServerRequests> = {}): Promise<McpConnectionRig> {
  const folder = await tempHome();
  const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(home);
  await mkdir(work);
  const env = { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home };
  const config = await loadConfig({ env, cwd: work, user: "tester" });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const reports: string[] = [];
  const connectMcp = mcpConnector(config.value, {
    clock,
    workspace: work,
    report: (_server, sentence) => void reports.push(sentence),
    authorize: (_server, _target, fetch) => fetch,
  });
  const opened: McpConnection[] = [];
  const logged: string[] = [];
  const answers: McpServerRequests = {
    sample: async () => err({ message: "nobody is here" }),
    elicit: async () => err({ message: "nobody is here" }),
    roots: () => [{ uri: `file://${work}`, name: "work" }],
    log: ({ text }) => void logged.push(text),
    ...requests,
  };
  return {
    work,
    logged,
    reports,
    async connect(settings, signal = new AbortController().signal) {
      const connection = await connectMcp(entryOf(settings), answers, signal);
      if (connection.ok) opened.push(connection.value);
      return connection;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of opened) await connection[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function entryOf(settings: object): McpServerEntry {
  // The cast is safe: settings come from JSON.
  const raw = JSON.parse(JSON.stringify({ tested: settings }));
  const { entries, problems } = readMcpEntries(raw, { userFolder: "/nowhere", profile: "default" });
  if (!entries[0]) throw new Error(JSON.stringify(problems));
  return entries[0];
}
