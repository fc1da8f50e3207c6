import { ok } from "../../base/result.ts";
import { object, oneOf, string } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";

export const operations = {
  line: readOperation({
    summary: "Run one of Hermes' engines on one line of JSON, without touching files, programs or the network",
    input: object({
      engine: oneOf("The engine", ["schemas", "edits", "patches", "commands", "secrets", "injection", "urls"]),
      line: string("One JSON object; `hermes check --help` describes the fields of each engine"),
    }),
    needs: [],
    async run({ engine, line }) {
      const { lineChecks } = await import("../../runtime/policy/line-checks.ts");
      const answer = (await lineChecks[engine]())(line);
      return ok({ understood: answer.ok, line: answer.line });
    },
  }),
};
