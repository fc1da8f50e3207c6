import { err, ok } from "../../base/result.ts";
import { findByPrefix } from "../../base/text/find-by-prefix.ts";
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
    input: object({ id: string("an id from the list, or its beginning") }),
    needs: ["learnings"],
    async run({ id }, { learnings }, { principal }) {
      const match = findByPrefix(id, await learnings.list(principal), "learning");
      return match.ok ? match : err({ ...match.error, hint });
    },
  }),

  forget: writeOperation({
    summary: "Delete one learning, or all",
    input: object({
      id: optional(string("an id from the list, or its beginning")),
      all: optional(flag("delete all learnings")),
    }),
    needs: ["learnings"],
    async run({ id, all = false }, { learnings }, { principal }) {
      if ((id === undefined) !== all) return err({ message: "Name one learning, or all.", kind: "input" });
      if (id === undefined) return ok({ forgotten: await learnings.forget(undefined, principal) });
      const match = findByPrefix(id, await learnings.list(principal), "learning");
      if (!match.ok) return err({ ...match.error, hint });
      return ok({ forgotten: await learnings.forget(match.value.id, principal) });
    },
  }),
};

const hint = "List them: hermes learnings list";
