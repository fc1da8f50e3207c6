import { closeSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

import { codeOf } from "../../base/files/file-fault.ts";
import { reasonOf, valueOr } from "../../base/result.ts";
import { serve, type ServeOptions, type SupervisorServer } from "./serve.ts";
import { socketPath } from "./socket-path.ts";

/** The line that it prints on standard output for the program that started it. */
export interface Ready {
  /** `taken` means that another supervisor is already running. */
  readonly ready: boolean | "taken";
  readonly fault?: string;
}

/** Runs a supervisor until it exits. Ends the process. */
export async function runSupervisor(options: ServeOptions): Promise<never> {
  closeInherited();
  // An error with one process must not stop the supervisor, because the other processes would lose their parent.
  process.on("uncaughtException", (thrown) => noteFault(options.folder, thrown));
  process.on("SIGHUP", () => {});
  process.on("SIGINT", () => {});
  const listener = createServer();
  const place = socketPath(options.folder);
  try {
    await listen(listener, place.path);
  } catch (thrown) {
    say(codeOf(thrown) === "EADDRINUSE" ? { ready: "taken" } : { ready: false, fault: reasonOf(thrown) });
    process.exit(1);
  }
  // The launcher holds the lock until it receives this line. If the launcher has ended, another program may be starting
  // a supervisor.
  if (!say({ ready: true })) process.exit(1);
  const serving = started(listener, options);
  process.on("SIGTERM", () => void serving.stop());
  await serving.left;
  process.exit(0);
}

function started(listener: Server, options: ServeOptions): SupervisorServer {
  try {
    return serve(listener, options);
  } catch (thrown) {
    noteFault(options.folder, thrown);
    process.exit(1);
  }
}

function listen(listener: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once("error", reject);
    listener.listen({ path }, () => {
      listener.off("error", reject);
      resolve();
    });
  });
}

function say(ready: Ready): boolean {
  try {
    writeSync(1, `${JSON.stringify(ready)}\n`);
    return true;
  } catch {
    return false;
  } finally {
    closeSync(1);
    // Reopens the freed descriptor number, so that nothing else uses it.
    openSync("/dev/null", "w");
  }
}

/**
 * Closes inherited descriptors, because another process may wait for their end. Node's own descriptors have
 * close-on-exec and are kept.
 */
function closeInherited(): void {
  try {
    for (const name of readdirSync("/proc/self/fdinfo")) {
      const fd = Number(name);
      if (fd > 2 && !isMarked(fd)) closeSync(fd);
    }
  } catch {
    // This system has no list of descriptors.
  }
}

const closeOnExec = 0o2000000;

function isMarked(fd: number): boolean {
  // The descriptor of the listing itself is already closed.
  const text = valueOr(() => readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"), undefined);
  const flags = /^flags:\s*([0-7]+)/mu.exec(text ?? "")?.[1] ?? "";
  return text === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0;
}

function noteFault(folder: string, thrown: unknown): void {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : reasonOf(thrown);
  // Ignores errors: the launcher has ended, so they cannot be reported.
  valueOr(() => writeFileSync(join(folder, "supervisor.fault"), `${text}\n`, { mode: 0o600 }), undefined);
}
