import type { MixturePlan } from "../../contracts/model/mixture.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";

export interface MixtureLimits {
  readonly rounds: number;
  readonly referenceTokens: number;
  readonly aggregatorTokens: number;
}

/**
 * Returns the requests of a mixture and their maximum cost, assuming that every answer has the maximum length and
 * nothing is cached.
 */
export function planOf(
  prompt: string,
  references: readonly ModelFacts[],
  aggregators: readonly ModelFacts[],
  { rounds, referenceTokens, aggregatorTokens }: MixtureLimits,
): MixturePlan {
  const promptTokens = Math.ceil(prompt.length / charsPerToken) + instructionTokens;
  const answersTokens = references.length * referenceTokens;
  const requests = [
    ...Array.from({ length: rounds }, (_, round) =>
      references.map((facts) => ({
        facts,
        input: promptTokens + (round === 0 ? 0 : answersTokens),
        output: referenceTokens,
      })),
    ).flat(),
    ...aggregators.map((facts) => ({ facts, input: promptTokens + answersTokens, output: aggregatorTokens })),
  ];
  const costs = requests.map(({ facts: { price }, input, output }) =>
    price ? (input * price.input + output * price.output) / 1_000_000 : 0,
  );
  return {
    references: references.map(nameOf),
    aggregator: aggregators.map(nameOf).join(", "),
    rounds,
    requests: requests.length,
    maxUsd: costs.reduce((sum, each) => sum + each, 0),
    unpriced: requests.flatMap(({ facts }) => (facts.price ? [] : [nameOf(facts)])),
  };
}

function nameOf({ provider, model }: ModelFacts): string {
  return `${provider}/${model}`;
}

const charsPerToken = 4;
const instructionTokens = 100;
