import { randomHex } from "../../../base/digest.ts";
import { ok, type Result } from "../../../base/result.ts";
import { runSearchCommand, type SearchPlace } from "./search-command.ts";
import type { SearchFault } from "./search.ts";

export interface ReadEnd {
  readonly unreadable: number;
  readonly stopped?: "time" | "size";
}

/**
 * Reads many files with one command, in order. Paths are absolute or below `cwd`, as bytes, one per character. `take`
 * gets each complete file; if it returns false, reading ends. Skips unreadable and binary files; passes undefined for a
 * file that is too big.
 */
export async function readFiles(
  paths: readonly string[],
  cwd: string,
  place: SearchPlace,
  take: (path: string, bytes: Uint8Array | undefined) => boolean,
): Promise<Result<ReadEnd, SearchFault>> {
  if (paths.length === 0) return ok({ unreadable: 0 });
  // `tail` prints each file name before its content. The name has an unguessable spelling, so that no content looks
  // like it.
  const detour = detourOf(randomHex(6));
  const folder = cwd === "/" ? "/" : `${Buffer.from(cwd).toString("latin1")}/`;
  const splitter = splitTailOutput(Buffer.from(`==> ${detour}`), (path, bytes) =>
    take(path.startsWith(folder) ? path.slice(folder.length) : path, bytes),
  );
  const spelled = paths.map((path) => `${detour}${path.startsWith("/") ? "" : folder}${path}`);
  const ran = await runSearchCommand(
    `command xargs -0 tail -n +1 -- '${detour}/dev/null' 2>/dev/null`,
    { cwd, stdin: Buffer.from(`${spelled.join("\0")}\0`, "latin1"), onOutput: splitter.add },
    place,
  );
  if (!ran.ok) return ran;
  if (ran.value.how === "exit") splitter.end();
  const stopped = ran.value.how === "exit" ? undefined : ran.value.how === "time" ? "time" : "size";
  return ok({ unreadable: stopped ? 0 : paths.length - splitter.count(), ...(stopped && { stopped }) });
}

/** Returns a path from `/` to `/` that encodes these digits. */
function detourOf(hex: string): string {
  const bits = BigInt(`0x${hex}`).toString(2);
  return Array.from(bits, (bit) => (bit === "1" ? "/." : "//.")).join("");
}

interface Splitter {
  add(chunk: Uint8Array): boolean;
  end(): void;
  count(): number;
}

/**
 * Parses the output of `tail`: `==> NAME <==`, a line end, and the content; an empty line before each file except the
 * first of a call.
 */
export function splitTailOutput(
  mark: Buffer,
  take: (path: string, bytes: Uint8Array | undefined) => boolean,
): Splitter {
  let pending = Buffer.alloc(0);
  let current: { readonly path: string; parts: Buffer[]; bytes: number; isBinary: boolean } | undefined;
  let count = 0;
  let isEnough = false;

  function keep(part: Buffer): void {
    if (current === undefined || part.length === 0) return;
    const head = Buffer.concat([...current.parts.slice(0, 2), part.subarray(0, 2)]);
    if (current.bytes < lookedAt && !isUtf16(head))
      current.isBinary ||= part.subarray(0, lookedAt - current.bytes).includes(0);
    current.bytes += part.length;
    if (current.isBinary || current.bytes > maxFileBytes) current.parts = [];
    else current.parts.push(part);
  }

  function close(): void {
    if (current === undefined) return;
    const { path, parts, bytes, isBinary } = current;
    current = undefined;
    if (path === nothing) return;
    count++;
    if (!isEnough) isEnough = !take(path, bytes > maxFileBytes && !isBinary ? undefined : Buffer.concat(parts));
  }

  function split(isLast: boolean): void {
    for (;;) {
      const index = pending.indexOf(mark);
      const end = index < 0 ? -1 : pending.indexOf(" <==\n", index + mark.length);
      if (end < 0) break;
      const path = pending.toString("latin1", index + mark.length, end);
      // The line end before the name belongs to `tail`, not to the file, unless a new call of `tail` starts.
      keep(pending.subarray(0, path === nothing ? index : Math.max(0, index - 1)));
      close();
      current = { path, parts: [], bytes: 0, isBinary: false };
      pending = pending.subarray(end + 5);
    }
    // Keeps a possible beginning of a name, with the line end before it, until more output arrives.
    const offset = pending.indexOf(mark);
    const safe = isLast ? pending.length : Math.max(0, (offset < 0 ? pending.length - mark.length : offset) - 1);
    keep(pending.subarray(0, safe));
    pending = pending.subarray(safe);
  }

  return {
    add(chunk) {
      pending = Buffer.concat([pending, chunk]);
      split(false);
      return !isEnough;
    },
    end() {
      split(true);
      close();
    },
    count: () => count,
  };
}

/** In UTF-16, a NUL is half a character. */
function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

const lookedAt = 65_536;
const nothing = "/dev/null";
const maxFileBytes = 64 * 1024 * 1024;
