import { ok, type Result } from "../../../base/result.ts";
import { runSearchCommand, type SearchPlace } from "./search-command.ts";
import type { SearchFault } from "./search.ts";

/** When files below a folder were changed, in microseconds, by path. One that is gone is not there. */
export async function modifiedTimes(
  paths: readonly string[],
  folder: string,
  place: SearchPlace,
): Promise<Result<ReadonlyMap<string, number>, SearchFault>> {
  if (paths.length === 0) return ok(new Map());
  const chunks: Uint8Array[] = [];
  const ran = await runSearchCommand(
    statScript,
    {
      cwd: folder,
      stdin: Buffer.from(paths.map((path) => `./${path}\0`).join("")),
      minMs: 5_000,
      onOutput(chunk) {
        chunks.push(chunk);
        return true;
      },
    },
    place,
  );
  if (!ran.ok) return ran;
  const times = new Map<string, number>();
  for (const record of Buffer.concat(chunks).toString().split("\0")) {
    const [, seconds, fraction = "", path] = /^(\d+)\.?(\d*) \.\/(.*)$/su.exec(record) ?? [];
    if (path !== undefined) times.set(path, Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6)));
  }
  return ok(times);
}

/** GNU; busybox, which knows seconds only; BSD. The last two end a name with a line end. */
const statScript =
  "if command stat --printf= / >/dev/null 2>&1; then command xargs -0 stat --printf='%.9Y %n\\0' --; " +
  "elif command stat -c %Y / >/dev/null 2>&1; then command xargs -0 stat -c '%Y %n' -- | command tr '\\n' '\\0'; " +
  "else command xargs -0 stat -f '%Fm %N' -- | command tr '\\n' '\\0'; fi 2>/dev/null";
