import type { JsonObject } from "../../../base/json.ts";
import type { Answer, PendingApproval } from "../../../contracts/safety/approval.ts";
import { questionText, visible } from "../ask-approval.ts";
import { type CliCommand, CommandFailed } from "../command.ts";

const inspect = () => import("../../../runtime/policy/inspect-policy.ts");

export const commands: readonly CliCommand[] = [
  {
    path: ["approvals", "list"],
    summary: "List the questions that wait for an answer, of every program of this home",
    async run(_input, ctx) {
      const { approvalDesk } = await inspect();
      const pending = await approvalDesk(await ctx.config()).pending(ctx.principal);
      const text =
        pending.length === 0
          ? "Nothing waits for an answer."
          : pending.map((each) => `${ctx.paint.bold(each.id)}\n${questionText(each, ctx.paint)}`).join("\n\n");
      return { data: { approvals: pending.map(pendingData) }, text };
    },
  },
  {
    path: ["approvals", "answer"],
    summary: "Answer a question that waits, from any terminal",
    details: "The first answer counts. session and always store exactly what `hermes approvals list` shows.",
    args: [
      { name: "id", summary: "of the question, or its beginning" },
      { name: "answer", summary: "once, session, always or deny" },
      { name: "reason", summary: "why not, for the model to read", optional: true, rest: true },
    ],
    examples: ["hermes approvals answer apr_3f9c once", "hermes approvals answer apr_3f9c deny use the test database"],
    async run(input, ctx) {
      const { approvalDesk, noteAnswer } = await inspect();
      const config = await ctx.config();
      const answer = answerOf(input.arg("answer"), input.rest("reason").join(" "));
      const answered = await approvalDesk(config).answer(input.arg("id"), answer, {
        principal: ctx.principal,
        name: "hermes approvals answer",
      });
      if (!answered.ok)
        throw new CommandFailed(`${answered.error.message}.`, "`hermes approvals list` shows what waits.");
      await noteAnswer(config.home, ctx.principal, answered.value.id, answer.scope);
      const { id, asks } = answered.value;
      return {
        data: { id, answer: { ...answer } },
        text: [`${id}: ${answer.scope}`, ...storedLines(answer, asks)].join("\n"),
      };
    },
  },
];

/** What a longer yes covers. */
function storedLines({ scope }: Answer, asks: PendingApproval["asks"]): readonly string[] {
  if (scope === "once" || scope === "deny") return [];
  const covered = asks.flatMap(({ covers }) => covers ?? []);
  const rest = covered.length < asks.length ? ["what cannot be written as a rule is allowed this once only"] : [];
  return [...covered.map((rule) => `covers exactly: ${visible(rule)}`), ...rest];
}

function answerOf(word: string, reason: string): Answer {
  if (word === "once" || word === "session" || word === "always") return { scope: word };
  if (word !== "deny") throw new CommandFailed(`${word} is no answer.`, "Say once, session, always or deny.", 2);
  return reason === "" ? { scope: "deny" } : { scope: "deny", reason };
}

function pendingData({ asks, ...pending }: PendingApproval): JsonObject {
  return {
    ...pending,
    asks: asks.map(({ key, rule, reason, covers }) => ({ key, rule, reason, ...(covers !== undefined && { covers }) })),
  };
}
