import { plural } from "../../../../base/text/text.ts";
import type { Finding } from "../../../../contracts/host/finding.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext } from "../../command.ts";
import { wrap } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["doctor"],
    showsWarnings: true,
    summary: "Check this machine and show fixes",
    details:
      "Checks the platform, the home, the configuration, the model, the programs that tools use and the tools. Changes nothing " +
      "without --fix.\nThe exit code is 1 if something must be fixed.",
    options: [
      {
        flags: "--fix",
        summary: "first make safe repairs: file permissions, deprecated keys, a missing home; deletes nothing",
      },
    ],
    async run(input, ctx) {
      const repairs = input.flag("fix") ? await ctx.run("doctor.fix", {}) : undefined;
      const { findings: machine, hasConfig } = await ctx.run("doctor.machine", {});
      const findings = [...machine, ...(hasConfig ? (await ctx.run("doctor.home", {})).findings : [])];
      const bad = findings.filter(({ state }) => state === "bad").length;
      return {
        data: { ok: bad === 0, ...(repairs && { repairs }), findings },
        text: `${repairs ? `${repairText(repairs, ctx)}\n\n` : ""}${report(findings, bad, ctx)}`,
        exitCode: bad === 0 && (repairs?.failed.length ?? 0) === 0 ? 0 : 1,
      };
    },
  },
];

function repairText({ done, failed }: OutputOf<"doctor.fix">, { paint, io }: CliContext): string {
  if (done.length + failed.length === 0) return "--fix: nothing that it can repair.";
  const lines = [
    ...done.map((sentence) => `${paint.good("fixed")}  ${sentence}`),
    ...failed.map((sentence) => `${paint.bad("not fixed")}  ${sentence}`),
  ];
  return lines.map((line) => wrap(line, io.columns)).join("\n");
}

function report(findings: readonly Finding[], bad: number, { paint, io }: CliContext): string {
  const marks = { good: paint.good("✓"), note: paint.warn("•"), bad: paint.bad("✗") };
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, found: detail, advice }) => [
    wrap(`${marks[state]} ${paint.bold(name.padEnd(width))}  ${detail}`, io.columns),
    ...(advice ? [wrap(`    ${paint.dim(`→ ${advice}`)}`, io.columns)] : []),
  ]);
  const notes = findings.filter(({ state }) => state === "note").length;
  const remarks = notes > 0 ? `; ${plural(notes, "remark")}` : "";
  const verdict =
    bad === 0 ? paint.good(`Nothing to fix${remarks}.`) : paint.bad(`${plural(bad, "problem")} to fix${remarks}.`);
  return `${lines.join("\n")}\n\n${verdict}`;
}
