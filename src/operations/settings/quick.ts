import { ok } from "../../base/result.ts";
import { byName } from "../../base/text/order.ts";
import { readOperation } from "../operation.ts";

export const operations = {
  list: readOperation({
    summary: "List the quick commands of the settings",
    needs: ["config"],
    run: async (_input, { config }) =>
      ok({
        commands: Object.entries(config.values.quick_commands)
          .map(([name, { type, command, target }]) => ({ name: name.toLowerCase(), type, command, target }))
          .filter(({ name }) => /^[a-z0-9][\w-]*$/u.test(name))
          .toSorted(byName),
      }),
  }),
};
