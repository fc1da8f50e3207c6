import { type CliCommand, type CliContext, CommandFailed } from "../../command.ts";
import type { ValueList } from "../../completion/completed-values.ts";
import type { CompletionNode } from "../../completion/completion-tree.ts";
import { withoutControls } from "../../without-controls.ts";

const shells = ["bash", "zsh", "fish"] as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["completion", "values"],
    isHidden: true,
    summary: "Print a list of names while the user presses Tab: one name per line, then a tab and a description",
    args: [{ name: "list", summary: "such as sessions, profiles or models" }],
    async run(input, ctx) {
      const listed = await listValues(input.arg("list"), ctx);
      // Omits names that a shell could not read as one word of one line.
      const safe = listed.filter(
        ([value]) => value !== "" && value === withoutControls(value) && !value.startsWith("-"),
      );
      const lines = safe.map(
        ([value, about = ""]) => `${value}\t${withoutControls(about).replaceAll(/\s+/gu, " ").slice(0, 100)}`,
      );
      return { data: { values: safe.map(([value]) => value) }, text: lines.join("\n") };
    },
  },
  {
    path: ["completion"],
    summary: "Print a script that completes commands, options and names in your shell",
    details:
      "For the current shell only: source <(hermes completion bash). To enable it permanently, add that line to ~/.bashrc or, after compinit, to ~/.zshrc;\n" +
      "for fish: hermes completion fish > ~/.config/fish/completions/hermes.fish. Run it again after an update.",
    args: [{ name: "shell", summary: "bash, zsh or fish", choices: shells }],
    examples: [
      "source <(hermes completion bash)",
      "source <(hermes completion zsh)",
      "hermes completion fish > ~/.config/fish/completions/hermes.fish",
    ],
    async run(input, ctx) {
      const shell = shells.find((name) => name === input.arg("shell"));
      if (shell === undefined)
        throw new CommandFailed(`"${input.arg("shell")}": use ${shells.join(", ")}.`, undefined, 2);
      const { completionTree } = await import("../../completion/completion-tree.ts");
      const nodes = completionTree(ctx.groups);
      const script = await scripts[shell](nodes);
      return { data: { shell, script }, text: script };
    },
  },
];

const scripts: Readonly<Record<(typeof shells)[number], (nodes: readonly CompletionNode[]) => Promise<string>>> = {
  bash: async (nodes) => (await import("../../completion/bash-script.ts")).bashScript(nodes),
  zsh: async (nodes) => (await import("../../completion/zsh-script.ts")).zshScript(nodes),
  fish: async (nodes) => (await import("../../completion/fish-script.ts")).fishScript(nodes),
};

type Value = readonly [value: string, about?: string];

const lists: Readonly<Record<ValueList, (ctx: CliContext) => Promise<readonly Value[]>>> = {
  agents: async ({ run }) => (await run("agents.list", {})).agents.map(({ name, description }) => [name, description]),
  approvals: async ({ run }) => (await run("approvals.list", {})).approvals.map(({ id, text }) => [id, text]),
  bundles: async ({ run }) =>
    (await run("bundles.list", {})).bundles.map(({ name, description }) => [name, description]),
  catalog: async ({ run }) => (await run("mcp.catalog", {})).servers.map(({ name, about }) => [name, about]),
  commands: async (ctx) => {
    const { openPluginCommands } = await import("../../open-plugin-commands.ts");
    await using opened = await openPluginCommands(ctx.groups, ctx.profile, ctx);
    return (opened?.list() ?? []).map(({ name, summary, plugin }) => [name, `${summary} (${plugin})`]);
  },
  mixtures: async ({ run }) => (await run("moa.list", {})).presets.map(({ name }) => [name]),
  models: async ({ run }) => (await run("model.names", {})).names.map(({ name, note }) => [name, note]),
  plugins: async ({ run }) => (await run("plugins.list", {})).plugins.map(({ name }) => [name]),
  profiles: async ({ run }) => (await run("profile.list", {})).profiles.map(({ name, path }) => [name, path]),
  providers: async ({ run }) => (await run("model.list", { all: true })).providers.map(({ id, title }) => [id, title]),
  servers: async ({ run }) => (await run("mcp.list", {})).servers.map(({ name }) => [name]),
  sessions: async ({ run }) =>
    (await run("sessions.list", { limit: 100 })).sessions.map(({ id, title }) => [id, title ?? ""]),
  settings: async ({ run }) => (await run("config.show", {})).settings.map(({ key }) => [key]),
  skills: async ({ run }) => (await run("skills.list", {})).skills.map(({ name, description }) => [name, description]),
  skins: async ({ run }) => (await run("skins.list", {})).skins.map(({ name, description }) => [name, description]),
  taps: async ({ run }) => (await run("hub.taps", {})).taps.map((tap) => [tap]),
  tools: async ({ run }) => (await run("tools.list", { all: true })).tools.map(({ name }) => [name]),
  toolsets: async ({ run }) =>
    (await run("toolsets.list", {})).toolsets.map(({ name, description }) => [name, description]),
};

/** Returns nothing if the list cannot be read: a completion shows no errors. */
async function listValues(name: string, ctx: CliContext): Promise<readonly Value[]> {
  if (!Object.hasOwn(lists, name)) throw new CommandFailed(`There is no list "${name}".`, undefined, 2);
  return lists[name as ValueList](ctx).catch((thrown: unknown) => {
    if (ctx.env["HERMES_DEBUG"]) throw thrown;
    return [];
  });
}
