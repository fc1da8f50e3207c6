import type { JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, list, number, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { Models } from "../../runtime/models/models.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";
import { hasKey } from "./model.ts";

const temperature = (whose: string) => optional(number(`temperature of the ${whose}, 0 to 2`));

export const operations = {
  list: readOperation({
    summary: "List the mixtures of agents with their references and aggregators",
    needs: ["config", "models"],
    async run(_input, { config, models }) {
      const { presets, default_preset: defaults } = config.values.moa;
      return ok({
        default: defaults,
        presets: Object.entries(presets).map(([name, preset]) => ({
          name,
          ...preset,
          reference_models: preset.reference_models.map((each) => ({ ...each, state: stateOf(each, models) })),
          aggregator: { ...preset.aggregator, state: stateOf(preset.aggregator, models) },
        })),
      });
    },
  }),

  configure: writeOperation({
    summary: "Create or change a mixture of agents; omitted fields stay unchanged",
    input: object({
      name: optional(string("the preset; default: the default preset")),
      references: optional(list("models to query first", string("provider/model"))),
      aggregator: optional(string("provider/model that writes the answer")),
      referenceTemperature: temperature("references"),
      aggregatorTemperature: temperature("aggregator"),
      maxTokens: optional(number("maximum number of tokens in a reference's answer")),
      enabled: optional(flag("query the references; false: query only the aggregator")),
      makeDefault: optional(flag("make it the default preset")),
    }),
    needs: ["config", "models"],
    async run(input, { config, models }, ctx) {
      const { moa } = config.values;
      const { name = moa.default_preset, makeDefault = false } = input;
      const references: Named[] = [];
      for (const each of input.references ?? []) {
        const named = namedModel(each, models);
        if (!named.ok) return named;
        references.push(named.value);
      }
      const aggregator = input.aggregator === undefined ? undefined : namedModel(input.aggregator, models);
      if (aggregator && !aggregator.ok) return aggregator;
      const fields: Readonly<Record<string, JsonValue | undefined>> = {
        reference_models: references.length > 0 ? references.map((each) => ({ ...each })) : undefined,
        aggregator: aggregator && { ...aggregator.value },
        reference_temperature: input.referenceTemperature,
        aggregator_temperature: input.aggregatorTemperature,
        max_tokens: input.maxTokens,
        enabled: input.enabled,
      };
      const changes = Object.entries(fields).filter(([, value]) => value !== undefined);
      if (changes.length === 0 && !Object.hasOwn(moa.presets, name))
        return err({ message: `There is no preset ${name}.`, hint: "Create it with --reference and --aggregator." });
      const written = await writeSettings(
        config,
        [
          ...changes.map(([key, value]) => ({ path: ["moa", "presets", name, key], value })),
          ...(makeDefault ? [{ path: ["moa", "default_preset"], value: name }] : []),
        ],
        ctx,
      );
      if (!written.ok) return written;
      const named = [...references, ...(aggregator ? [aggregator.value] : [])];
      const notes = named.flatMap((each) => {
        const state = stateOf(each, models);
        return state === "ready" ? [] : [`${each.provider}/${each.model}: ${state}`];
      });
      return ok({
        name,
        default: makeDefault || name === moa.default_preset,
        changed: Object.fromEntries(changes),
        file: written.value.file,
        isNew: written.value.changed,
        notes,
      });
    },
  }),

  delete: writeOperation({
    summary: "Delete a mixture of agents, or reset the built-in one",
    input: object({ name: string("the preset") }),
    needs: ["config"],
    async run({ name }, { config }, ctx) {
      const { moa, model } = config.values;
      if (!Object.hasOwn(moa.presets, name))
        return err({ message: `There is no preset ${name}; there are: ${Object.keys(moa.presets).join(", ")}.` });
      const isBuiltIn = name === "default";
      const isChanged = Array.from(config.origins).some(
        ([key, { from }]) => key.startsWith("moa.presets.default.") && from !== "default",
      );
      if (isBuiltIn && !isChanged)
        return err({
          message: "The preset default is built in and cannot be deleted.",
          hint: "`hermes moa configure default` changes its models.",
        });
      const isDefault = name === moa.default_preset && !isBuiltIn;
      const written = await writeSettings(
        config,
        [
          { path: ["moa", "presets", name], value: undefined },
          ...(isDefault ? [{ path: ["moa", "default_preset"], value: undefined }] : []),
        ],
        ctx,
      );
      if (!written.ok) return written;
      const isModel = model.provider === "moa" ? model.default === name : model.default === `moa/${name}`;
      const notes = [
        ...(isDefault ? ["It was the default preset. Now moa/default is."] : []),
        ...(isModel && !isBuiltIn
          ? ["It is still the model in the settings: choose another one with `hermes model use`."]
          : []),
      ];
      return ok({ deleted: name, file: written.value.file, notes });
    },
  }),
};

type Named = LoadedConfig["values"]["moa"]["presets"][string]["aggregator"];

function stateOf({ provider, model }: Named, models: Models): string {
  const resolved = models.resolve({ provider, model });
  if (!resolved.ok) return resolved.error.message;
  if (resolved.value !== "offline" && resolved.value.mixture) return "a mixture cannot contain another mixture";
  if (resolved.value === "offline" || hasKey(resolved.value, models)) return "ready";
  return `no key: hermes auth add ${resolved.value.providerId}`;
}

/** Resolves a model name: `provider/model`, an alias, or `custom:NAME:MODEL`. */
function namedModel(name: string, models: Models): Result<Named, OperationFault> {
  const resolved = models.resolve({ model: name.trim() });
  if (!resolved.ok) return resolved;
  if (resolved.value === "offline")
    return err({ message: "The built-in model is not an AI and cannot be part of a mixture." });
  if (resolved.value.mixture) return err({ message: `${name} is a mixture itself.`, hint: "Name a single model." });
  return ok({ provider: resolved.value.providerId, model: resolved.value.model });
}
