import { z } from "zod";

import { plural } from "../../base/text/text.ts";
import type { MixturePlan } from "../../contracts/model/mixture.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "mixture_of_agents",
  toolset: "moa",
  description:
    "Ask several models one hard question, in parallel; another model writes one answer from theirs. Slow and expensive: " +
    "only for problems where you are stuck. They see nothing but user_prompt, so put every fact into it.",
  emoji: "🧠",
  input: z.object({ user_prompt: z.string().min(1).max(200_000) }),
  needs: ["mixture"],
  // Each request has its own timeout (moa.reference_timeout).
  traits: { timeoutMs: Number.POSITIVE_INFINITY },
  effects: () => [{ kind: "sample", server: "mixture_of_agents" }],
  preview: async ({ user_prompt }, { mixture }) => costText(mixture.plan(user_prompt)),
  async run({ user_prompt }, { mixture, progress, signal }) {
    progress(costText(mixture.plan(user_prompt)).replaceAll("\n", "; "));
    const { response, references, aggregator, error } = await mixture.run(user_prompt, progress, signal);
    const used = { reference_models: [...references], aggregator_model: aggregator };
    if (error === undefined) return json({ success: true, response, models_used: used });
    const data = { success: false, response, models_used: used, error };
    return fail(`The mixture gave no answer. ${error}`, signal.aborted ? "aborted" : "failed", { data });
  },
});

/** Describes the models that answer, the number of requests, and their maximum cost. */
function costText({ references, aggregator, rounds, requests, maxUsd, unpriced }: MixturePlan): string {
  const times = rounds === 1 ? "" : ` in ${rounds} rounds`;
  const cost = unpriced.length === requests ? "" : `, at most about $${maxUsd.toFixed(2)}`;
  const open = unpriced.length === 0 ? "" : `; the price of ${[...new Set(unpriced)].join(", ")} is unknown`;
  return [
    `asks ${references.join(", ")}${times}`,
    `then ${aggregator} writes the answer`,
    `${plural(requests, "request")}${cost}${open}`,
  ].join("\n");
}
