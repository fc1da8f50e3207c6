import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { askLine } from "../../questions/ask-line.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["trust"],
    summary: "Trust the settings, skills and agents of a project folder, or a file of rules",
    details:
      "Shows what the project's .hermes/config.yaml would change, then remembers the folder and exactly this content; after a change you " +
      "must trust it again. A project file can tighten safety, never loosen it, and cannot set providers, keys, hooks, MCP servers, " +
      "plugins or backends. With the path of a file of rules (AGENTS.md) it shows what looks suspicious in it, then remembers exactly this text.",
    args: [
      {
        name: "path",
        summary: "a folder of the project or a file of rules; default: the current folder",
        optional: true,
      },
    ],
    options: [
      { flags: "--list", summary: "list the trusted folders" },
      { flags: "--revoke", summary: "stop trusting the folder" },
      { flags: "-y, --yes", summary: "do not ask" },
    ],
    examples: [
      "hermes trust",
      "hermes trust AGENTS.md",
      "hermes trust --list",
      "hermes trust ~/projects/site --revoke",
    ],
    async run(input, ctx) {
      const path = input.optionalArg("path");
      if (input.flag("list")) {
        const listed = await ctx.run("trust.list", {});
        return { data: listed, text: listed.folders.map((each) => each.path).join("\n") || "No folder is trusted." };
      }
      if (!input.flag("revoke")) return accept(path, input.flag("yes"), ctx);
      const done = await ctx.run("trust.revoke", { path });
      const text = done.revoked ? `${done.path} is no longer trusted.` : `${done.path} was not trusted.`;
      return { data: done, text };
    },
  },
];

async function accept(path: string | undefined, isSure: boolean, ctx: CliContext): Promise<Reply> {
  const preview = await ctx.run("trust.preview", { path });
  const { isTrusted, ...data } = preview;
  const undo = "`hermes trust --revoke` reverses it.";
  if (isTrusted) return { data, text: `${preview.path} is already trusted. ${undo}` };
  const shown = previewText(preview);
  if (!isSure) {
    if (ctx.json || !ctx.io.stdinIsTerminal || !ctx.io.stdoutIsTerminal)
      throw new CommandFailed(
        `Cannot ask without a terminal; nothing was changed. This would be trusted:\n${shown}`,
        "Add -y if you have read this.",
        2,
      );
    const question = preview.skills
      ? "Use them?"
      : preview.suspicions
        ? "Trust this text?"
        : "Trust this folder with these settings?";
    const answer = await askLine(ctx.io, `${shown}\n${question} [y/N] `, ctx.signal);
    if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Not trusted; nothing was changed.");
  }
  await ctx.run("trust.accept", { path, sha256: preview.sha256 });
  const result = `Trusted ${preview.path}. ${undo}`;
  return { data, text: isSure ? `${shown}\n${result}` : result };
}

function previewText({
  path,
  file,
  skills,
  agents = [],
  suspicions,
  changes,
  refused,
}: OutputOf<"trust.preview">): string {
  if (suspicions) {
    if (suspicions.length === 0) return `Nothing in ${path} looks suspicious.`;
    return [`Suspicious in ${path}:`, ...suspicions.map((sentence) => `  ${sentence}`)].join("\n");
  }
  if (skills && skills.length + agents.length === 0)
    return `${path} can have plugins. Each loads only when you enable it.`;
  if (skills)
    return [
      ...(skills.length > 0 ? [`${path} has skills: ${skills.join(", ")}. Hermes scans each one before use.`] : []),
      ...(agents.length > 0 ? [`${path} has agents: ${agents.map(escapeInvisible).join(", ")}.`] : []),
    ].join("\n");
  const lines = changes.map(({ key, from, to }) => `  ${key}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`);
  return [
    lines.length === 0 ? `${file} changes nothing.` : `${file} changes:`,
    ...lines,
    ...(refused.length === 0 ? [] : ["Not applied:", ...refused.map((reason) => `  ${reason}`)]),
  ].join("\n");
}
