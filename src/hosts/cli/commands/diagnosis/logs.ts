import { sleep } from "../../../../base/async/abort.ts";
import { systemClock } from "../../../../base/clock.ts";
import { timeText } from "../../../../base/text/time-text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, type Reply } from "../../command.ts";
import { choiceOption, numberOption } from "../../input.ts";
import type { Paint } from "../../paint.ts";
import { table } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["logs"],
    summary: "Show the newest log lines, or follow them",
    details:
      "LOG is agent (all lines; default), errors, list (shows the logs), or another log of the home. All filters must match; lines " +
      "without a time or a level pass the filters for them. Secrets are masked when a line is written.",
    args: [
      {
        name: "log",
        summary: "agent, errors, list, or a name that list shows",
        optional: true,
        choices: ["agent", "errors", "list"],
      },
    ],
    options: [
      { flags: "-n, --lines <count>", summary: "number of lines; default: 50" },
      { flags: "-f, --follow", summary: "print new lines until Ctrl-C" },
      {
        flags: "--level <level>",
        summary: "minimum level: debug, info, warn or error",
        choices: ["debug", "info", "warn", "error"],
      },
      { flags: "--session <id>", summary: "only lines that name this session" },
      { flags: "--since <time>", summary: "only lines of the last 30m, 1h, 2d" },
      {
        flags: "--component <name>",
        summary: "agent, tools, cli, gateway, cron, or the first word of an event, such as mcp",
      },
    ],
    examples: ["hermes logs -f", "hermes logs errors --since 2d", "hermes logs --component mcp --level warn --json"],
    run: (input, ctx) => (input.optionalArg("log") === "list" ? list(ctx) : show(input, ctx)),
  },
];

async function list(ctx: CliContext): Promise<Reply> {
  const listed = await ctx.run("logs.list", {});
  const { logs, folder } = listed;
  const rows = logs.map(({ name, bytes, files, changedAt, file }) => [
    name,
    `${Math.ceil(bytes / 1024)} KB`,
    files === 1 ? "1 file" : `${files} files`,
    timeText(changedAt),
    file,
  ]);
  const text = rows.length === 0 ? `There are no logs yet in ${folder}.` : table(rows, Math.max(ctx.io.columns, 120));
  return { data: listed, text };
}

const pollMs = 300;

async function show(input: CliInput, ctx: CliContext): Promise<Reply> {
  const request = {
    log: input.optionalArg("log"),
    level: choiceOption(input, "level", ["debug", "info", "warn", "error"]),
    session: input.option("session"),
    since: input.option("since"),
    component: input.option("component"),
  };
  const limit = numberOption(input, "lines");
  const first = await ctx.run("logs.read", { ...request, limit });
  if (!input.flag("follow")) {
    const isFiltered = Object.entries(request).some(([key, value]) => key !== "log" && value !== undefined);
    const nothing = isFiltered ? "No log lines match." : "The log is empty.";
    const text = first.lines.map((line) => lineText(line, ctx.paint)).join("\n");
    return { data: { lines: first.lines }, text: text === "" ? ctx.paint.dim(nothing) : text };
  }
  let { lines, cursor } = first;
  while (!ctx.signal.aborted) {
    for (const line of lines) await ctx.io.write(`${ctx.json ? JSON.stringify(line) : lineText(line, ctx.paint)}\n`);
    await sleep(pollMs, ctx.signal, systemClock).catch(() => undefined);
    if (ctx.signal.aborted) break;
    ({ lines, cursor } = await ctx.run("logs.read", { ...request, ...(cursor ? { after: cursor } : { limit }) }));
  }
  // Ctrl-C is the way to end it, so this is not an error.
  return { exitCode: 130 };
}

type Line = OutputOf<"logs.read">["lines"][number];

function lineText({ at: writtenAt, level, event, text }: Line, paint: Paint): string {
  const painted = { debug: paint.dim, info: paint.dim, warn: paint.warn, error: paint.bad };
  const parts = [
    ...(writtenAt === undefined ? [] : [paint.dim(secondsText(writtenAt))]),
    ...(level === undefined ? [] : [painted[level](level.padEnd(5))]),
    ...(event === undefined ? [] : [paint.bold(withoutControls(event))]),
    withoutControls(text),
  ];
  return parts.join(" ").trimEnd();
}

function secondsText(epochMs: number): string {
  return `${timeText(epochMs)}:${String(new Date(epochMs).getSeconds()).padStart(2, "0")}`;
}
