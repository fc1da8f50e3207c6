import { oneLine, plural } from "../../../../base/text/text.ts";
import type { CliCommand } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";

const id = { name: "id", summary: "an id from the list, or its beginning" };

export const commands: readonly CliCommand[] = [
  {
    path: ["learnings", "list"],
    summary: "List what Hermes learned from failures, the most certain first",
    async run(_input, ctx) {
      const { learnings } = await ctx.run("learnings.list", {});
      const lines = learnings.map(({ id: name, mark, fix, confidence }) => {
        const head = `${ctx.paint.bold(name)}  ${Math.round(confidence * 100)} %  ${escapeInvisible(mark.program || mark.tool)}`;
        return `${head}: ${ctx.paint.bad(escapeInvisible(oneLine(mark.error, 80)))}\n  ${escapeInvisible(oneLine(fix, 200))}`;
      });
      return { data: { learnings }, text: lines.join("\n") || "There are no learnings yet." };
    },
  },
  {
    path: ["learnings", "show"],
    summary: "Show one learning",
    args: [id],
    async run(input, ctx) {
      const learning = await ctx.run("learnings.show", { id: input.arg("id") });
      const { mark, failed, fix, worked, failedAgain, createdAt, seenAt, confidence } = learning;
      const rows = [
        ["where", `${mark.tool}, ${mark.place}`],
        ["what failed", failed],
        ["how", mark.error],
        ["what worked", fix],
        ["how often", `worked ${worked}, did not help ${failedAgain}; ${Math.round(confidence * 100)} % certain`],
        ["first, last", `${dayOf(createdAt)}, ${dayOf(seenAt)}`],
      ];
      const text = rows
        .map(([name, value = ""]) => `${ctx.paint.dim(`${name}:`)} ${escapeInvisible(value)}`)
        .join("\n");
      return { data: learning, text: `${ctx.paint.bold(learning.id)}\n${text}` };
    },
  },
  {
    path: ["learnings", "forget"],
    summary: "Delete one learning, or all",
    args: [{ ...id, optional: true }],
    options: [{ flags: "--all", summary: "delete all learnings" }],
    async run(input, ctx) {
      const data = await ctx.run("learnings.forget", { id: input.optionalArg("id"), all: input.flag("all") });
      return { data, text: `${plural(data.forgotten, "learning")} forgotten.` };
    },
  },
  {
    path: ["learnings", "export"],
    summary: "Write all learnings as JSON lines",
    async run(_input, ctx) {
      const { learnings } = await ctx.run("learnings.list", {});
      return { data: { learnings }, text: learnings.map((each) => JSON.stringify(each)).join("\n") };
    },
  },
];

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
