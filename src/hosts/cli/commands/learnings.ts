import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log/log.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import type { Learning, LearningDesk } from "../../../contracts/knowledge/learning.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["learnings", "list"],
    summary: "List what was learned from failures, the surest first",
    run: (_input, ctx) =>
      withDesk(ctx, async (desk) => {
        const found = await desk.list();
        const lines = found.map(({ id, mark, fix, confidence }) => {
          const head = `${ctx.paint.bold(id)}  ${Math.round(confidence * 100)} %  ${visible(mark.program || mark.tool)}`;
          return `${head}: ${ctx.paint.bad(visible(oneLine(mark.error, 80)))}\n  ${visible(oneLine(fix, 200))}`;
        });
        return { data: { learnings: found.map(dataOf) }, text: lines.join("\n") || "Nothing was learned yet." };
      }),
  },
  {
    path: ["learnings", "show"],
    summary: "Show one with all that is known of it",
    args: [{ name: "id", summary: "as the list shows it" }],
    run: (input, ctx) =>
      withDesk(ctx, async (desk) => {
        const found = (await desk.list()).find(({ id }) => id === input.arg("id"));
        if (!found) throw noSuch(input.arg("id"));
        const { id, mark, failed, fix, worked, failedAgain, createdAt, seenAt, confidence } = found;
        const rows = [
          ["where", `${mark.tool}, ${mark.place}`],
          ["what failed", failed],
          ["how", mark.error],
          ["what worked", fix],
          ["how often", `worked ${worked}, did not help ${failedAgain}; ${Math.round(confidence * 100)} % sure`],
          ["first, last", `${dayOf(createdAt)}, ${dayOf(seenAt)}`],
        ];
        const text = rows.map(([name, value = ""]) => `${ctx.paint.dim(`${name}:`)} ${visible(value)}`).join("\n");
        return { data: dataOf(found), text: `${ctx.paint.bold(id)}\n${text}` };
      }),
  },
  {
    path: ["learnings", "forget"],
    summary: "Forget one, or all",
    args: [{ name: "id", summary: "as the list shows it", optional: true }],
    options: [{ flags: "--all", summary: "all of them" }],
    run: (input, ctx) =>
      withDesk(ctx, async (desk) => {
        const id = input.optionalArg("id");
        if ((id === undefined) === !input.flag("all")) throw new CommandFailed("Name one, or say --all.", undefined, 2);
        const count = await desk.forget(id);
        if (id !== undefined && count === 0) throw noSuch(id);
        return { data: { forgotten: count }, text: `${plural(count, "learning")} forgotten.` };
      }),
  },
  {
    path: ["learnings", "export"],
    summary: "Write all of them as JSON lines",
    run: (_input, ctx) =>
      withDesk(ctx, async (desk) => {
        const found = (await desk.list()).map(dataOf);
        return { data: { learnings: found }, text: found.map((each) => JSON.stringify(each)).join("\n") };
      }),
  },
];

async function withDesk(ctx: CliContext, run: (desk: LearningDesk) => Promise<Reply>): Promise<Reply> {
  const { openLearnings } = await import("../../../runtime/knowledge/open-learnings.ts");
  const say = (sentence: string) => ctx.io.warn(`${sentence}\n`);
  await using learnings = openLearnings(await ctx.config(), { clock: systemClock, log: silentLog, say });
  return await run(learnings.desk(ctx.principal));
}

function noSuch(id: string): CommandFailed {
  return new CommandFailed(`There is no learning ${visible(id)}.`, "List them: hermes learnings list");
}

function dataOf({ mark, ...rest }: Learning) {
  return { ...rest, mark: { ...mark } };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
