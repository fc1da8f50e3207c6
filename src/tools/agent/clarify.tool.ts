import { z } from "zod";

import { durationText } from "../../base/text/time-text.ts";
import type { Choice } from "../../contracts/host/question.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

const choice = z.object({
  label: z.string(),
  description: z.string().optional(),
  recommended: z.boolean().optional(),
});

export default defineTool({
  name: "clarify",
  toolset: "clarify",
  description: "Ask the user what only they can decide.",
  emoji: "❓",
  input: z.object({
    question: z.string(),
    choices: z
      .array(z.union([z.string(), choice]))
      .max(6)
      .optional(),
    // Defaults are in the code: every byte here is part of every request.
    allow_freetext: z.boolean().optional(),
    multi_select: z.boolean().optional(),
  }),
  needs: ["asker"],
  // The session bounds the wait (`clarify.timeout`).
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
    return json({ question, choices_offered: labels, user_response: response });
  },
});

/** Values of `user_response` that the model reads as a sentence. */
const unanswered = {
  timeout: (waited: string) =>
    `The user did not answer within ${waited}. Decide yourself, go on, and say in your answer what you decided.`,
  declined: () => "The user declined to answer. Decide yourself, or go on without it; do not ask this again.",
};

function choiceOf(given: string | z.output<typeof choice>): Choice {
  if (typeof given === "string") return { label: given.trim() };
  const { label, description, recommended } = given;
  return {
    label: label.trim(),
    ...(description !== undefined && { description }),
    ...(recommended && { isRecommended: true }),
  };
}

function faultOf(question: string, labels: readonly string[], allowsText: boolean): string | undefined {
  if (question.trim() === "") return "question is empty.";
  if (question.length > maxQuestionChars) return `question has more than ${maxQuestionChars} characters.`;
  if (labels.includes("")) return "A choice has an empty label.";
  if (new Set(labels.map((label) => label.toLowerCase())).size < labels.length) return "Two choices are the same.";
  return labels.length === 0 && !allowsText ? "Without choices, allow_freetext must be true." : undefined;
}

const maxQuestionChars = 4_000;
