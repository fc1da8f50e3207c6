import { basename } from "node:path";
import { pathToFileURL } from "node:url";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpServerDeps } from "../../mcp/fleet/mcp-server.ts";
import type { ServerLogs } from "../../mcp/fleet/server-logs.ts";
import { type AnswerServerDeps, answerServers } from "./answer-server.ts";
import { advisoryCheck } from "./check-advisories.ts";
import { mcpConnector } from "./connect.ts";
import { openServerPrograms } from "./server-programs.ts";
import { openMcpSignIns } from "./sign-in.ts";

export interface WireServersDeps extends Pick<AnswerServerDeps, "sessions" | "models" | "log"> {
  readonly cwd: string;
  readonly clock: Clock;
  /** The folder that servers may work in. */
  readonly workspace: string;
  readonly logs: ServerLogs;
  readonly say: (sentence: string) => void;
}

/** How servers are accepted, connected and answered. Loaded when the first server is used. */
export type WiredServers = Pick<McpServerDeps, "connector" | "startFault"> & Disposable;

export function wireServers(config: LoadedConfig, deps: WireServersDeps): WiredServers {
  const { workspace, logs, say } = deps;
  const programs = once(() => openServerPrograms(config, deps));
  const signIns = openMcpSignIns(config, deps.clock);
  const report = (server: string, sentence: string) => {
    logs.add(server, { level: "warning", logger: "hermes", text: sentence });
    say(sentence);
  };
  const connect = mcpConnector(config, { ...deps, report, authorize: signIns.authorize });
  const checkAdvisories = advisoryCheck(config, { ...deps, report });
  const roots = [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }];
  const answer = answerServers({ ...deps, roots: () => roots, logOf: (name) => (line) => logs.add(name, line) });
  return {
    connector(entry, runningCalls) {
      const requests = answer(entry, runningCalls);
      return (signal) => connect(entry, requests, signal);
    },
    async startFault(entry, signal) {
      await checkAdvisories(entry, signal);
      return programs().startFault(entry);
    },
    [Symbol.dispose]: () => signIns[Symbol.dispose](),
  };
}
