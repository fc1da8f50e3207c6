import { isObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { SecretSourceContribution } from "../../contracts/plugin/plugin.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import { pluginObject } from "./plugin-object.ts";

const fetchTimeoutMs = 15_000;
const maxSecretChars = 100_000;

/** The secret sources of a plugin. Values for names that were not requested are ignored. */
export function pluginSecretSources(
  { secretSources }: PluginRegistration,
  client: PluginClient,
): readonly SecretSourceContribution[] {
  return secretSources.map(({ id, name }) => ({
    name: `${client.key}:${name}`,
    async fetch(names, signal) {
      const limits = { signal, timeoutMs: fetchTimeoutMs };
      const answer = await pluginObject(client, id).call("fetch", [[...names]], limits);
      if (!answer.ok) return err({ message: answer.error.message });
      if (!isObject(answer.value))
        return err({ message: `plugin ${client.key}: ${name} did not return an object of values` });
      const entries = Object.entries(answer.value).filter(
        ([key, value]) => names.includes(key) && typeof value === "string" && value.length <= maxSecretChars,
      );
      // The cast is safe: values that are not strings were filtered out above.
      return ok(Object.fromEntries(entries) as Record<string, string>);
    },
  }));
}
