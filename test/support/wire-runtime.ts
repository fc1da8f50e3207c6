import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { loadConfig } from "../../src/config/load.ts";
import type { Runtime } from "../../src/contracts/runtime.ts";
import { openRuntime } from "../../src/runtime/session/open-runtime.ts";
import { tempHome } from "./temp-home.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./wire-servers/model-server.ts";
import type { RecordedRequest } from "./wire-servers/turn.ts";

export interface WireRuntime extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly server: ModelServer;
  readonly cwd: string;
}

/** The whole runtime as the program opens it, with a scripted server as its only model, over real HTTP. */
export async function wireRuntime(
  turns: ModelServerOptions["turns"],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<WireRuntime> {
  const server = await startModelServer({ protocol: "openai-chat", turns });
  const folder = await tempHome();
  const cwd = join(folder.path, "work");
  const home = join(folder.path, "home");
  await mkdir(cwd);
  await mkdir(home);
  await writeFile(
    join(home, "config.yaml"),
    JSON.stringify({
      model: { provider: "custom", default: "m1", base_url: server.url },
      isolation: { mode: "off" },
      agent: { api_max_retries: 0 },
      ...settings,
    }),
  );
  const env = { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home };
  const config = await loadConfig({ env, cwd });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const runtime = await openRuntime(config.value, { cwd, signal: new AbortController().signal });
  return {
    runtime,
    server,
    cwd,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What was asked last, as text. */
export function lastWords({ json }: RecordedRequest): string {
  const { messages } = json;
  return JSON.stringify(Array.isArray(messages) ? messages.at(-1) : "");
}
