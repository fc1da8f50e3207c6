import { spawn } from "node:child_process";

import { linkAbort } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/clock.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { quoteForShell } from "../../../base/text/shell-quote.ts";
import type { Environment } from "../../../contracts/environment/environment.ts";
import type { SearchFault } from "./search.ts";

/** The environment for the commands of a search, and the deadline. */
export interface SearchPlace {
  readonly run: CommandRunner;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The deadline in the time of `clock.elapsed()`. */
  readonly until: number;
}

/** Runs a script and returns its outcome. An error says why it did not run or was lost. */
export type CommandRunner = (
  script: string,
  options: Pick<SearchCommand, "cwd" | "stdin"> & {
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
    readonly onOutput: (chunk: Uint8Array) => void;
  },
) => Promise<Result<{ readonly ended: "exit" | "timeout" | "aborted"; readonly exitCode: number }, string>>;

export interface SearchCommand {
  readonly cwd: string;
  readonly stdin?: Uint8Array;
  /** Receives output as it arrives. Returning false stops the command. */
  readonly onOutput: (chunk: Uint8Array) => boolean;
  /** The minimum time that the command gets, even after the deadline of the search. */
  readonly minMs?: number;
}

/** How a search command ended. `enough`: `onOutput` stopped it. */
export type CommandEnd = { readonly how: "exit"; readonly exitCode: number } | { readonly how: "time" | "enough" };

/** Runs a read-only command. If it is interrupted or does not start, that is a fault. */
export async function runSearchCommand(
  script: string,
  { cwd, stdin, onOutput, minMs = 100 }: SearchCommand,
  { run, clock, signal, until }: SearchPlace,
): Promise<Result<CommandEnd, SearchFault>> {
  using link = linkAbort(signal);
  let isEnough = false;
  const ran = await run(script, {
    cwd,
    ...(stdin && { stdin }),
    signal: link.signal,
    timeoutMs: Math.max(minMs, until - clock.elapsed()),
    onOutput(chunk) {
      if (isEnough || onOutput(chunk)) return;
      isEnough = true;
      link.abort();
    },
  });
  if (signal.aborted) return err({ kind: "aborted", message: "interrupted" });
  if (!ran.ok) return err({ kind: "failed", message: ran.error });
  if (isEnough) return ok({ how: "enough" });
  return ok(ran.value.ended === "timeout" ? { how: "time" } : { how: "exit", exitCode: ran.value.exitCode });
}

export function runnerIn(environment: Environment): CommandRunner {
  return async (script, options) => {
    const ran = await environment.exec(script, { ...options, carry: false, env: plainEnvironment });
    if (!ran.ok) {
      const { message, hint } = ran.error;
      return err(`${message}.${hint === undefined ? "" : ` ${hint}`}`);
    }
    const { ended, exitCode = 0, spillPath, fault, signal } = ran.value;
    if (spillPath !== undefined) await environment.files.delete(spillPath, options.signal);
    if (ended === "exit" || ended === "timeout" || ended === "aborted") return ok({ ended, exitCode });
    return err(fault ?? `the search command ended by ${signal ?? ended}`);
  };
}

/** Runs commands on this machine, for any environment. */
export const runHere: CommandRunner = (script, { cwd, stdin, signal, timeoutMs, onOutput }) =>
  new Promise((resolve) => {
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
    const stop = AbortSignal.any([signal, timeout]);
    const child = spawn("/bin/sh", ["-c", `export LC_ALL=C; ${script}`], {
      cwd,
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const kill = () => child.pid !== undefined && child.exitCode === null && process.kill(-child.pid, "SIGKILL");
    stop.addEventListener("abort", kill);
    child.stdout.on("data", onOutput);
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    child.on("error", (thrown) => resolve(err(thrown.message)));
    child.on("close", (exitCode) => {
      stop.removeEventListener("abort", kill);
      resolve(ok({ ended: timeout.aborted ? "timeout" : stop.aborted ? "aborted" : "exit", exitCode: exitCode ?? 0 }));
    });
    if (stop.aborted) kill();
  });

export function shellWords(words: readonly string[]): string {
  return words.map(quoteForShell).join(" ");
}

/** The locale that makes programs print messages in English. */
const plainEnvironment = { LC_ALL: "C" } as const;

/** The end of a command's output: NUL, the exit code, NUL, its error messages. */
export interface Trailer {
  readonly exitCode: number;
  readonly messages: string;
}

/** Appends the exit code to the command's output. Its error messages follow there, not in the output itself. */
export function withTrailer(command: string): string {
  return `{ e=$(${command} 2>&1 1>&3 3>&-); c=$?; printf '\\0%s\\0%.20000s' "$c" "$e"; } 3>&1`;
}

/** Parses NUL-terminated paths (bytes, one per character), followed by the exit code. */
export function readPaths(bytes: Buffer): { readonly paths: readonly string[]; readonly trailer: Trailer | undefined } {
  const paths: string[] = [];
  let from = 0;
  for (let nul = bytes.indexOf(0); nul >= 0; nul = bytes.indexOf(0, from)) {
    if (nul === from) return { paths, trailer: readTrailer(bytes.subarray(from)) };
    paths.push(bytes.toString("latin1", from, nul));
    from = nul + 1;
  }
  return { paths, trailer: undefined };
}

export function readTrailer(bytes: Uint8Array): Trailer | undefined {
  const [, code, ...messages] = Buffer.from(bytes).toString().split("\0");
  return code === undefined || messages.length === 0
    ? undefined
    : { exitCode: Number(code), messages: messages.join("\0") };
}

/** Returns modification times of files below a folder, in microseconds, by path. Omits missing files. */
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

/** Variants for GNU; for busybox, which supports only seconds; and for BSD. The last two end a name with a line end. */
const statScript =
  "if command stat --printf= / >/dev/null 2>&1; then command xargs -0 stat --printf='%.9Y %n\\0' --; " +
  "elif command stat -c %Y / >/dev/null 2>&1; then command xargs -0 stat -c '%Y %n' -- | command tr '\\n' '\\0'; " +
  "else command xargs -0 stat -f '%Fm %N' -- | command tr '\\n' '\\0'; fi 2>/dev/null";
