import { oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext, CliInput, Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm } from "../../input.ts";
import { table, wrap } from "../../table.ts";
import { commandClashes } from "./command-clashes.ts";
import { enableNow } from "./enable-plugin.ts";
import { pluginText, stateText } from "./plugin-text.ts";
import { installCommands } from "./plugins-install.ts";

const name = { name: "name", summary: "key or name of the plugin" };
const yes = { flags: "-y, --yes", summary: "do not ask" };
const permissions = {
  name: "permissions",
  summary:
    "net:HOST, read:PATH, write:PATH, env:NAME, tools:NAME, exec; also unconfined, in-process, replace-tools (see docs/guide/plugins.md)",
  rest: true,
};

export const commands: readonly CliCommand[] = [
  {
    path: ["plugins", "list"],
    summary: "List the plugins, and why some are not loaded",
    options: [{ flags: "--safe-mode", summary: "list them as safe mode sees them: it loads none" }],
    async run(input, ctx) {
      const data = await ctx.run("plugins.list", { search: true });
      const text = listText(data, ctx);
      return { data, text: input.flag("safeMode") ? `Safe mode loads none of these plugins:\n${text}` : text };
    },
  },
  {
    path: ["plugins", "info"],
    summary: "Show everything about one plugin: source, permissions, variables, contributions, state",
    args: [name],
    async run(input, ctx) {
      const plugin = await ctx.run("plugins.info", { name: input.arg("name") });
      return { data: plugin, text: pluginText(plugin, ctx) };
    },
  },
  {
    path: ["plugins", "enable"],
    summary: "Enable a plugin: shows its permissions, asks, then registers what it contributes",
    details: "Also accepts an installed plugin whose folder was changed, and tries a broken one again.",
    args: [name],
    options: [yes],
    run: enable,
  },
  {
    path: ["plugins", "disable"],
    summary: "Disable a plugin and unload it",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("plugins.disable", { name: input.arg("name") });
      return { data, text: `Disabled ${data.key}. To load it again: hermes plugins enable ${data.key}` };
    },
  },
  ...installCommands,
  {
    path: ["plugins", "grant"],
    summary: "Give a plugin permissions beyond those of its manifest",
    args: [name, permissions],
    options: [yes],
    examples: ["hermes plugins grant weather net:api.example.com", "hermes plugins grant notes write:~/notes"],
    async run(input, ctx) {
      const requested = input.rest("permissions");
      const { key } = await ctx.run("plugins.info", { name: input.arg("name") });
      if (requested.some((each) => each === "unconfined" || each === "in-process"))
        await confirm(input, ctx, `${key} could then do everything that you can do. Grant ${requested.join(", ")}?`);
      const data = await ctx.run("plugins.grant", { name: key, permissions: requested });
      const lines = [`Granted ${requested.join(", ")} to ${key}.${grantsText(data.all)}`, ...data.warnings];
      return { data, text: lines.join("\n") };
    },
  },
  {
    path: ["plugins", "revoke"],
    summary: "Revoke permissions that you granted to a plugin",
    args: [name, permissions],
    async run(input, ctx) {
      const requested = input.rest("permissions");
      const data = await ctx.run("plugins.revoke", { name: input.arg("name"), permissions: requested });
      return { data, text: `Revoked ${requested.join(", ")} of ${data.key}.${grantsText(data.all)}` };
    },
  },
  {
    path: ["plugins", "doctor"],
    summary: "Check every plugin, and what plugins need on this machine",
    details:
      "Checks the sandbox and the interpreter, and for each plugin its manifest, variables and pin, and whether it still registers. " +
      "Lists what this host does not support. The exit code is 1 if something must be fixed.",
    args: [{ ...name, optional: true }],
    run: doctor,
  },
];

function listText({ plugins, problems }: OutputOf<"plugins.list">, ctx: CliContext): string {
  const rows = plugins.map((plugin) => {
    const { key, version, state, why, tools, refusedTools, hooks, contributes, description } = plugin;
    const { hooks: _, toolsets: __, ...others } = contributes;
    const counts = [
      plural(tools.length, "tool"),
      plural(hooks.length, "hook"),
      ...refusedTools.map((tool) => ctx.paint.warn(escapeInvisible(`${tool.name} is not used: ${tool.why}`))),
      ...Object.entries(others).map(([kind, names]) => escapeInvisible(`${kind} ${names.join(" ")}`)),
    ].join(", ");
    const details = state === "active" ? counts : state === "disabled" ? "" : why;
    const about = [details, ctx.paint.dim(escapeInvisible(description))].filter(Boolean).join(" · ");
    return [
      ctx.paint.bold(escapeInvisible(key)),
      version === "" ? "" : `v${escapeInvisible(version)}`,
      stateText(state, ctx),
      plugin.source,
      oneLine(about, 300),
    ];
  });
  const faults = problems.map(({ message }) => `${ctx.paint.bad("✗")} ${escapeInvisible(message)}`);
  const none = "There are no plugins. `hermes plugins install` gets one, `hermes plugins create NAME` writes one.";
  return [rows.length === 0 ? none : table(rows, ctx.io.columns), ...faults].join("\n");
}

async function enable(input: CliInput, ctx: CliContext): Promise<Reply> {
  const plugin = await ctx.run("plugins.info", { name: input.arg("name") });
  const isChanged = plugin.installed?.isEdited === true;
  const warning = isChanged ? "\nIts folder changed since you installed it; enabling accepts the change." : "";
  await confirm(input, ctx, `${pluginText(plugin, ctx)}${warning}\nEnable ${plugin.key}?`);
  return enableNow(plugin.key, plugin.variables, ctx);
}

async function doctor(input: CliInput, ctx: CliContext): Promise<Reply> {
  const examined = await ctx.run("plugins.doctor", { name: input.optionalArg("name") });
  const { plugins } = await ctx.run("plugins.list", {});
  const clashes = (await commandClashes(plugins, ctx)).flatMap(({ plugin, message }) =>
    examined.findings.some((finding) => finding.name === plugin)
      ? [{ name: plugin, state: "note" as const, found: message, advice: "Ask its author for another name." }]
      : [],
  );
  const findings = [...examined.findings, ...clashes];
  const { paint, io } = ctx;
  const marks = { good: paint.good("✓"), note: paint.warn("•"), bad: paint.bad("✗") };
  const bad = findings.filter(({ state }) => state === "bad").length;
  const lines = findings.flatMap(({ name: plugin, state, found: detail, advice }) => [
    wrap(`${marks[state]} ${paint.bold(escapeInvisible(plugin))}  ${escapeInvisible(detail)}`, io.columns),
    ...(advice === undefined ? [] : [wrap(`    ${paint.dim(`→ ${escapeInvisible(advice)}`)}`, io.columns)]),
  ]);
  const verdict = bad === 0 ? paint.good("Nothing to fix.") : paint.bad(`${plural(bad, "problem")} to fix.`);
  return { data: { ok: bad === 0, findings }, text: `${lines.join("\n")}\n\n${verdict}`, exitCode: bad === 0 ? 0 : 1 };
}

function grantsText(all: readonly string[]): string {
  return all.length === 0 ? " It has no grants now." : ` Its grants: ${all.join(", ")}.`;
}
