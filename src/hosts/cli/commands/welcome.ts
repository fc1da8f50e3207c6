import { plural } from "../../../base/text.ts";
import { version } from "../../../base/version.ts";
import type { CliCommand } from "../command.ts";
import { table } from "../table.ts";

/** What `hermes` alone shows until the conversation is there. */
export const welcome: CliCommand = {
  path: ["hermes"],
  summary: "Show what is available here, and how to go on",
  async run(_input, ctx) {
    const { paint } = ctx;
    const toolbox = await ctx.toolbox();
    const statuses = await toolbox.overview(ctx.signal);
    const usable = statuses.filter(({ state }) => state === "direct" || state === "searchable");
    const missing = statuses.filter(({ state }) => state === "unavailable");
    const { describeIsolation } = await import("../../../runtime/open-isolation.ts");
    const { text: isolation } = await describeIsolation(await ctx.config(), ctx.cwd, ctx.signal);
    const lines = [
      paint.accent(banner),
      `${paint.bold("Hermes")} ${version}  ${paint.dim("an agent for your own machines")}`,
      paint.dim(`Isolation ${isolation}`),
      "",
      paint.bold(`${plural(usable.length, "tool")} available`),
      ...usable.map(
        ({ tool, needsConversation }) =>
          `  ${tool.emoji} ${tool.name}${needsConversation ? paint.dim("  in a conversation") : ""}`,
      ),
    ];
    if (missing.length > 0) {
      lines.push("", paint.bold("Not available here"));
      lines.push(
        table(
          missing.map(({ tool, why }) => [`  ${tool.name}`, why ?? ""]),
          ctx.io.columns,
        ),
      );
    }
    for (const { source, message } of toolbox.diagnostics) lines.push(paint.warn(`  ${source}: ${message}`));
    lines.push(
      "",
      paint.bold("Go on with"),
      table(
        [
          ["  hermes doctor", "check this machine"],
          ["  hermes tools list", "every tool, with its toolset"],
          ["  hermes tools show NAME", "what a tool takes"],
          ["  hermes tools call NAME --args JSON", "call one yourself"],
          ["  hermes config show", "the settings and where they come from"],
          ["  hermes --help", "all commands"],
        ],
        ctx.io.columns,
      ),
      paint.dim("  In a clone: ./hermes. A link to it on your PATH makes it hermes everywhere."),
      "",
      paint.dim("The conversation itself is not part of this version yet."),
    );
    const rows = (list: typeof statuses) =>
      list.map(({ tool, why }) => ({ name: tool.name, toolset: tool.toolset, ...(why !== undefined && { why }) }));
    const { empty } = await toolbox.catalog(ctx.signal);
    return {
      data: {
        version,
        isolation,
        available: rows(usable),
        unavailable: rows(missing),
        ...(empty !== undefined && { error: { message: empty } }),
      },
      text: lines.join("\n"),
      exitCode: empty === undefined ? 0 : 1,
    };
  },
};

const banner = String.raw`
  _  _
 | || |___ _ _ _ __  ___ ___
 | __ / -_) '_| '  \/ -_|_-<
 |_||_\___|_| |_|_|_\___/__/
`.slice(1, -1);
