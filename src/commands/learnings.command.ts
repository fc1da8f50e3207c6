import { oneLine, plural } from "../base/text/text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "learnings",
  args: "[forget ID]",
  summary: "Show what was learned from failures, and forget it",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host }) {
    const desk = host.learnings;
    if (!desk) return { text: "Nothing is learned here.", failed: true };
    const [verb = "", id] = args.trim().split(/\s+/u);
    if (verb === "forget") {
      if (id === undefined) return { text: "Which one? /learnings shows the ids.", failed: true };
      const count = await desk.forget(id);
      return count === 0 ? { text: `There is no learning ${id}.`, failed: true } : { text: `${id} is forgotten.` };
    }
    if (verb !== "") return { text: `/learnings does not know "${verb}": forget.`, failed: true };
    const found = await desk.list();
    if (found.length === 0) return { text: "Nothing was learned yet." };
    const lines = found.slice(0, shown).map(({ id: name, mark, fix, confidence }) => {
      const sure = `${Math.round(confidence * 100)} %`;
      return `- ${name} (${sure}) ${mark.program || mark.tool}: ${oneLine(mark.error, 80)} → ${oneLine(fix, 160)}`;
    });
    const more =
      found.length > shown ? `\n${plural(found.length - shown, "learning")} more: hermes learnings list` : "";
    return { text: `${lines.join("\n")}${more}` };
  },
});

const shown = 20;
