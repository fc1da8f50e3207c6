import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log/log.ts";
import { plural } from "../../../base/text/text.ts";
import { isOriginalHome, rootHome, userFolder } from "../../../config/home.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import type { Finding } from "../../../contracts/host/finding.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { wrap } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["doctor"],
    showsWarnings: true,
    summary: "Check this machine and say what to do",
    details:
      "Looks at the platform, the home, the configuration, the model, the programs that tools use and the tools themselves. Changes nothing.\nThe exit code is 1 when something must be repaired.",
    async run(_input, ctx) {
      const { examineMachine, examineSessions } = await import("../../../runtime/store/sessions-health.ts");
      const { config, findings: configFindings } = await examineConfig(ctx);
      const machine = await examineMachine({
        platform: process.platform,
        arch: process.arch,
        nodeVersion: process.versions.node,
        path: ctx.env.PATH ?? "",
        home: config?.home.path ?? rootHome(ctx.env, ctx.cwd).root,
        cwd: ctx.cwd,
        userFolder: userFolder(ctx.env),
      });
      const findings = [
        ...machine,
        ...configFindings,
        ...(config
          ? [
              await examineModel(config),
              ...(await examineSessions(config)),
              await examineIsolation(config, ctx),
              ...(await examineTools(ctx)),
            ]
          : []),
      ];
      const bad = findings.filter(({ state }) => state === "bad").length;
      return {
        data: { ok: bad === 0, findings: findings.map((finding) => ({ ...finding })) },
        text: report(findings, bad, ctx),
        exitCode: bad === 0 ? 0 : 1,
      };
    },
  },
];

async function examineConfig(ctx: CliContext): Promise<{ config?: LoadedConfig; findings: readonly Finding[] }> {
  try {
    const config = await ctx.config();
    const findings = config.warnings.map((warning): Finding => ({ name: "config", state: "note", found: warning }));
    const original = await isOriginalHome(config.home.path);
    if (original.length > 0) {
      findings.push({
        name: "original",
        state: "note",
        found: `the Python Hermes uses this home too (${original.join(", ")}); its files are left alone`,
      });
    }
    if (findings.length === 0) findings.push({ name: "config", state: "good", found: "understood" });
    return { config, findings };
  } catch (thrown) {
    if (!(thrown instanceof CommandFailed)) throw thrown;
    return {
      findings: [{ name: "config", state: "bad", found: thrown.message, ...(thrown.hint && { advice: thrown.hint }) }],
    };
  }
}

/** Which model answers, without asking it. */
async function examineModel(config: LoadedConfig): Promise<Finding> {
  const { openModels } = await import("../../../runtime/models/models.ts");
  await using models = openModels(config, { clock: systemClock, log: silentLog });
  const found = models.resolve();
  if (!found.ok) return { name: "model", state: "bad", found: found.error.message };
  const route = found.value;
  if (route === "offline")
    return {
      name: "model",
      state: "note",
      found: "none is connected: a built-in one answers, by fixed rules, no AI",
      advice: "A real one: `hermes auth add PROVIDER`, then `hermes model use PROVIDER/MODEL`.",
    };
  const { provider, model } = models.facts(route);
  const name = `${provider}/${model}`;
  const isKeyless = route.keys.keyless || route.program !== undefined || route.mixture !== undefined;
  if (isKeyless || models.pool.list(route).length > 0)
    return { name: "model", state: "good", found: `${name} (${route.chosen}); \`hermes model test\` asks it` };
  return { name: "model", state: "bad", found: `${name}: there is no key`, advice: route.keys.advice };
}

async function examineIsolation(config: LoadedConfig, { cwd, signal }: CliContext): Promise<Finding> {
  const { describeIsolation } = await import("../../../runtime/environment/open-isolation.ts");
  const { mode, text, hint } = await describeIsolation(config, cwd, signal);
  const state = mode === "on" ? "good" : mode === "off" ? "note" : "bad";
  return { name: "isolation", state, found: text, ...(hint !== undefined && { advice: hint }) };
}

async function examineTools(ctx: CliContext): Promise<readonly Finding[]> {
  const toolbox = await ctx.toolbox();
  const statuses = await toolbox.overview(ctx.signal);
  const usable = statuses.filter(({ state }) => state === "direct" || state === "searchable");
  const findings: Finding[] = [
    usable.length > 0
      ? { name: "tools", state: "good", found: `${plural(usable.length, "tool")} available` }
      : {
          name: "tools",
          state: "bad",
          found: (await toolbox.catalog(ctx.signal)).empty ?? "no tool is available",
          advice: "hermes tools list --all shows why.",
        },
  ];
  for (const notice of (await toolbox.catalog(ctx.signal)).notices) {
    findings.push({ name: "selection", state: "note", found: notice });
  }
  for (const { tool, state, why } of statuses) {
    // What a conversation alone has is no matter of this machine.
    if (state === "unavailable" && why !== "needs a session")
      findings.push({ name: tool.name, state: "note", found: why ?? "unavailable" });
  }
  for (const { source, message } of toolbox.diagnostics)
    findings.push({ name: "tool file", state: "note", found: `${source}: ${message}`, advice: "The rest was loaded." });
  return findings;
}

function report(findings: readonly Finding[], bad: number, { paint, io }: CliContext): string {
  const marks = { good: paint.good("✓"), note: paint.warn("•"), bad: paint.bad("✗") };
  const longest = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, found, advice }) => [
    wrap(`${marks[state]} ${paint.bold(name.padEnd(longest))}  ${found}`, io.columns),
    ...(advice ? [wrap(`    ${paint.dim(`→ ${advice}`)}`, io.columns)] : []),
  ]);
  const notes = findings.filter(({ state }) => state === "note").length;
  const remarks = notes > 0 ? `; ${plural(notes, "remark")}` : "";
  const verdict =
    bad === 0
      ? paint.good(`Nothing must be repaired${remarks}.`)
      : paint.bad(`${plural(bad, "thing")} to repair${remarks}.`);
  return `${lines.join("\n")}\n\n${verdict}`;
}
