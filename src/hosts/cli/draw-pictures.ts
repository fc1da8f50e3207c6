import { waitFor } from "../../base/async/bounded-wait.ts";
import { systemClock } from "../../base/clock.ts";
import type { CliContext } from "./command.ts";
import { pictureProtocol } from "./picture-protocol.ts";

/**
 * Draws image files as bytes for this terminal, which end where the last row of the picture ends. Undefined: the
 * terminal cannot draw pictures. Skips files that are not images and pictures that take too long, because later output
 * waits for them; the chat shows their paths.
 */
export function pictureDrawer(
  { io, env, run }: Pick<CliContext, "io" | "env" | "run">,
  wish: Parameters<typeof pictureProtocol>[1],
): ((paths: readonly string[]) => Promise<readonly string[]>) | undefined {
  const protocol = io.stdoutIsTerminal ? pictureProtocol(env, wish) : undefined;
  if (!protocol) return undefined;
  return async (paths) => {
    const pictures: string[] = [];
    for (const path of paths) {
      const size = { columns: io.columns, rows: io.rows };
      const drawing = run("images.draw", { path, protocol, ...size }).catch(() => undefined);
      const drawn = await waitFor(drawing, { ms: maxDrawMs, clock: systemClock, isOptional: true });
      if (drawn.how === "done" && drawn.value) pictures.push(drawn.value.text.trimEnd());
    }
    return pictures;
  };
}

const maxDrawMs = 10_000;
