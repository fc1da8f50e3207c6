import type { CliContext } from "./command.ts";
import { pictureProtocol } from "./picture-protocol.ts";

/**
 * Draws image files as bytes for this terminal, which end where the last row of the picture ends. Undefined: the
 * terminal cannot draw pictures. Skips files that are not images; the chat shows their paths.
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
      const drawn = await run("images.draw", { path, protocol, ...size }).catch(() => undefined);
      if (drawn) pictures.push(drawn.text.trimEnd());
    }
    return pictures;
  };
}
