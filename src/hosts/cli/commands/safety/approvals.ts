import { questionText, escapeInvisible } from "../../ask-approval.ts";
import { type CliCommand, CommandFailed } from "../../command.ts";

const answers = ["once", "session", "always", "deny"] as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["approvals", "list"],
    summary: "List the pending approvals of all processes that use this home",
    async run(_input, ctx) {
      const listed = await ctx.run("approvals.list", {});
      const questions = listed.approvals.map((each) => `${ctx.paint.bold(each.id)}\n${questionText(each, ctx.paint)}`);
      return { data: listed, text: questions.join("\n\n") || "No approval is pending." };
    },
  },
  {
    path: ["approvals", "answer"],
    summary: "Answer a pending approval, from any terminal",
    details: "The first answer counts. session and always store exactly what `hermes approvals list` shows.",
    args: [
      { name: "id", summary: "id of the approval, or a prefix of it" },
      { name: "answer", summary: "once, session, always or deny" },
      { name: "reason", summary: "with deny: the reason, for the model", optional: true, rest: true },
    ],
    examples: ["hermes approvals answer apr_3f9c once", "hermes approvals answer apr_3f9c deny use the test database"],
    async run(input, ctx) {
      const word = input.arg("answer");
      const answer = answers.find((each) => each === word);
      if (!answer) throw new CommandFailed(`"${word}" is not an answer.`, `Use ${answers.join(", ")}.`, 2);
      const reason = input.rest("reason").join(" ");
      const done = await ctx.run("approvals.answer", { id: input.arg("id"), answer, reason });
      const lines = [
        `${done.id}: ${done.answer.scope}`,
        ...done.covers.map((rule) => `covers exactly: ${escapeInvisible(rule)}`),
        ...(done.isPartial ? ["parts that no rule can express are allowed only once"] : []),
      ];
      return { data: { id: done.id, answer: done.answer }, text: lines.join("\n") };
    },
  },
];
