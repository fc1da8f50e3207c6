import { err, ok, type Result } from "../../src/base/result.ts";
import type { PluginClient, PluginFault, PluginRequestLimits } from "../../src/contracts/plugin/client.ts";
import type { PluginRequests } from "../../src/contracts/plugin/wire.ts";

type Answers = {
  readonly [M in keyof PluginRequests]?: (params: PluginRequests[M]["params"], limits: PluginRequestLimits) => unknown;
};

export interface ScriptedClient extends PluginClient {
  /** `tool.run forecast`, in the order received. */
  readonly requests: string[];
}

/** A plugin whose process answers as scripted. A thrown fault becomes the fault of the request. */
export function scriptedClient(answers: Answers, key = "weather"): ScriptedClient {
  const requests: string[] = [];
  return {
    key,
    requests,
    async request(method, params, limits): Promise<Result<unknown, PluginFault>> {
      const { name, id, method: called } = params as { name?: string; id?: string; method?: string };
      requests.push([method, name ?? id, called].filter((word) => word !== undefined).join(" "));
      const answer = answers[method];
      if (!answer) return err({ kind: "failed", message: `plugin ${key}: ${method} is not scripted` });
      try {
        return ok(await answer(params, limits));
      } catch (thrown) {
        return err({ kind: "failed", message: `plugin ${key}, main.py, line 3: ${String(thrown)}` });
      }
    },
    observe() {},
    async [Symbol.asyncDispose]() {},
  };
}
