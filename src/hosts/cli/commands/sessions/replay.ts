import { systemClock } from "../../../../base/clock.ts";
import { plural } from "../../../../base/text/text.ts";
import type { Session, Turn } from "../../../../contracts/session/runtime.ts";
import type { CliCommand, CliContext, CliInput, Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { numberOption } from "../../input.ts";
import { approvalSurfaceAt } from "../../questions/ask-approval.ts";
import { withoutControls } from "../../without-controls.ts";

const replay: CliCommand = {
  path: ["replay"],
  summary: "Replay a recorded session, offline",
  details:
    "Model answers and tool results come from the recording: nothing is sent, nothing runs. Each difference from the recording is " +
    "reported with its position; the exit code is then 1. With --live-tools the tools really run, with your policy and approvals.",
  args: [{ name: "session", summary: "a session id or a prefix of it, latest, or the file of a recording" }],
  options: [
    { flags: "--from <turn>", summary: "first turn to show; earlier turns are replayed without output" },
    { flags: "--live-tools", summary: "really run the tools of the shown turns" },
  ],
  examples: ["hermes replay latest", "hermes replay 20261115_093000_a1b2c3 --from 3 --live-tools"],
  run,
};

export const commands: readonly CliCommand[] = [replay];

async function run(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { io, paint, signal } = ctx;
  const liveTools = input.flag("liveTools");
  await using view = await createView(liveTools, ctx);
  const ended = await ctx.run(
    "replay.run",
    { session: input.arg("session"), from: numberOption(input, "from"), liveTools },
    { replayView: () => view },
  );
  await view.shown();
  const { turns, deviations } = ended;
  if (ctx.json) await io.write(`${JSON.stringify({ type: "replay.finished", ...ended })}\n`);
  else {
    const result = deviations === 0 ? "as recorded" : plural(deviations, "difference");
    io.warn(`${paint.dim(`${plural(turns, "turn")} replayed, ${result}`)}\n`);
  }
  return { exitCode: signal.aborted ? 130 : deviations === 0 ? 0 : 1 };
}

/** Prints turns and differences in their order. */
async function createView(liveTools: boolean, ctx: CliContext) {
  const { io, paint } = ctx;
  const { display } = (await ctx.config()).values;
  const attached = new DisposableStack();
  let printed: Promise<unknown> = Promise.resolve();
  let session: Session | undefined;
  const print = (step: () => Promise<unknown> | undefined) => void (printed = printed.then(step));
  return {
    async opened(live: Session) {
      session = live;
      const surface = liveTools && !ctx.json ? approvalSurfaceAt(ctx) : undefined;
      if (surface) attached.use(live.approvals.attach(surface));
    },
    began(turn: Turn, number: number) {
      print(() => (ctx.json ? eventLines(turn, ctx) : session && feed(turn, number, session, display, ctx)));
    },
    deviates(deviation: { readonly turn: number; readonly request?: number; readonly text: string }) {
      const { turn, request, text } = deviation;
      if (ctx.json) return print(() => io.write(`${JSON.stringify({ type: "replay.deviated", ...deviation })}\n`));
      const place = `turn ${turn}${request === undefined ? "" : `, request ${request}`}`;
      io.warn(`${paint.warn("different:")} ${place}: ${escapeInvisible(text)}\n`);
    },
    shown: () => printed,
    async [Symbol.asyncDispose]() {
      await printed;
      attached.dispose();
    },
  };
}

async function eventLines(turn: Turn, { io }: CliContext): Promise<void> {
  for await (const event of turn.events()) await io.write(`${JSON.stringify(event)}\n`);
}

async function feed(
  turn: Turn,
  number: number,
  session: Session,
  display: { readonly show_reasoning: boolean; readonly tool_progress: "off" | "new" | "all" | "verbose" },
  { io, paint }: CliContext,
): Promise<void> {
  const { createFeed } = await import("../../chat/feed/feed.ts");
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
      const prompt = event.prompt.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      lines.note(paint.bold(`${number}> ${withoutControls(prompt)}`));
    }
    lines.show(event);
    await written;
  }
  lines.endLine();
  await written;
}
