import type { Runtime } from "../../src/contracts/session/runtime.ts";
import { settingsRuntime } from "./settings-runtime.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./wire-servers/model-server.ts";
import type { RecordedRequest } from "./wire-servers/turn.ts";

export interface WireRuntime extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly server: ModelServer;
  readonly cwd: string;
  readonly home: string;
}

/** The whole runtime as the program opens it, with a scripted server as its only model, over real HTTP. */
export async function wireRuntime(
  turns: ModelServerOptions["turns"],
  settings: Readonly<Record<string, unknown>> = {},
  prepare?: (home: string) => Promise<void>,
): Promise<WireRuntime> {
  const server = await startModelServer({ protocol: "openai-chat", turns });
  const opened = await settingsRuntime(
    { model: { provider: "custom", default: "m1", base_url: server.url }, ...settings },
    prepare,
  );
  return {
    runtime: opened.runtime,
    server,
    cwd: opened.cwd,
    home: opened.home,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The last message of a request, as text. */
export function lastWords({ json }: RecordedRequest): string {
  const { messages } = json;
  return JSON.stringify(Array.isArray(messages) ? messages.at(-1) : "");
}
