import { systemClock } from "../../../base/clock.ts";
import type { Turn } from "../../../contracts/session/runtime.ts";
import type { CliContext } from "../command.ts";
import { pictureDrawer } from "../draw-pictures.ts";
import { createFeed } from "./feed/feed.ts";
import { statusLine } from "./feed/status-line.ts";
import type { OpenedChat } from "./open-chat.ts";
import { createLiveRegion } from "./typing/live-region.ts";

/** Questions that share the screen with a turn. */
interface ScreenQuestions {
  /** Resolves when the current question is answered. */
  asking(): Promise<unknown> | undefined;
  /** Registers a function to call before each question. */
  onAsk(hide: () => void): void;
}

/** Prints one turn while it runs, and its cost at the end. Pauses while a question is on the screen. */
export async function printFeed(
  turn: Turn,
  { session, config }: OpenedChat,
  ctx: CliContext,
  questions?: ScreenQuestions,
): Promise<void> {
  const { io, paint, env } = ctx;
  const { display } = config.values;
  let written = Promise.resolve();
  const region = createLiveRegion(
    () => io.columns,
    () => io.rows,
  );
  let live: readonly string[] = [];
  const put = (text: string) => void (written = questions?.asking()?.then(() => io.write(text)) ?? io.write(text));
  questions?.onAsk(() => {
    live = [];
    put(region.erase());
  });
  const feed = createFeed({
    paint,
    get columns() {
      return io.columns;
    },
    clock: systemClock,
    write: (text) => put(`${region.erase()}${text}${region.draw(live)}`),
    ...(io.stdoutIsTerminal &&
      env["TERM"] !== "dumb" && {
        live(lines: readonly string[]) {
          // While a question is open, live lines are hidden.
          live = questions?.asking() ? [] : lines;
          const text = `${region.erase()}${region.draw(live)}`;
          if (text !== "") put(text);
        },
      }),
    emoji: (name) => session.catalog.find(name)?.emoji ?? "🔧",
    showReasoning: display.show_reasoning,
    markdown: display.markdown && io.stdoutIsTerminal && env["TERM"] !== "dumb",
    isWatched: io.stdoutIsTerminal,
    toolProgress: display.tool_progress,
  });
  const drawPictures = pictureDrawer(ctx, display.pictures);
  const startedAt = systemClock.elapsed();
  for await (const event of turn.events()) {
    feed.show(event);
    if (event.type === "tool.finished" && event.pictures)
      for (const picture of (await drawPictures?.(event.pictures)) ?? []) feed.note(picture);
    // Waits for a slow reader; the turn does not.
    await written;
  }
  const { usage } = await turn.done;
  const took = { durationMs: systemClock.elapsed() - startedAt, usage };
  feed.note(paint.dim(statusLine({ model: session.model(), context: session.context(), ...took })));
}
