import { systemClock } from "../../../base/clock.ts";
import { plural } from "../../../base/text/text.ts";
import type { Session, Turn } from "../../../contracts/session/runtime.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { withoutControls } from "../without-controls.ts";

/** A recorded session, played again. */
const replay: CliCommand = {
  path: ["replay"],
  summary: "Play a recorded session again, offline",
  details:
    "The model's answers come from the recording, and so do the results of tools: nothing is sent, nothing is run.\n" +
    "Where the conversation differs from the recorded one it is told, with the place; the exit code is 1 then.\n" +
    "With --live-tools the tools really run, with your policy and your approvals.",
  args: [{ name: "session", summary: "its id or the beginning of it, latest, or the file of a recording" }],
  options: [
    { flags: "--from <turn>", summary: "show the replay from this turn on; those before it are played unseen" },
    { flags: "--live-tools", summary: "run the tools of the turns that are shown" },
  ],
  examples: ["hermes replay latest", "hermes replay 20261115_093000_a1b2c3 --from 3 --live-tools"],
  run,
};

export const commands: readonly CliCommand[] = [replay];

async function run(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { io, paint, signal } = ctx;
  const config = await ctx.config();
  const from = Number(input.option("from") ?? "1");
  if (!Number.isInteger(from) || from < 1) throw new CommandFailed("--from takes the number of a turn.", undefined, 2);
  const { replaySession } = await import("../../../runtime/replay-session.ts");
  using attached = new DisposableStack();
  let shown: Promise<void> = Promise.resolve();
  let session: Session | undefined;
  const line = (data: object) => io.write(`${JSON.stringify(data)}\n`);
  const ended = await replaySession(config, {
    recording: input.arg("session"),
    cwd: ctx.cwd,
    principal: ctx.principal,
    from,
    liveTools: input.flag("liveTools"),
    signal,
    say: (sentence) => io.warn(`${paint.dim(`hermes: ${sentence}`)}\n`),
    async opened(opened) {
      session = opened;
      if (!input.flag("liveTools") || ctx.json) return;
      const { approvalSurfaceAt } = await import("../ask-approval.ts");
      const surface = approvalSurfaceAt(io, paint);
      if (surface) attached.use(opened.approvals.attach(surface));
    },
    began(turn, at) {
      const before = shown;
      shown = before.then(() =>
        ctx.json ? eventLines(turn, ctx) : session && feed(turn, at, session, config.values.display, ctx),
      );
    },
    deviates(deviation) {
      const before = shown;
      if (ctx.json) shown = before.then(() => line({ type: "replay.deviated", ...deviation }));
      else
        io.warn(
          `${paint.warn("different:")} turn ${deviation.turn}${deviation.request === undefined ? "" : `, request ${deviation.request}`}: ${visible(deviation.text)}\n`,
        );
    },
  });
  await shown;
  if (!ended.ok) throw new CommandFailed(ended.error.message, ended.error.hint, signal.aborted ? 130 : 1);
  const { turns, deviations } = ended.value;
  if (ctx.json) await line({ type: "replay.finished", ...ended.value });
  else
    io.warn(
      `${paint.dim(`${plural(turns, "turn")} replayed, ${deviations === 0 ? "as recorded" : plural(deviations, "difference")}`)}\n`,
    );
  return { exitCode: signal.aborted ? 130 : deviations === 0 ? 0 : 1 };
}

async function eventLines(turn: Turn, { io }: CliContext): Promise<void> {
  for await (const event of turn.events()) await io.write(`${JSON.stringify(event)}\n`);
}

async function feed(
  turn: Turn,
  at: number,
  session: Session,
  display: { readonly show_reasoning: boolean; readonly tool_progress: "off" | "new" | "all" | "verbose" },
  { io, paint }: CliContext,
): Promise<void> {
  const { createFeed } = await import("../chat/feed.ts");
  let written = Promise.resolve();
  const lines = createFeed({
    paint,
    columns: io.columns,
    clock: systemClock,
    write: (text) => void (written = io.write(text)),
    emoji: (name) => session.catalog.find(name)?.emoji ?? "🔧",
    showReasoning: display.show_reasoning,
    toolProgress: display.tool_progress,
  });
  for await (const event of turn.events()) {
    if (event.type === "turn.started") {
      const said = event.prompt.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      lines.note(paint.bold(`${at}> ${withoutControls(said)}`));
    }
    lines.show(event);
    await written;
  }
  lines.endLine();
  await written;
}
