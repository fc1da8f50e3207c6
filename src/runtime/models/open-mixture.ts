import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelClient, ModelFacts } from "../../contracts/model/model.ts";
import type { MixturePreset, NamedModel } from "../../providers/endpoints/model-settings.ts";
import type { ResolvedModel } from "../../providers/endpoints/resolve-model.ts";
import { offlineId } from "../../providers/endpoints/route.ts";
import type { MixtureTraces } from "./mixture-traces.ts";

export interface Mixtures extends AsyncDisposable {
  /** Opens a mixture as one model with the aggregator's context window. Auxiliary requests get only the aggregator. */
  open(name: string, preset: MixturePreset): Result<ModelClient>;
}

export interface MixtureOptions {
  resolve(wish: NamedModel): Result<ResolvedModel>;
  /** `references` have no fallbacks. */
  client(route: ResolvedModel, as: "reference" | "aggregator", temperature: number): ModelClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Mixtures of agents. The first request loads the code. */
export function openMixtures(config: LoadedConfig, of: MixtureOptions): Mixtures {
  const { save_traces, privacy_filter, reference_timeout } = config.values.moa;
  const redactor = once(async () => {
    const { openRedactor } = await import("../policy/open-redactor.ts");
    return openRedactor(config.secrets, config.home);
  });
  let traces: Promise<MixtureTraces> | undefined;

  async function openTraces(): Promise<MixtureTraces> {
    const [{ createMixtureTraces }, { redact }] = await Promise.all([import("./mixture-traces.ts"), redactor()]);
    return createMixtureTraces(config.home, { redact: (text) => redact(text), clock: of.clock, log: of.log });
  }

  function opened(wish: NamedModel, as: "reference" | "aggregator", temperature: number): Result<ModelClient> {
    const route = of.resolve(wish);
    if (!route.ok) return route;
    if (route.value !== offlineId && route.value.mixture)
      return err({ message: `${wish.provider}/${wish.model} is a mixture itself: name a single model` });
    return ok(of.client(route.value, as, temperature));
  }

  return {
    open(name, preset) {
      const { aggregator: chosen, reference_models, enabled, max_tokens: maxTokens } = preset;
      const aggregator = opened(chosen, "aggregator", preset.aggregator_temperature);
      if (!aggregator.ok)
        return err({ message: `The aggregator of moa/${name} cannot be used: ${aggregator.error.message}` });
      const main = aggregator.value;
      const facts = () => mixtureFacts(name, main.facts());
      const [first, ...others] = reference_models.map((each) => ({
        ...each,
        client: opened(each, "reference", preset.reference_temperature),
      }));
      if (!enabled || !first)
        return ok({
          facts,
          beside: main,
          stream: (request, signal, classify) => main.stream(request, signal, classify),
        });
      const deps = once(async () => {
        const { redact } = privacy_filter === "full" ? await redactor() : keeping;
        const kept = save_traces ? await (traces ??= openTraces()) : undefined;
        return {
          references: [first, ...others] as const,
          aggregator: main,
          maxTokens,
          timeoutMs: reference_timeout * 1000,
          isShown: privacy_filter === "",
          redact: (text: string) => redact(text),
          ...(kept && { traced: kept.writer(name, main) }),
          clock: of.clock,
        };
      });
      return ok({
        facts,
        beside: main,
        async *stream(request, signal) {
          const [{ askMixture }, parts] = await Promise.all([import("../../providers/moa/mixture-client.ts"), deps()]);
          yield* askMixture(request, parts, signal);
        },
      });
    },
    async [Symbol.asyncDispose]() {
      await (await traces)?.[Symbol.asyncDispose]();
    },
  };
}

/** The facts of a mixture. It has no price, because the cost of a request is the sum over all its models. */
export function mixtureFacts(name: string, { price: _, ...facts }: ModelFacts): ModelFacts {
  return { ...facts, provider: "moa", model: name };
}

const keeping = { redact: (text: string) => text };
