import { z } from "zod";

import { isObject } from "../../base/json.ts";
import { durationText } from "../../base/text/time-text.ts";
import type { Choice } from "../../contracts/host/question.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "clarify",
  toolset: "clarify",
  description: "Ask the user what only they can decide. choices: texts or {label, description, recommended}.",
  emoji: "❓",
  input: z.object({
    question: z.string(),
    // The description names the fields, because a schema for them would add 150 bytes to every request.
    choices: z.array(z.unknown()).max(6).optional(),
    // Defaults are in the code, because every byte here is part of every request.
    allow_freetext: z.boolean().optional(),
    multi_select: z.boolean().optional(),
  }),
  needs: ["asker"],
  // The session limits the wait (`clarify.timeout`).
  traits: { readOnly: true, timeoutMs: Number.POSITIVE_INFINITY },
  async run(args, ctx) {
    const { question, choices: given = [], allow_freetext: allowsText = true, multi_select: hasSeveral = false } = args;
    const choices = given.map(choiceOf);
    const labels = choices.map(({ label }) => label);
    const fault = faultOf(question, labels, allowsText);
    if (fault !== undefined) return fail(`${fault} The question did not appear.`, "invalid_args");
    using _pause = ctx.pauseParents?.();
    const startedAt = ctx.clock.elapsed();
    const answered = await ctx.asker.ask(
      { from: "the agent", text: question.trim(), choices, hasSeveral, allowsText },
      ctx.signal,
    );
    if (!answered.ok && answered.error.reason === "aborted") return fail("The question was withdrawn.", "aborted");
    const waited = durationText(ctx.clock.elapsed() - startedAt);
    const response = answered.ok
      ? hasSeveral
        ? [...answered.value]
        : answered.value.join(", ")
      : unanswered[answered.error.reason === "timeout" ? "timeout" : "declined"](waited);
    const outcome = answered.ok ? {} : { answered: false };
    return json({ question, choices_offered: labels, user_response: response, ...outcome });
  },
});

/** Values of `user_response` that the model reads as sentences. */
const unanswered = {
  timeout: (waited: string) =>
    `The user did not answer within ${waited}. Decide yourself, continue, and say in your answer what you decided.`,
  declined: () => "The user declined to answer. Decide yourself, or continue without an answer. Do not ask this again.",
};

/** Models use several property names for the label. A choice without a label has an empty one. */
function choiceOf(given: unknown): Choice {
  if (!isObject(given)) return { label: typeof given === "string" ? given.trim() : "" };
  const texts = ["label", "title", "text", "value", "description"].flatMap((key) => {
    const value = given[key];
    return typeof value === "string" && value.trim() !== "" ? [value.trim()] : [];
  });
  const [label = ""] = texts;
  const { description } = given;
  return {
    label,
    ...(typeof description === "string" && description.trim() !== label && { description }),
    ...(given["recommended"] === true && { isRecommended: true }),
  };
}

function faultOf(question: string, labels: readonly string[], allowsText: boolean): string | undefined {
  if (question.trim() === "") return "question is empty.";
  if (question.length > maxQuestionChars) return `question has more than ${maxQuestionChars} characters.`;
  if (labels.includes("")) return "A choice has no label.";
  if (new Set(labels.map((label) => label.toLowerCase())).size < labels.length) return "Two choices are the same.";
  return labels.length === 0 && !allowsText ? "Without choices, allow_freetext must be true." : undefined;
}

const maxQuestionChars = 4_000;
