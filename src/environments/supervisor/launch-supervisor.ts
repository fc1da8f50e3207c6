import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { parsedObject } from "../../base/json.ts";
import { sourceCache } from "../../base/process/source-cache.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { type Connection, connect } from "./connection.ts";
import { socketName } from "./socket-path.ts";

export interface LaunchDeps {
  readonly folder: string;
  /** The supervisor program, which Node runs. */
  readonly entry: string;
  /** Search path for `mkfifo`. */
  readonly searchPath: string;
  /** How long an idle supervisor keeps running. */
  readonly idleMs: number;
  readonly maxOutputBytes: number;
  readonly clock: Clock;
}

/** Connects to the supervisor and starts it if none runs. When several callers try at once, one of them starts it. */
export async function reachSupervisor(
  deps: LaunchDeps,
  signal: AbortSignal,
): Promise<Result<Connection, EnvironmentError>> {
  const { folder, clock } = deps;
  const tryOnce = () => connect(folder, { clock, idleMs: clientIdleMs }, signal);
  const first = await tryOnce();
  if (first.ok || first.error !== "absent") return settled(first);
  const locked = await withFileLock(
    join(folder, "supervisor"),
    async () => {
      let last: Result<Connection, EnvironmentError | "absent"> = first;
      for (let round = 0; round < maxRounds; round++) {
        last = await tryOnce();
        if (last.ok || last.error !== "absent") return last;
        // No supervisor is listening, and the lock prevents others from starting one: the socket is stale.
        rmSync(join(folder, socketName), { force: true });
        const launched = await launch(deps, signal);
        if (!launched.ok) return launched;
        last = await tryOnce();
        if (last.ok || last.error !== "absent") return last;
      }
      return last;
    },
    { signal, timeoutMs: lockMs, clock },
  );
  if (locked.ok) return settled(locked.value);
  return err({ kind: "unreachable", message: signal.aborted ? "interrupted" : locked.error.message });
}

const maxRounds = 3;
const lockMs = 20_000;
const readyMs = 15_000;
/** Pause between attempts to connect, which take about a millisecond. */
const clientIdleMs = 2_000;

function settled(reached: Result<Connection, EnvironmentError | "absent">): Result<Connection, EnvironmentError> {
  if (reached.ok) return reached;
  return err(
    reached.error === "absent"
      ? { ...notStarted, message: `${notStarted.message} (it exited immediately)` }
      : reached.error,
  );
}

/**
 * Starts the supervisor detached: in its own session, without a terminal, inherited descriptors, working folder or
 * variables.
 */
async function launch(deps: LaunchDeps, signal: AbortSignal): Promise<Result<void, EnvironmentError>> {
  const { folder, entry, idleMs, maxOutputBytes, searchPath, clock } = deps;
  const values = [folder, String(idleMs), String(maxOutputBytes), searchPath];
  const child = spawn(process.execPath, [...nodeFlags, entry, ...values], {
    cwd: "/",
    env: sourceCache(entry),
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const reply = new Promise<string>((resolve) => {
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part: string) => (text += part));
    child.once("error", () => resolve(""));
    child.stdout.once("close", () => resolve(text));
  });
  child.unref();
  const waited = await waitFor(reply, { signal, ms: readyMs, clock });
  if (waited.how !== "done") {
    child.stdout.destroy();
    return err({ ...notStarted, message: waited.how === "aborted" ? "interrupted" : `${notStarted.message} in time` });
  }
  const ready = parsedObject(waited.value);
  if (ready["ready"] === true || ready["ready"] === "taken") return ok(undefined);
  const fault = typeof ready["fault"] === "string" ? `: ${ready["fault"]}` : "";
  return err({ ...notStarted, message: `${notStarted.message}${fault}` });
}

/** Options for low memory use rather than speed: the supervisor does little work. */
const nodeFlags = ["--max-semi-space-size=1", "--v8-pool-size=0", "--no-opt", "--no-maglev", "--no-warnings"];

const notStarted: EnvironmentError = {
  kind: "unreachable",
  message: "the supervisor of background processes could not be started",
  hint: "Run the command in the foreground, or check that the home is on a local disk with space left.",
};
