import { plural } from "../base/text/text.ts";
import { rows } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "toolsets",
  args: "[all]",
  summary: "Show the bundles that tools come in",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host, signal }) {
    const sets = await host.toolsets(signal);
    const shown = args === "all" ? sets : sets.filter(({ tools, role }) => tools > 0 && role !== "preset");
    const list = rows(shown.map(({ name, tools, description }) => [name, `${plural(tools, "tool")} · ${description}`]));
    const left = sets.length - shown.length;
    return { text: left === 0 ? list : `${list}\n${left} more, empty here or for other platforms: /toolsets all` };
  },
});
