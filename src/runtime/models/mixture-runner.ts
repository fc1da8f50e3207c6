import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { MixtureRunner } from "../../contracts/model/mixture.ts";
import type { ModelClient, ModelFacts } from "../../contracts/model/model.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";
import type { MixturePreset, NamedModel } from "../../providers/endpoints/model-settings.ts";
import { offlineId } from "../../providers/endpoints/route.ts";
import { planOf } from "../../providers/moa/mixture-plan.ts";
import type { Models } from "./models.ts";

export interface MixtureRunnerDeps {
  refusal(tokens: number): Promise<string | undefined>;
  book(usage: BookedUsage): Promise<void>;
  readonly clock: Clock;
}

/** Opens the models of the default preset. The error is the reason why the tool `mixture_of_agents` cannot be used. */
export function openMixtureRunner(
  config: LoadedConfig,
  models: Models,
  deps: MixtureRunnerDeps,
): Result<MixtureRunner> {
  const { default_preset: name, presets, privacy_filter, reference_timeout } = config.values.moa;
  const preset: MixturePreset | undefined = presets[name];
  if (!preset) return err({ message: `there is no preset moa/${name}: hermes moa list` });
  const opened = (wish: NamedModel, temperature: number) => ({
    ...wish,
    client: singleClient(wish, models, temperature),
  });
  const references = preset.reference_models.map((each) => opened(each, preset.reference_temperature));
  const usable = references.filter(({ client }) => client.ok);
  const aggregator = opened(preset.aggregator, preset.aggregator_temperature);
  if (!aggregator.client.ok)
    return err({ message: `the aggregator of moa/${name} cannot be used: ${aggregator.client.error.message}` });
  if (usable.length === 0) return err({ message: `no reference of moa/${name} has a key: hermes moa list` });
  const { rounds, min_answers: minAnswers } = preset;
  const limits = { referenceTokens: Math.min(preset.max_tokens, maxTokens), aggregatorTokens: maxTokens, rounds };
  const factsOf = ({ client }: { readonly client: Result<ModelClient> }): readonly ModelFacts[] =>
    client.ok ? [client.value.facts()] : [];
  return ok({
    plan: (prompt) => planOf(prompt, usable.flatMap(factsOf), factsOf(aggregator), limits),
    async run(prompt, progress, signal) {
      const { askInRounds } = await import("../../providers/moa/ask-in-rounds.ts");
      const { redact } =
        privacy_filter === "full"
          ? (await import("../policy/open-redactor.ts")).openRedactor(config.secrets, config.home)
          : { redact: (text: string) => text };
      return askInRounds(
        prompt,
        {
          ...limits,
          minAnswers,
          references: usable,
          aggregator,
          timeoutMs: reference_timeout * 1_000,
          redact: (text) => redact(text),
          refusal: deps.refusal,
          book: async ({ provider, model, usage }) =>
            usage && (await deps.book({ provider, model, task: "moa", usage })),
          progress,
          clock: deps.clock,
        },
        signal,
      );
    },
  });
}

function singleClient(wish: NamedModel, models: Models, temperature: number): Result<ModelClient> {
  const route = models.resolve(wish);
  if (!route.ok) return route;
  const title = `${wish.provider}/${wish.model}`;
  if (route.value === offlineId) return err({ message: `${title} is not an AI` });
  if (route.value.mixture) return err({ message: `${title} is a mixture itself: name a single model` });
  if (!route.value.keys.keyless && models.pool.list(route.value).length === 0)
    return err({ message: `${title} has no key: hermes auth add ${route.value.providerId}` });
  return models.client(wish, { isAlone: true, maxRetries: attempts - 1, temperature });
}

/** Attempts per request; the client waits longer after each, up to a minute. */
const attempts = 6;
const maxTokens = 32_000;
