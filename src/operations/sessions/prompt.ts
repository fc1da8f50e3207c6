import { silentLog as log } from "../../base/log/log.ts";
import { ok } from "../../base/result.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";

export const operations = {
  measure: readOperation({
    summary: "Measure the first request of a session in bytes, without sending it",
    input: object({ platform: optional(string("The platform of the session; default: cli")) }),
    needs: ["config"],
    async run({ platform = "cli" }, { config }, { cwd, principal, signal, clock }) {
      const { measurePrompt } = await import("../../runtime/prompt/measure-prompt.ts");
      return ok(await measurePrompt(config, { cwd, platform, principal, signal, clock, log }));
    },
  }),
};
