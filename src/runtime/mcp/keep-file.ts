import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { createSpillFolder, defaultSpillLimits } from "../../environments/output/spill-folder.ts";
import type { KeptBlob } from "../../mcp/client/results.ts";

/** Saves bytes of a server next to long outputs: only the user can read them, and erasing the session deletes them. */
export async function keepFile(
  { home }: Pick<LoadedConfig, "home">,
  clock: Clock,
  { name: words, extension, bytes }: KeptBlob,
): Promise<Result<{ readonly path: string }, string>> {
  if (!existsSync(home.path)) return err("there is no Hermes home");
  try {
    const folder = createSpillFolder(join(home.path, homeFiles.outputs), defaultSpillLimits, clock);
    const { path, handle } = await folder.create({ words, extension });
    await using file = handle;
    await file.writeFile(bytes);
    return ok({ path });
  } catch (thrown) {
    return err(reasonOf(thrown));
  }
}
