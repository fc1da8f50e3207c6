import { err, ok } from "../../base/result.ts";
import { object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
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
    }),
    needs: ["config"],
    async run({ id: prefix, answer: scope, reason }, { config }, { principal }) {
      const { approvalDesk, auditAnswer: noteAnswer } = await inspect();
      const answer: Answer = scope === "deny" && reason ? { scope, reason } : { scope };
      const by = { principal, name: "hermes approvals answer" };
      const answered = await approvalDesk(config).answer(prefix, answer, by);
      if (!answered.ok)
        return err({ message: `${answered.error.message}.`, hint: "`hermes approvals list` shows pending approvals." });
      const { id, asks } = answered.value;
      await noteAnswer(config.home, principal, id, scope);
      const isStored = scope === "session" || scope === "always";
      const covers = isStored ? asks.flatMap((ask) => ask.covers ?? []) : [];
      return ok({ id, answer, covers, isPartial: isStored && covers.length < asks.length });
    },
  }),
};
