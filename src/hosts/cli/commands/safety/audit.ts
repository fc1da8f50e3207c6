import { plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { numberOption, sessionOption } from "../../input.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["audit", "show"],
    summary: "Show the newest decisions and effects",
    options: [
      { flags: "-n, --limit <count>", summary: "maximum number of entries; default: 50" },
      { flags: "--session <id>", summary: "only this session: an id, its beginning, a title or latest" },
      { flags: "--denied", summary: "only denials" },
    ],
    async run(input, ctx) {
      const shown = await ctx.run("audit.show", {
        limit: numberOption(input, "limit"),
        session: await sessionOption(input, ctx),
        denied: input.flag("denied"),
      });
      return {
        data: shown,
        text: shown.entries.length === 0 ? "The audit log has no entries." : showText(shown, ctx),
      };
    },
  },
  {
    path: ["audit", "verify"],
    summary: "Check whether the audit log was changed or truncated; exit code 1 if it was",
    details: "--head takes a link that this command printed earlier, and proves that the log still has it.",
    options: [{ flags: "--head <link>", summary: "number and hash of an entry, as NUMBER:HASH" }],
    async run(input, ctx) {
      const { paint } = ctx;
      const report = await ctx.run("audit.verify", { head: input.option("head") });
      const { ok, entries, faults, head, tornBytes } = report;
      const torn =
        tornBytes > 0
          ? `\n${paint.warn("!")} An interrupted write left ${plural(tornBytes, "byte")} at the end. The next entry removes them and says so; no confirmed entry is missing.`
          : "";
      const state = head
        ? `${paint.good("✓")} ${plural(entries, "entry")}, unchanged${torn}\n${paint.dim(`head ${head.seq}:${head.hash}`)}`
        : "The audit log has no entries, or somebody removed it with its head.";
      const damage = [
        `${paint.bad("✗")} The audit log was damaged or changed:`,
        ...faults.map((fault) => `  ${escapeInvisible(fault)}`),
      ];
      return { data: report, text: ok ? state : damage.join("\n"), exitCode: ok ? 0 : 1 };
    },
  },
];

function showText({ entries }: OutputOf<"audit.show">, { paint, io }: CliContext): string {
  const rows = entries.map(({ seq, at: time, kind, tool = "", decision, outcome, ...entry }) => {
    const result = decision ?? outcome ?? kind;
    const colour = result === "deny" ? paint.bad : result === "allow" || result === "ok" ? paint.good : paint.warn;
    const approval = entry.approval === "none" ? undefined : entry.approval;
    const why = [entry.what, entry.rule, approval ?? entry.cause, entry.note].filter((each) => each !== undefined);
    // For a refusal of the sandbox, shows the plugin instead of a tool.
    const actor = tool === "" && entry.who?.startsWith("plugin ") ? entry.who : tool;
    return [
      String(seq),
      new Date(time).toISOString().replace(/\.\d+Z$/u, "Z"),
      paint.dim(kind),
      escapeInvisible(actor),
      colour(result),
      escapeInvisible(why.join(" · ")),
    ];
  });
  return table(rows, io.columns);
}
