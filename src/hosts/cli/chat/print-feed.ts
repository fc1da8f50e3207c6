import { systemClock } from "../../../base/clock.ts";
import type { Turn } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { createFeed } from "./feed.ts";
import type { OpenedChat } from "./open-chat.ts";
import { statusLine } from "./status-line.ts";

/** Shows one turn while it happens, and in the end what it took. `asking`: a question has the screen until it is answered. */
export async function printFeed(
  turn: Turn,
  { session, config }: OpenedChat,
  { io, paint }: CliContext,
  asking: () => Promise<unknown> | undefined,
): Promise<void> {
  const { display } = config.values;
  let written = Promise.resolve();
  const feed = createFeed({
    paint,
    get columns() {
      return io.columns;
    },
    clock: systemClock,
    write: (text) => void (written = asking()?.then(() => io.write(text)) ?? io.write(text)),
    emoji: (name) => session.catalog.find(name)?.emoji ?? "🔧",
    showReasoning: display.show_reasoning,
    markdown: display.markdown && paint.isColoured,
    isWatched: io.stdoutIsTerminal,
    toolProgress: display.tool_progress,
  });
  const startedAt = systemClock.elapsed();
  for await (const event of turn.events()) {
    feed.show(event);
    // A reader that is slow is waited for; the turn is not.
    await written;
  }
  const { usage } = await turn.done;
  const took = { durationMs: systemClock.elapsed() - startedAt, usage };
  feed.note(paint.dim(statusLine({ model: session.model(), context: session.context(), ...took })));
}
