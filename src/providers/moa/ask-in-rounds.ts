import { plural } from "../../base/text/text.ts";
import type { MixtureOutcome } from "../../contracts/model/mixture.ts";
import type { ConsultedModel, ModelRequest } from "../../contracts/model/model.ts";
import { askReference, type ReferenceDeps, type ReferenceModel } from "./ask-reference.ts";
import { referenceBlocks } from "./mixture-client.ts";

export interface RoundsDeps extends Omit<ReferenceDeps, "instructions" | "maxTokens"> {
  readonly references: readonly ReferenceModel[];
  readonly aggregator: ReferenceModel;
  /** The number of rounds. From the second round on, the reference models see all answers of the previous round. */
  readonly rounds: number;
  /** The minimum number of answers in a round. With fewer, the run fails. */
  readonly minAnswers: number;
  readonly referenceTokens: number;
  readonly aggregatorTokens: number;
  /**
   * Returns why the budget currently allows no request of this size. `tokens` includes the requests that are running.
   */
  refusal(tokens: number): Promise<string | undefined>;
  book(answer: ConsultedModel): Promise<void>;
  progress(note: string): void;
}

/** Calls the reference models round by round and lets the aggregator write the answer. Never rejects. */
export async function askInRounds(prompt: string, deps: RoundsDeps, signal: AbortSignal): Promise<MixtureOutcome> {
  const { references, aggregator, rounds, minAnswers, progress } = deps;
  let runningTokens = 0;

  async function ask(
    model: ReferenceModel,
    answers: readonly ConsultedModel[],
    how: { readonly instructions: string; readonly maxTokens: number },
  ): Promise<ConsultedModel> {
    const text = answers.length === 0 ? prompt : `${prompt}\n\n${referenceBlocks(answers, maxContextChars)}`;
    const tokens = Math.ceil((text.length + how.instructions.length) / charsPerToken);
    runningTokens += tokens;
    try {
      const refused = await deps.refusal(runningTokens);
      if (refused !== undefined)
        return { ...nameOf(model), durationMs: 0, error: { kind: "billing", message: refused } };
      const request: Omit<ModelRequest, "model"> = {
        system: [],
        tools: [],
        messages: [{ role: "user", content: [{ type: "text", text }] }],
      };
      const answer = await askReference(model, request, { ...deps, ...how }, signal);
      if (answer.usage) await deps.book(answer);
      return answer.text === undefined ? answer : { ...answer, text: deps.redact(answer.text) };
    } finally {
      runningTokens -= tokens;
    }
  }

  let answers: readonly ConsultedModel[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}: ${plural(references.length, "model")}`);
    const before = answers;
    const how = { instructions: before.length === 0 ? answering : improving, maxTokens: deps.referenceTokens };
    const given = await Promise.all(references.map((reference) => ask(reference, before, how)));
    answers = given.filter(({ text }) => text !== undefined);
    if (answers.length < minAnswers) {
      const reasons = given.flatMap((each) => (each.error ? [`${titleOf(each)}: ${each.error.message}`] : []));
      const count = `${answers.length} of ${plural(references.length, "reference")} answered, ${minAnswers} needed`;
      return failed(aggregator, answers, `${count}. ${reasons.join(" ")}`);
    }
  }
  const how = { instructions: aggregating, maxTokens: deps.aggregatorTokens };
  progress(`${titleOf(aggregator)} writes the answer`);
  let last = await ask(aggregator, answers, how);
  // If the answer is empty, it is requested once more.
  if (last.error?.kind === "malformed" && !signal.aborted) last = await ask(aggregator, answers, how);
  if (last.text === undefined)
    return failed(aggregator, answers, `The aggregator ${titleOf(aggregator)} failed: ${last.error?.message ?? ""}`);
  return { response: last.text, references: answers.map(titleOf), aggregator: titleOf(aggregator) };
}

function failed(aggregator: ReferenceModel, answers: readonly ConsultedModel[], error: string): MixtureOutcome {
  return { response: "", references: answers.map(titleOf), aggregator: titleOf(aggregator), error };
}

function nameOf({ provider, model }: ReferenceModel) {
  return { provider, model };
}

function titleOf({ provider, model }: { readonly provider: string; readonly model: string }): string {
  return `${provider}/${model}`;
}

const charsPerToken = 4;
const maxContextChars = 400_000;
const answering = "Answer the question as well as you can: correct, complete, with your reasons. You have no tools.";
const improving =
  "Below the question are answers of several models, which may be wrong. Check them, and write a better answer of your own. You have no tools.";
const aggregating =
  "Below the question are answers of several models. They may be wrong, biased or incomplete: check them, resolve contradictions, and write one answer that is correct, complete and well ordered. Do not mention the models.";
