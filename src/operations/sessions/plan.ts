import { ok } from "../../base/result.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

/** The plan mode of the live session: the agent only reads until the user approves its plan. */
export const operations = {
  status: readOperation({
    summary: "Show whether this session is in plan mode, and its plan",
    needs: ["session"],
    async run(_input, { session }) {
      const status = session.planning.status();
      return ok({ isPlanning: status !== undefined, plan: status?.plan ?? null });
    },
  }),

  start: writeOperation({
    summary: "Enter plan mode; with a request, also start a turn that plans it",
    input: object({ request: optional(string("the work to plan")) }),
    needs: ["session"],
    run: ({ request }, { session }) => session.planning.start(request),
  }),

  approve: writeOperation({
    summary: "Leave plan mode, fill the todo list with the steps of the plan and carry it out",
    input: object({ plan: optional(string("the plan as you changed it; default: the last one of the agent")) }),
    needs: ["session"],
    run: ({ plan }, { session }) => session.planning.approve(plan),
  }),

  reject: writeOperation({
    summary: "Leave plan mode; nothing is carried out",
    needs: ["session"],
    run: async (_input, { session }) => session.planning.reject(),
  }),
};
