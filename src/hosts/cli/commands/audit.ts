import { plural } from "../../../base/text/text.ts";
import type { AuditRecord } from "../../../runtime/policy/inspect-policy.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { table } from "../table.ts";

const inspect = () => import("../../../runtime/policy/inspect-policy.ts");

export const commands: readonly CliCommand[] = [
  {
    path: ["audit", "show"],
    summary: "Show the newest decisions and effects",
    options: [
      { flags: "-n, --limit <count>", summary: "how many at most (50)" },
      { flags: "--session <id>", summary: "of one conversation" },
      { flags: "--denied", summary: "only what was denied" },
    ],
    async run(input, ctx) {
      const { showAudit } = await inspect();
      const limit = Number(input.option("limit") ?? "50");
      if (!Number.isInteger(limit) || limit < 1)
        throw new CommandFailed("--limit must be a number from 1.", undefined, 2);
      const session = input.option("session");
      const { home } = await ctx.config();
      const entries = await showAudit(home, {
        limit,
        deniedOnly: input.flag("denied"),
        ...(session !== undefined && { session }),
      });
      return {
        data: { entries: entries.map((entry) => ({ ...entry })) },
        text: entries.length === 0 ? "Nothing is written down yet." : showText(entries, ctx),
      };
    },
  },
  {
    path: ["audit", "verify"],
    summary: "Check that nothing in the audit log was changed or cut off; exit code 1 when it was",
    details:
      "--head takes a link that you wrote down elsewhere, as this command prints it, and proves that the log still has it.",
    options: [{ flags: "--head <link>", summary: "an entry's number and hash, as NUMBER:HASH" }],
    async run(input, ctx) {
      const { checkAudit } = await inspect();
      const noted = input.option("head");
      const [, seq, hash] = noted === undefined ? [] : (/^(\d+):([0-9a-f]{64})$/u.exec(noted) ?? []);
      if (noted !== undefined && (seq === undefined || hash === undefined))
        throw new CommandFailed("--head must be NUMBER:HASH, as `hermes audit verify` prints it.", undefined, 2);
      const { home } = await ctx.config();
      const report = await checkAudit(
        home,
        seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : undefined,
      );
      const head = report.head === undefined ? "" : `\n${ctx.paint.dim(`head ${report.head.seq}:${report.head.hash}`)}`;
      const whole =
        report.head === undefined
          ? "Nothing is written down yet, or the log was removed with its head."
          : `${ctx.paint.good("✓")} ${plural(report.entries, "entry")}, unchanged${head}`;
      const text = report.ok
        ? whole
        : `${ctx.paint.bad("✗")} The audit log was damaged or changed:\n${report.faults.map((fault) => `  ${visible(fault)}`).join("\n")}`;
      const data = {
        ok: report.ok,
        entries: report.entries,
        faults: report.faults,
        ...(report.head && { head: { ...report.head } }),
      };
      return { data, text, exitCode: report.ok ? 0 : 1 };
    },
  },
];

function showText(entries: readonly AuditRecord[], { paint, io }: CliContext): string {
  const rows = entries.map(({ seq, at, kind, tool = "", decision, outcome, rule, approval, cause, note }) => {
    const said = decision ?? outcome ?? kind;
    const colour = said === "deny" ? paint.bad : said === "allow" || said === "ok" ? paint.good : paint.warn;
    const why = [rule, approval ?? cause, note].filter((each) => each !== undefined);
    const when = new Date(at).toISOString().replace(/\.\d+Z$/u, "Z");
    return [String(seq), when, paint.dim(kind), visible(tool), colour(said), visible(why.join(" · "))];
  });
  return table(rows, io.columns);
}
