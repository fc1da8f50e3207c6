import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm } from "../../input.ts";
import { askLine } from "../../questions/ask-line.ts";
import { askVariables } from "./ask-variables.ts";
import { enableNow } from "./enable-plugin.ts";
import { changeText, inspectedText } from "./plugin-text.ts";

const name = { name: "name", summary: "key or name of the plugin" };
const yes = { flags: "-y, --yes", summary: "do not ask" };

/** Commands that add, replace and delete plugins. */
export const installCommands: readonly CliCommand[] = [
  {
    path: ["plugins", "install"],
    summary: "Install a plugin from a folder, a git repository or npm",
    details:
      "Fetches the plugin into quarantine and scans it; shows its manifest, its permissions and what the scan reports, then asks. " +
      "Installs exactly the content shown and pins it by its hash. Nothing of the plugin runs, no install script either, until you enable it.",
    args: [{ name: "source", summary: "a folder, a .tgz file, a git URL (URL#folder), owner/repository, or npm:NAME" }],
    options: [
      { flags: "--enable", summary: "enable it after the installation" },
      { flags: "--no-enable", summary: "do not enable it, and do not ask" },
      yes,
    ],
    examples: [
      "hermes plugins install ./calculator",
      "hermes plugins install owner/repository --enable",
      "hermes plugins install npm:hermes-weather",
    ],
    run: install,
  },
  {
    path: ["plugins", "update"],
    summary: "Fetch installed plugins again; asks when something changed",
    details: "Shows the difference. New permissions need your answer even with --yes: pass --accept-permissions.",
    args: [{ ...name, optional: true, summary: "key or name of the plugin; default: all that were installed" }],
    options: [
      { flags: "--check", summary: "only report newer versions" },
      { flags: "--accept-permissions", summary: "with --yes: also accept new permissions" },
      yes,
    ],
    run: update,
  },
  {
    path: ["plugins", "remove"],
    summary: "Unload a plugin and delete its folder, pin, grants and settings",
    details: "Also deletes skills that it placed and nobody edited. `hermes plugins uninstall` is the same.",
    args: [name],
    options: [
      { flags: "--delete-data", summary: "delete its data folder too" },
      { flags: "--keep-data", summary: "keep its data folder, and do not ask" },
      yes,
    ],
    run: remove,
  },
  {
    path: ["plugins", "create"],
    summary: "Write a new plugin with a tool, a README and a test",
    args: [{ name: "name", summary: "name of the plugin" }],
    options: [
      { flags: "--python", summary: "in Python; default: TypeScript" },
      { flags: "--in <folder>", summary: "an existing parent folder; default: the plugins of the home" },
    ],
    async run(input, ctx) {
      const language = input.flag("python") ? "python" : "typescript";
      // `--in FOLDER` creates the plugin below that folder.
      const parent = input.option("in") === undefined ? undefined : ctx.cwd;
      const data = await ctx.run("plugins.create", { name: input.arg("name"), language, in: parent });
      const next = data.isInHome
        ? `hermes plugins enable ${data.created}`
        : `hermes plugins install ${data.folder} --enable`;
      return { data, text: `Wrote ${data.folder}: ${data.files.join(", ")}\nTo load it: ${next}` };
    },
  },
];

async function install(input: CliInput, ctx: CliContext): Promise<Reply> {
  if (input.flag("enable") && input.flag("noEnable"))
    throw new CommandFailed("--enable and --no-enable exclude each other.", undefined, 2);
  const plugin = await ctx.run("plugins.inspect", { source: input.arg("source") });
  const { key, hash, variables } = plugin;
  const text = inspectedText(plugin, ctx);
  await confirm(input, ctx, `${text}\nInstall ${key}?`);
  const data = await ctx.run("plugins.install", { hash });
  const shown = `${input.flag("yes") ? `${text}\n` : ""}Installed ${key}.`;
  const wantsEnable = input.flag("enable") || (await asksToEnable(key, input, ctx));
  if (!wantsEnable) {
    await askVariables(variables, ctx);
    return {
      data: { ...data, plugin, isEnabled: false },
      text: `${shown} Nothing of it has run. To load it: hermes plugins enable ${key}`,
    };
  }
  const enabled = await enableNow(key, variables, ctx);
  return {
    data: { ...data, plugin, isEnabled: true, enabled: enabled.data },
    text: `${shown}\n${enabled.text}`,
    exitCode: enabled.exitCode ?? 0,
  };
}

async function asksToEnable(key: string, input: CliInput, ctx: CliContext): Promise<boolean> {
  if (input.flag("noEnable") || input.flag("yes") || ctx.json || !ctx.io.stdinIsTerminal) return false;
  return /^y(?:es)?$/iu.test(await askLine(ctx.io, `Enable ${key} now with these permissions? [y/N] `, ctx.signal));
}

async function update(input: CliInput, ctx: CliContext): Promise<Reply> {
  const given = input.optionalArg("name");
  const { plugins } = await ctx.run("plugins.installed", {});
  const names = given === undefined ? plugins.map(({ key }) => key) : [given];
  const results: Omit<Updated, "text">[] = [];
  const lines: string[] = [];
  for (const each of names) {
    // If one plugin is named, a failure ends the command; otherwise it continues with the other plugins.
    const { text, ...result } = await updateOne(each, input, ctx).catch((thrown: unknown): Updated => {
      if (given !== undefined || !(thrown instanceof CommandFailed) || ctx.signal.aborted) throw thrown;
      return { key: each, state: "failed", text: `${each}: ${thrown.message}` };
    });
    results.push(result);
    lines.push(text);
  }
  return {
    data: { plugins: results },
    text: lines.join("\n") || "No plugin was installed by `hermes plugins install`.",
    exitCode: results.some(({ state }) => state === "failed" || state === "refused") ? 1 : 0,
  };
}

interface Updated {
  readonly key: string;
  readonly state: "current" | "newer" | "refused" | "updated" | "failed";
  /** The newest version, if it differs from the installed one. */
  readonly next?: OutputOf<"plugins.checkUpdate">["next"];
  readonly text: string;
}

async function updateOne(given: string, input: CliInput, ctx: CliContext): Promise<Updated> {
  const { key, isNewer, next } = await ctx.run("plugins.checkUpdate", { name: given });
  if (!isNewer) return { key, state: "current", text: `${key} is up to date.` };
  if (input.flag("check"))
    return { key, state: "newer", next, text: `${key} has a newer version.\n${changeText(next, ctx)}` };
  const isAccepted = await acceptsUpdate(next, input, ctx);
  if (isAccepted !== true)
    return { key, state: "refused", next, text: `${key} stays as it is. ${isAccepted}`.trimEnd() };
  await ctx.run("plugins.install", { hash: next.hash });
  await askVariables(next.variables, ctx);
  return { key, state: "updated", next, text: `Updated ${key}.` };
}

/** Returns true if the update is accepted, otherwise the reason. */
async function acceptsUpdate(
  next: OutputOf<"plugins.checkUpdate">["next"],
  input: CliInput,
  ctx: CliContext,
): Promise<true | string> {
  const added = next.installed?.added ?? [];
  if (input.flag("yes") && (added.length === 0 || input.flag("acceptPermissions"))) return true;
  const listed = added.map(escapeInvisible).join(", ");
  if (!ctx.io.stdinIsTerminal || ctx.json)
    return added.length > 0
      ? `The new version requests: ${listed}. To accept it: hermes plugins update ${next.key} --yes --accept-permissions`
      : "Pass --yes to update without a question.";
  const question = added.length > 0 ? `Update ${next.key} and give it ${listed}?` : `Update ${next.key}?`;
  const answer = await askLine(
    ctx.io,
    `${inspectedText(next, ctx)}\n${changeText(next, ctx)}\n${question} [y/N] `,
    ctx.signal,
  );
  return /^y(?:es)?$/iu.test(answer) ? true : "";
}

async function remove(input: CliInput, ctx: CliContext): Promise<Reply> {
  const plugin = await ctx.run("plugins.info", { name: input.arg("name") });
  const { key, folder, installed } = plugin;
  const own = installed || plugin.source !== "home" ? "" : " It was not installed: this may be the only copy.";
  await confirm(input, ctx, `Delete ${folder} with the grants and settings of ${key}?${own}`);
  const data = await ctx.run("plugins.remove", { name: key, data: await deletesData(plugin, input, ctx) });
  const rest = data.data === undefined ? "" : ` Its data stays in ${data.data}`;
  const skills = data.skills.length === 0 ? "" : ` Its skills are gone too: ${data.skills.join(", ")}.`;
  return { data, text: `Removed ${key}.${skills}${rest}` };
}

async function deletesData(
  { key, data }: OutputOf<"plugins.info">,
  input: CliInput,
  ctx: CliContext,
): Promise<boolean> {
  if (input.flag("deleteData")) return true;
  if (data.isEmpty || input.flag("keepData") || input.flag("yes") || ctx.json || !ctx.io.stdinIsTerminal) return false;
  return /^y(?:es)?$/iu.test(
    await askLine(ctx.io, `Delete the data of ${key} too (${data.folder})? [y/N] `, ctx.signal),
  );
}
