import { plural } from "../base/text.ts";
import { defineCommand } from "../contracts/command.ts";
import { rows } from "./reply-text.ts";

export default defineCommand({
  name: "toolsets",
  summary: "Show the bundles that tools come in",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { host, signal }) {
    const sets = await host.toolsets(signal);
    return {
      text: rows(sets.map(({ name, tools, description }) => [name, `${plural(tools, "tool")} · ${description}`])),
    };
  },
});
