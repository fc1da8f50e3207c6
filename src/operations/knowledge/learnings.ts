import { err, ok } from "../../base/result.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

export const operations = {
  list: readOperation({
    summary: "List what Hermes learned from failures, the most certain first",
    needs: ["learnings"],
    run: async (_input, { learnings }, { principal }) => ok({ learnings: await learnings.list(principal) }),
  }),

  show: readOperation({
    summary: "Show one learning",
    input: object({ id: string("an id from the list") }),
    needs: ["learnings"],
    async run({ id }, { learnings }, { principal }) {
      const match = (await learnings.list(principal)).find((each) => each.id === id);
      return match ? ok(match) : missing(id);
    },
  }),

  forget: writeOperation({
    summary: "Delete one learning, or all",
    input: object({
      id: optional(string("an id from the list")),
      all: optional(flag("delete all learnings")),
    }),
    needs: ["learnings"],
    async run({ id, all = false }, { learnings }, { principal }) {
      if ((id === undefined) !== all) return err({ message: "Name one learning, or all.", kind: "input" });
      const forgotten = await learnings.forget(id, principal);
      return id !== undefined && forgotten === 0 ? missing(id) : ok({ forgotten });
    },
  }),
};

function missing(id: string) {
  return err({ message: `There is no learning ${id}.`, hint: "List them: hermes learnings list" });
}
