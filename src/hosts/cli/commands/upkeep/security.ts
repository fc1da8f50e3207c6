import { plural } from "../../../../base/text/text.ts";
import type { CliCommand } from "../../command.ts";
import { choiceOption } from "../../input.ts";
import { withoutControls } from "../../without-controls.ts";

const levels = ["low", "moderate", "high", "critical"] as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["security", "audit"],
    summary: "Check this installation for security weaknesses",
    details:
      "Checks settings that switch protections off, modes of files, secrets in config.yaml, plugins and MCP servers. For packages that MCP\n" +
      "servers run it queries the OSV database, and reports if that cannot be reached. Changes nothing. The exit code is 1 if a finding has\n" +
      "at least the level of --fail-on.",
    options: [
      { flags: "--fail-on <level>", summary: "low, moderate, high or critical (default)", choices: levels },
      { flags: "--skip-plugins", summary: "do not check plugins" },
      { flags: "--skip-mcp", summary: "do not check MCP servers, and query no database" },
    ],
    examples: ["hermes security audit", "hermes security audit --fail-on high --json"],
    async run(input, ctx) {
      const limit = levels.indexOf(choiceOption(input, "failOn", levels) ?? "critical");
      const { findings, unchecked } = await ctx.run("security.audit", {
        skipPlugins: input.flag("skipPlugins"),
        skipMcp: input.flag("skipMcp"),
      });
      const failed = findings.filter(({ level }) => levels.indexOf(level) >= limit).length;
      const { paint } = ctx;
      const paints = { low: paint.dim, moderate: paint.warn, high: paint.bad, critical: paint.bad };
      const lines = findings
        .toSorted((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level))
        .flatMap(({ level, place, message, advice }) => [
          `${paints[level](level.padEnd(8))}  ${withoutControls(`${place}: ${message}`)}`,
          `          ${paint.dim(`→ ${withoutControls(advice)}`)}`,
        ]);
      const text = [
        ...lines,
        ...unchecked.map((each) => `${paint.dim("advisories not checked")}  ${withoutControls(each)}`),
        findings.length === 0 ? paint.good("Nothing found.") : `${plural(findings.length, "finding")}.`,
      ].join("\n");
      return { data: { ok: failed === 0, findings, unchecked }, text, exitCode: failed === 0 ? 0 : 1 };
    },
  },
];
