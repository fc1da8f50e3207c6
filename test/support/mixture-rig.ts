import { type SettingsRuntime, settingsRuntime } from "./settings-runtime.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./wire-servers/model-server.ts";
import type { RecordedRequest } from "./wire-servers/turn.ts";

type Turns = ModelServerOptions["turns"];

export interface MixtureRig extends SettingsRuntime {
  readonly one: ModelServer;
  readonly two: ModelServer;
  readonly main: ModelServer;
}

/**
 * The whole runtime with the mixture `moa/mix` as its model: two reference models and an aggregator, each with its
 * own server.
 */
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
  const mode = protocol === "anthropic-messages" ? "anthropic_messages" : "chat_completions";
  const { moa, ...others } = settings as { readonly moa?: Readonly<Record<string, unknown>> };
  const opened = await settingsRuntime({
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
    auxiliary: { transient_retries: 0, title_generation: { enabled: false } },
    ...others,
  });
  return {
    ...opened,
    one,
    two,
    main,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      for (const server of [one, two, main]) await server[Symbol.asyncDispose]();
    },
  };
}

/** The messages of a request, each as JSON. */
export function requestTexts(request: RecordedRequest | undefined): readonly string[] {
  const messages: unknown = request?.json["messages"];
  if (!Array.isArray(messages)) return [];
  return messages.map((message) => JSON.stringify(message));
}
