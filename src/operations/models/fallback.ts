import type { JsonObject, JsonValue } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { Models } from "../../runtime/models/models.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";
import { hasKey } from "./model.ts";

export const operations = {
  list: readOperation({
    summary: "List the models that Hermes tries when the first one fails",
    needs: ["config", "models"],
    async run(_input, { config, models }) {
      const fallbacks = entriesOf(config).map((entry) => ({ ...entry, state: stateOf(entry, models) }));
      return ok({ fallbacks });
    },
  }),

  add: writeOperation({
    summary: "Add a fallback model",
    input: object({
      model: string("provider/model"),
      provider: optional(string("the provider, if the name does not include it")),
      baseUrl: optional(string("the address of a server")),
      keyEnv: optional(string("the variable with the key for that address")),
      first: optional(flag("add it at the beginning; default: at the end")),
    }),
    needs: ["config", "models"],
    async run({ model: requested, provider, baseUrl, keyEnv, first = false }, { config, models }, ctx) {
      const given = withoutUndefined({ base_url: baseUrl, key_env: keyEnv });
      const { provider: current, base_url: ownUrl, key_env: ownKey } = config.values.model;
      const isOwnServer = baseUrl === undefined && ownUrl !== "" && [current, ""].includes(provider ?? "");
      const staysThere = isOwnServer && (!requested.includes("/") || requested.startsWith(`${current}/`));
      // Another model of the server in use needs its address too.
      const address = staysThere ? { base_url: ownUrl, ...(ownKey !== "" && { key_env: ownKey }), ...given } : given;
      const named = baseUrl !== undefined && provider === undefined ? "custom" : provider;
      const resolved = models.resolve({ model: requested, ...withoutUndefined({ provider: named }), at: address });
      if (!resolved.ok) return resolved;
      if (resolved.value === "offline" && !/^offline\b/u.test(requested))
        return err({ message: `${requested} names no provider.`, hint: "Use provider/model, or add --provider." });
      if (resolved.value === "offline") return err({ message: "The built-in model cannot be a fallback." });
      if (resolved.value.mixture) return err({ message: "A mixture of agents cannot be a fallback." });
      const { providerId, model, keys } = resolved.value;
      const before = entriesOf(config);
      const isSame = (entry: Entry) =>
        entry.provider === providerId && entry.model === model && (entry.base_url ?? "") === (address.base_url ?? "");
      if (before.some(isSame)) return err({ message: `${providerId}/${model} is in the list already.` });
      const entry = { provider: providerId, model, ...address };
      const written = await write(first ? [entry, ...before] : [...before, entry], config, ctx);
      if (!written.ok) return written;
      const notes = hasKey(resolved.value, models) ? [] : [`There is no key yet. ${keys.advice}`];
      return ok({ ...written.value, added: `${providerId}/${model}`, notes });
    },
  }),

  remove: writeOperation({
    summary: "Remove a fallback model",
    input: object({ which: string("number in the list, or provider/model") }),
    needs: ["config"],
    async run({ which }, { config }, ctx) {
      const before = entriesOf(config);
      const index = /^\d+$/u.test(which)
        ? Number(which) - 1
        : before.findIndex(({ provider, model }) => `${provider}/${model}` === which || model === which);
      const entry = before[index];
      if (!entry) return err({ message: `There is no fallback ${which}.`, hint: "`hermes fallback list` shows them." });
      const written = await write(before.toSpliced(index, 1), config, ctx);
      return written.ok ? ok({ ...written.value, removed: `${entry.provider}/${entry.model}` }) : written;
    },
  }),

  clear: writeOperation({
    summary: "Remove all fallback models",
    needs: ["config"],
    run: (_input, { config }, ctx) => write([], config, ctx),
  }),
};

interface Entry {
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
  readonly key_env?: string;
  readonly [more: string]: JsonValue | undefined;
}

function entriesOf({ values }: LoadedConfig): readonly Entry[] {
  return values.fallback_providers.map((entry) => withoutUndefined(entry));
}

function stateOf({ provider = "", model = "", base_url = "", key_env = "" }: Entry, models: Models): string {
  if (provider === "" || model === "") return "ignored: it needs provider and model";
  const resolved = models.resolve({ provider, model, at: { base_url, key_env } });
  if (!resolved.ok) return resolved.error.message;
  if (resolved.value === "offline") return "ignored: the built-in model cannot be a fallback";
  if (resolved.value.mixture) return "ignored: a mixture cannot be a fallback";
  return hasKey(resolved.value, models) ? "ready" : `no key. ${resolved.value.keys.advice}`;
}

async function write(fallbacks: readonly Entry[], config: LoadedConfig, ctx: OperationContext) {
  // The cast is safe: entries without undefined values are JSON.
  const value = fallbacks.length === 0 ? undefined : (fallbacks as readonly JsonObject[]);
  const written = await writeSettings(config, [{ path: ["fallback_providers"], value }], ctx);
  return written.ok ? ok({ fallbacks, file: written.value.file }) : written;
}
