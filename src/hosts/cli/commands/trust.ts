import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import { sha256 } from "../../../base/digest.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import { nearestFile, realFile } from "../../../config/sources/project-file.ts";
import { previewProject, type ProjectPreview } from "../../../config/sources/project-preview.ts";
import { revokeTrust, trustedFolders, trustFolder } from "../../../config/sources/trust.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["trust"],
    summary: "Accept the settings and skills that a project folder brings",
    details:
      "Shows what the project's .hermes/config.yaml would change, then remembers the folder and exactly this content; after a change it is " +
      "asked for again. A project file can make safety stricter, never looser, and cannot set providers, keys, hooks, MCP servers, " +
      "plugins or backends.",
    args: [{ name: "path", summary: "a folder of the project; this one when left out", optional: true }],
    options: [
      { flags: "--list", summary: "list the trusted folders" },
      { flags: "--revoke", summary: "trust the folder no longer" },
      { flags: "-y, --yes", summary: "do not ask" },
    ],
    examples: ["hermes trust", "hermes trust --list", "hermes trust ~/projects/site --revoke"],
    async run(input, ctx) {
      const config = await ctx.config();
      if (input.flag("list")) return list(config);
      const path = resolve(ctx.cwd, input.optionalArg("path") ?? ".");
      return input.flag("revoke") ? revoke(config, path, ctx) : accept(config, path, input.flag("yes"), ctx);
    },
  },
];

async function list(config: LoadedConfig): Promise<Reply> {
  const folders = valueOf(await trustedFolders(config.home.path));
  const lines = folders.map(({ path }) => path);
  return {
    data: { folders: folders.map(({ path, sha256, trustedAt }) => ({ path, sha256, trustedAt })) },
    text: lines.join("\n") || "No folder is trusted.",
  };
}

async function revoke(config: LoadedConfig, path: string, ctx: CliContext): Promise<Reply> {
  const found = await nearestFile(ctx.env, path, config.home);
  const folder = found?.folder ?? (await realpath(path).catch(() => path));
  const revoked = valueOf(await revokeTrust(config.home.path, folder, { signal: ctx.signal, clock: systemClock }));
  return {
    data: { path: folder, revoked: revoked },
    text: revoked ? `${folder} is trusted no longer.` : `${folder} was not trusted.`,
  };
}

async function accept(config: LoadedConfig, path: string, isSure: boolean, ctx: CliContext): Promise<Reply> {
  const found = await nearestFile(ctx.env, path, config.home);
  if (found === undefined) return acceptSkills(config, path, isSure, ctx);
  const { file, folder } = found;
  const strange = await realFile(file, folder);
  if (strange !== undefined) throw new CommandFailed(`${file} ${strange}; it cannot be trusted.`);
  const { projectFile } = config;
  if (projectFile.state === "trusted" && projectFile.file === file) {
    const text = `${folder} is trusted already. \`hermes trust --revoke\` takes it back.`;
    return { data: { path: folder, file, sha256: sha256(projectFile.bytes), changes: [], refused: [] }, text };
  }
  const preview = valueOf(await previewProject(config, file));
  const shown = previewText(file, preview);
  const mustAsk = !isSure && !ctx.json && ctx.io.stdinIsTerminal && ctx.io.stdoutIsTerminal;
  if (mustAsk) {
    const answer = await askLine(ctx.io, `${shown}\nTrust this folder with these settings? [y/N] `, ctx.signal);
    if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Not trusted; nothing was changed.");
  }
  const trusted = { path: folder, sha256: preview.sha256, trustedAt: systemClock.now() };
  valueOf(await trustFolder(config.home.path, trusted, { signal: ctx.signal, clock: systemClock }));
  const said = `Trusted ${folder}. \`hermes trust --revoke\` takes it back.`;
  return {
    data: {
      path: folder,
      file,
      sha256: preview.sha256,
      changes: preview.changes.map((change) => ({ ...change })),
      refused: preview.refused,
    },
    text: mustAsk ? said : `${shown}\n${said}`,
  };
}

/** A project without settings may still bring skills. */
async function acceptSkills(config: LoadedConfig, path: string, isSure: boolean, ctx: CliContext): Promise<Reply> {
  const { projectSkills } = await import("../../../runtime/knowledge/skill-folders.ts");
  const { folder, names } = await projectSkills(config, path);
  if (folder === undefined || names.length === 0)
    throw new CommandFailed(
      `There is no .hermes/config.yaml in ${path} or its repository, and there are no skills.`,
      "Nothing needs to be trusted there.",
    );
  const shown = `${folder} brings skills: ${names.join(", ")}. They are scanned whenever one is used.`;
  if (!isSure && !ctx.json && ctx.io.stdinIsTerminal && ctx.io.stdoutIsTerminal) {
    const answer = await askLine(ctx.io, `${shown}\nUse them? [y/N] `, ctx.signal);
    if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Not trusted; nothing was changed.");
  }
  const trusted = { path: folder, sha256: sha256(""), trustedAt: systemClock.now() };
  valueOf(await trustFolder(config.home.path, trusted, { signal: ctx.signal, clock: systemClock }));
  return {
    data: { path: folder, skills: [...names], changes: [], refused: [] },
    text: `${shown}\nTrusted ${folder}. \`hermes trust --revoke\` takes it back.`,
  };
}

function previewText(file: string, { changes, refused }: ProjectPreview): string {
  const lines = changes.map(({ key, from, to }) => `  ${key}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`);
  const denied = refused.map((reason) => `  ${reason}`);
  return [
    lines.length === 0 ? `${file} changes nothing.` : `${file} changes:`,
    ...lines,
    ...(denied.length === 0 ? [] : ["and does not get:", ...denied]),
  ].join("\n");
}
