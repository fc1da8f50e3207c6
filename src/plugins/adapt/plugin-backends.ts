import { checkJson, type JsonObject } from "../../base/json.ts";
import { err } from "../../base/result.ts";
import type { Backend, BackendKind } from "../../contracts/plugin/backend.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import { pluginObject } from "./plugin-object.ts";

const checkTimeoutMs = 5_000;
const timeouts: Readonly<Record<BackendKind, number>> = {
  search: 60_000,
  extract: 120_000,
  browser: 60_000,
  image: 300_000,
  video: 1_800_000,
  speech: 300_000,
  transcription: 600_000,
};
/** The character limit is high because images and audio are sent as base64. */
const limits = { maxChars: 100_000_000, maxDepth: 40 };

/** The services that a plugin provides for Hermes features, such as speech or web search. */
export function pluginBackends(
  { backends }: PluginRegistration,
  client: PluginClient,
  hosts: readonly string[] = [],
): readonly Backend[] {
  return backends.map(({ id, kind, name, title, hasCheck }) => {
    const object = pluginObject(client, id);
    return {
      name: `${kind}:${name}`,
      kind,
      id: name,
      title,
      hosts,
      async isAvailable(signal) {
        if (!hasCheck) return true;
        const answer = await object.call("isAvailable", [], { signal, timeoutMs: checkTimeoutMs });
        return answer.ok && answer.value === true;
      },
      async run(input: JsonObject, signal) {
        const answer = await object.call("run", [input], { signal, timeoutMs: timeouts[kind] });
        if (!answer.ok) return err({ message: answer.error.message });
        const checked = checkJson(answer.value, limits);
        return checked.ok ? checked : err({ message: `plugin ${client.key}: ${name}: ${checked.error}` });
      },
    };
  });
}
