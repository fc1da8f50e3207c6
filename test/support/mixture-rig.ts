import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type LoadedConfig, loadConfig } from "../../src/config/load.ts";
import type { Runtime } from "../../src/contracts/runtime.ts";
import { openRuntime } from "../../src/runtime/session/open-runtime.ts";
import { tempHome } from "./temp-home.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./wire-servers/model-server.ts";
import type { RecordedRequest } from "./wire-servers/turn.ts";

type Turns = ModelServerOptions["turns"];

export interface MixtureRig extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly config: LoadedConfig;
  readonly one: ModelServer;
  readonly two: ModelServer;
  readonly main: ModelServer;
  readonly home: string;
  readonly cwd: string;
}

/** The whole runtime with the mixture `moa/mix` as its model: two references and an aggregator, each a server of its own. */
export async function mixtureRig(
  turns: { readonly one?: Turns; readonly two?: Turns; readonly main?: Turns },
  settings: Readonly<Record<string, unknown>> = {},
  protocol: ModelServerOptions["protocol"] = "openai-chat",
): Promise<MixtureRig> {
  const start = (of: Turns, kind: ModelServerOptions["protocol"] = "openai-chat") =>
    startModelServer({ protocol: kind, turns: of });
  const one = await start(turns.one ?? (() => ({ text: "one says" })));
  const two = await start(turns.two ?? (() => ({ text: "two says" })));
  const main = await start(turns.main ?? (() => ({ text: "final" })), protocol);
  const folder = await tempHome();
  const cwd = join(folder.path, "work");
  const home = join(folder.path, "home");
  await mkdir(cwd);
  await mkdir(home);
  const mode = protocol === "anthropic-messages" ? "anthropic_messages" : "chat_completions";
  const { moa, ...others } = settings as { readonly moa?: Readonly<Record<string, unknown>> };
  await writeFile(
    join(home, "config.yaml"),
    JSON.stringify({
      model: "moa/mix",
      custom_providers: [
        { name: "one", base_url: one.url },
        { name: "two", base_url: two.url },
        { name: "main", base_url: main.url, api_mode: mode },
      ],
      moa: {
        presets: {
          mix: {
            reference_models: [
              { provider: "custom:one", model: "r1" },
              { provider: "custom:two", model: "r2" },
            ],
            aggregator: { provider: "custom:main", model: "a1" },
          },
        },
        ...moa,
      },
      isolation: { mode: "off" },
      agent: { api_max_retries: 0 },
      auxiliary: { transient_retries: 0, title_generation: { enabled: false } },
      ...others,
    }),
  );
  const env = { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home };
  const config = await loadConfig({ env, cwd });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const runtime = await openRuntime(config.value, { cwd, signal: new AbortController().signal });
  return {
    runtime,
    config: config.value,
    one,
    two,
    main,
    home,
    cwd,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      for (const server of [one, two, main]) await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The messages of a request, each as JSON. */
export function told(request: RecordedRequest | undefined): readonly string[] {
  const messages: unknown = request?.json["messages"];
  if (!Array.isArray(messages)) return [];
  return messages.map((message) => JSON.stringify(message));
}
