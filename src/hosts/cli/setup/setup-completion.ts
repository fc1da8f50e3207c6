import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { reasonOf } from "../../../base/result.ts";
import { homeFolder } from "../../../base/this-user.ts";
import { pathInHome } from "../../../operations/settings/load-settings.ts";
import { type CliContext, type CliInput, CommandFailed } from "../command.ts";
import type { SetupOutcome, SetupScene } from "./setup-answers.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** Writes the completion script to a place where the shell finds it. Never changes a start-up file of the user. */
export async function setUpCompletion({ ctx, answers, dialog, say }: SetupScene): Promise<SetupOutcome> {
  const unchanged: SetupOutcome = { section: "completion", isChanged: false, result: "unchanged" };
  const used = shells.find((shell) => shell === basename(ctx.env["SHELL"] ?? ""));
  let shell = answers.completion;
  if (shell === undefined && dialog) {
    const choices = [
      ...shells.map((label) => ({ label, description: label === used ? "your shell" : "" })),
      { label: "none" },
    ];
    const initial = used === undefined ? shells.length : shells.indexOf(used);
    const picked = await dialog.choose({ title: "Complete hermes commands with Tab in your shell?", choices, initial });
    shell = typeof picked === "number" ? (shells[picked] ?? "none") : "none";
  }
  if (shell === undefined || shell === "none") return unchanged;
  const script = await completionScript(shell, ctx);
  if (script === undefined) return { ...unchanged, result: "this version has no completion scripts" };
  const file = await fileFor(shell, ctx);
  try {
    await makeFolder(dirname(file.path), 0o700);
    const before = await readFile(file.path, "utf8").catch(() => undefined);
    if (before === script) return { ...unchanged, result: `${file.path} is up to date` };
    const written = await writeFileAtomic(file.path, script, { mode: 0o644 });
    if (!written.ok) throw new Error(written.error.message);
  } catch (thrown) {
    throw new CommandFailed(`The completion script could not be written: ${reasonOf(thrown)}`);
  }
  if (file.next !== undefined) say(file.next);
  return { section: "completion", isChanged: true, result: `wrote ${file.path}` };
}

/** The output of `hermes completion SHELL`. */
async function completionScript(shell: Shell, ctx: CliContext): Promise<string | undefined> {
  const command = ctx.groups.find(({ name }) => name === "completion")?.commands.find(({ path }) => path.length === 1);
  const input: CliInput = {
    arg: () => shell,
    optionalArg: () => shell,
    rest: () => [],
    option: () => undefined,
    list: () => [],
    flag: () => false,
  };
  const reply = await command?.run(input, ctx);
  return reply?.text === undefined ? undefined : reply.text.endsWith("\n") ? reply.text : `${reply.text}\n`;
}

async function fileFor(shell: Shell, ctx: CliContext): Promise<{ readonly path: string; readonly next?: string }> {
  const user = ctx.env["HOME"] || homeFolder();
  const dataFolder = ctx.env["XDG_DATA_HOME"] || join(user, ".local", "share");
  const configFolder = ctx.env["XDG_CONFIG_HOME"] || join(user, ".config");
  switch (shell) {
    case "bash":
      return {
        path: join(dataFolder, "bash-completion", "completions", "hermes"),
        next: "Bash loads it in new shells if bash-completion is installed; otherwise add to ~/.bashrc: source <(hermes completion bash)",
      };
    case "fish":
      return { path: join(configFolder, "fish", "completions", "hermes.fish") };
    case "zsh": {
      const path = join(pathInHome((await ctx.renewed().config()).home, "completions"), "hermes.zsh");
      return { path, next: `Add this line to ~/.zshrc, after compinit: source ${path}` };
    }
  }
}
