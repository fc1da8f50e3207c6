import { err, ok } from "../../base/result.ts";
import { list, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { Answer } from "../../contracts/safety/approval.ts";
import { readOperation, writeOperation } from "../operation.ts";

const inspect = () => import("../../runtime/policy/inspect-policy.ts");

export const operations = {
  list: readOperation({
    summary: "List the pending approvals of all processes that use this home",
    needs: ["config"],
    async run(_input, { config }, { principal }) {
      const { approvalDesk } = await inspect();
      return ok({ approvals: await approvalDesk(config).pending(principal) });
    },
  }),

  answer: writeOperation({
    summary: "Answer a pending approval; the first answer counts",
    input: object({
      id: string("Id of the approval, or a prefix of it"),
      answer: oneOf("The answer", ["once", "session", "always", "deny"]),
      reason: optional(string("With deny: the reason, for the model")),
      rules: optional(
        list("With always: the rules to store instead of those that the question shows", string("An allow rule")),
      ),
    }),
    needs: ["config"],
    async run({ id: prefix, answer: scope, reason, rules }, { config }, { principal }) {
      const { approvalDesk, auditAnswer: noteAnswer, readRule } = await inspect();
      for (const rule of rules ?? []) {
        const covers = readRule(rule, "allow", config);
        if (!covers.ok) return err({ message: `${rule}: ${covers.error}.`, kind: "input" });
      }
      const answer = answerOf(scope, reason, rules);
      const by = { principal, name: "hermes approvals answer" };
      const answered = await approvalDesk(config).answer(prefix, answer, by);
      if (!answered.ok)
        return err({ message: `${answered.error.message}.`, hint: "`hermes approvals list` shows pending approvals." });
      const { id, asks } = answered.value;
      await noteAnswer(config.home, principal, id, scope);
      const isStored = scope === "session" || scope === "always";
      const exact = isStored ? asks.flatMap((ask) => ask.covers ?? []) : [];
      const covers = scope === "always" && exact.length > 0 ? (rules ?? exact) : exact;
      return ok({ id, answer, covers, isPartial: isStored && exact.length < asks.length });
    },
  }),
};

function answerOf(scope: Answer["scope"], reason: string | undefined, rules: readonly string[] | undefined): Answer {
  if (scope === "deny") return reason ? { scope, reason } : { scope };
  return scope === "always" && rules ? { scope, rules } : { scope };
}
