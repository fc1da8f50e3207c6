import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";

export const operations = {
  show: readOperation({
    summary: "Show the newest decisions and effects, oldest first",
    input: object({
      limit: optional(integer("Maximum number of entries; default: 50", { minimum: 1 })),
      session: optional(string("Only entries of this session")),
      denied: optional(flag("Only denials")),
    }),
    needs: ["audit"],
    async run({ limit = 50, session, denied = false }, { audit }) {
      return ok({ entries: await audit.newest(withoutUndefined({ limit, session, deniedOnly: denied })) });
    },
  }),

  verify: readOperation({
    summary: "Check that nobody changed or truncated the audit log",
    input: object({ head: optional(string("A link saved earlier, as NUMBER:HASH; proves that the log still has it")) }),
    needs: ["audit"],
    async run({ head }, { audit }) {
      const [, seq, hash] = head === undefined ? [] : (/^(\d+):([0-9a-f]{64})$/u.exec(head) ?? []);
      const link = seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : undefined;
      if (head !== undefined && !link)
        return err({ message: "The head must be NUMBER:HASH, as `hermes audit verify` prints it.", kind: "input" });
      return ok(await audit.verify(link));
    },
  }),
};
