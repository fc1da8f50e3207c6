import { plural } from "../../../../base/text/text.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed } from "../../command.ts";
import { confirm } from "../../input.ts";
import { table } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

const optionalName = { name: "name", summary: "the profile; default: the active one", optional: true };
const yes = { flags: "-y, --yes", summary: "do not ask" };

/** Commands of `hermes profile` other than create, use and delete. */
export const profileVerbs: readonly CliCommand[] = [
  {
    path: ["profile", "show"],
    summary: "Show a profile: its home, description, model, skills and alias",
    args: [optionalName],
    run: show,
  },
  {
    path: ["profile", "info"],
    summary: "Show where a profile came from, with its version",
    args: [optionalName],
    run: show,
  },
  {
    path: ["profile", "describe"],
    summary: "Set or derive the description of a profile",
    details:
      "Without --text the description is the first sentence of SOUL.md, or a list of the skills; no model is called.",
    args: [optionalName],
    options: [
      { flags: "--text <text>", summary: "the description" },
      { flags: "--auto", summary: "derive the description; this is the default without --text" },
      { flags: "--overwrite", summary: "also replace an existing description" },
      { flags: "--all", summary: "all profiles" },
    ],
    async run(input, ctx) {
      const described = await ctx.run("profile.describe", {
        name: input.optionalArg("name"),
        text: input.option("text"),
        overwrite: input.flag("overwrite"),
        all: input.flag("all"),
      });
      const lines = described.profiles.map(
        ({ name, description, changed }) => `${name}: ${withoutControls(description)}${changed ? "" : " (kept)"}`,
      );
      return { data: described, text: lines.join("\n") };
    },
  },
  {
    path: ["profile", "rename"],
    summary: "Rename a profile",
    args: [
      { name: "name", summary: "the profile" },
      { name: "new-name", summary: "lower-case letters, digits, - and _" },
    ],
    async run(input, ctx) {
      const renamed = await ctx.run("profile.rename", { from: input.arg("name"), to: input.arg("new-name") });
      return { data: renamed, text: `Renamed ${renamed.from} to ${renamed.to} (${renamed.path}).` };
    },
  },
  {
    path: ["profile", "alias"],
    summary: "Create or remove a command that runs Hermes with a profile",
    details: "Writes a small script to ~/.local/bin. A file of another program is never replaced.",
    args: [optionalName],
    options: [
      { flags: "--name <command>", summary: "the command; default: the name of the profile" },
      { flags: "--remove", summary: "remove the command" },
    ],
    async run(input, ctx) {
      const request = { name: input.optionalArg("name"), alias: input.option("name"), remove: input.flag("remove") };
      const { file, removed } = await ctx.run("profile.alias", request);
      return {
        data: { file, removed },
        text: removed ? `Removed ${file}.` : `Created ${file}. Its folder must be in PATH.`,
      };
    },
  },
  {
    path: ["profile", "export"],
    summary: "Write a profile to a file, without secrets and history",
    args: [optionalName],
    options: [{ flags: "-o, --output <file>", summary: "the file; default: NAME-profile.tar.gz here" }],
    async run(input, ctx) {
      const { name } = await ctx.run("profile.show", { name: input.optionalArg("name") });
      const file = input.option("output") ?? `${name}-profile.tar.gz`;
      const written = await ctx.run("profile.export", { name, file });
      return { data: { ...written, file }, text: `Exported ${name} to ${file} (${plural(written.files, "file")}).` };
    },
  },
  {
    path: ["profile", "import"],
    summary: "Create a profile from an exported file",
    args: [{ name: "file", summary: "a file of `hermes profile export`" }],
    options: [{ flags: "--name <name>", summary: "its name; default: the name it had" }],
    async run(input, ctx) {
      const imported = await ctx.run("profile.import", { file: input.arg("file"), name: input.option("name") });
      return { data: imported, text: `Created ${imported.name} in ${imported.path}.` };
    },
  },
  {
    path: ["profile", "install"],
    summary: "Create a profile from a distribution: a git repository or a folder",
    details:
      "The folder has a distribution.yaml. Shows its content first. Settings that decide what may run (approvals, isolation, security,\n" +
      "hooks, plugins) and secrets are never installed.",
    args: [{ name: "source", summary: "a git URL or a folder" }],
    options: [
      { flags: "--name <name>", summary: "the profile; default: the name in distribution.yaml" },
      { flags: "--alias", summary: "also create a command" },
      { flags: "--force", summary: "replace the files of an existing profile" },
      yes,
    ],
    async run(input, ctx) {
      const source = input.arg("source");
      await confirmDistribution(source, input, ctx);
      const installed = await ctx.run("profile.install", {
        source,
        name: input.option("name"),
        force: input.flag("force"),
      });
      if (input.flag("alias")) await ctx.run("profile.alias", { name: installed.name });
      return { data: installed, text: installedText("Installed", installed) };
    },
  },
  {
    path: ["profile", "update"],
    summary: "Update a profile from its distribution",
    details: "Replaces the files that belong to the distribution. config.yaml stays unless you pass --force-config.",
    args: [optionalName],
    options: [{ flags: "--force-config", summary: "also replace config.yaml" }, yes],
    async run(input, ctx) {
      const { name, source } = await ctx.run("profile.show", { name: input.optionalArg("name") });
      if (source === undefined) throw new CommandFailed(`${name} was not installed from a distribution.`);
      await confirmDistribution(source, input, ctx);
      const updated = await ctx.run("profile.update", { name, forceConfig: input.flag("forceConfig") });
      return { data: updated, text: installedText("Updated", updated) };
    },
  },
];

async function show(input: CliInput, ctx: CliContext) {
  const profile = await ctx.run("profile.show", { name: input.optionalArg("name") });
  const { name, path, description, model, skills, source, version, alias, hasSecrets, sessionsBytes } = profile;
  const rows = [
    ["name", name],
    ["home", path],
    ["description", description || "none; `hermes profile describe` sets it"],
    ["model", model === "" ? "default" : model],
    [
      "skills",
      skills.length === 0
        ? "none"
        : `${skills.length}: ${skills.slice(0, 8).join(", ")}${skills.length > 8 ? " …" : ""}`,
    ],
    ["keys", hasSecrets ? "yes" : "none"],
    ["sessions", sessionsBytes === 0 ? "none" : `${(sessionsBytes / 1e6).toFixed(1)} MB`],
    ["alias", alias ?? "none"],
    ...(source === undefined
      ? []
      : [["distribution", `${source}${version === undefined ? "" : `, version ${version}`}`]]),
  ];
  return {
    data: profile,
    text: table(
      rows.map((row) => row.map(withoutControls)),
      Infinity,
    ),
  };
}

async function confirmDistribution(source: string, input: CliInput, ctx: CliContext): Promise<void> {
  if (input.flag("yes")) return;
  const manifest = await ctx.run("profile.inspectDistribution", { source });
  const lines = [
    `${manifest.name} ${manifest.version}${manifest.author === "" ? "" : ` by ${manifest.author}`}: ${manifest.description}`,
    `  brings: ${manifest.brings.join(", ") || "nothing"}`,
    ...(manifest.servers.length > 0 ? [`  MCP servers, which run programs: ${manifest.servers.join(", ")}`] : []),
    ...(manifest.leftOut.length > 0 ? [`  settings that are left out: ${manifest.leftOut.join(", ")}`] : []),
    ...(manifest.missing.length > 0 ? [`  variables that it needs: ${manifest.missing.join(", ")}`] : []),
  ];
  if (!ctx.json) ctx.io.warn(`${lines.map(withoutControls).join("\n")}\n`);
  await confirm(input, ctx, "Install it? Its skills and servers can influence what the agent does.");
}

function installedText(
  verb: string,
  {
    name,
    path,
    version,
    leftOut,
    variables,
  }: {
    readonly name: string;
    readonly path: string;
    readonly version: string;
    readonly leftOut: readonly string[];
    readonly variables: readonly string[];
  },
): string {
  return [
    `${verb} ${name} ${version} in ${path}.`,
    ...(leftOut.length > 0 ? [`Not installed, because only you can set them: ${leftOut.join(", ")}.`] : []),
    ...(variables.length > 0
      ? [`It needs: ${variables.join(", ")}. \`hermes -p ${name} config set NAME VALUE\` sets them.`]
      : []),
  ]
    .map(withoutControls)
    .join("\n");
}
