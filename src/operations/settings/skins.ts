import { join } from "node:path";

import { err, ok } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { problemText } from "../../config/problem.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";

export const operations = {
  list: readOperation({
    summary: "List the skins: built-in ones and those in the folder skins of the home",
    needs: ["config"],
    async run(_input, { config }) {
      const { listSkins } = await import("../../config/skins/read-skins.ts");
      return ok({ skins: await listSkins(folderOf(config)), default: config.values.display.skin });
    },
  }),

  show: readOperation({
    summary: "Show a skin with its colours, symbols and texts, and the values of its file that cannot be used",
    input: object({ name: optional(string("The skin; default: the one of the settings")) }),
    needs: ["config"],
    async run({ name }, { config }) {
      const { findSkin } = await import("../../config/skins/read-skins.ts");
      const result = await findSkin(folderOf(config), (name ?? config.values.display.skin) || "default");
      if (!result.ok)
        return err({ message: result.error.map(problemText).join("\n"), hint: "List them: hermes skins list" });
      const { skin, file, problems } = result.value;
      return ok({ skin, ...(file !== undefined && { file }), problems: problems.map(problemText) });
    },
  }),
};

function folderOf({ home }: LoadedConfig): string {
  return join(home.path, homeFiles.skins);
}
