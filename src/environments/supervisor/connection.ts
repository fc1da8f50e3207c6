import { createConnection } from "node:net";

import { abortable } from "../../base/async/abort.ts";
import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { codeOf } from "../../base/files/file-fault.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { createFrameReader, maxFrameBytes, sendFrame } from "./frames.ts";
import { type SupervisorAnswer, type UnnumberedRequest, protocolVersion } from "./protocol.ts";
import { socketPath } from "./socket-path.ts";

/** The client side of the supervisor's socket. */
export interface Connection {
  readonly isOpen: boolean;
  /** Rejects with `LostConnection` when the supervisor exits first, and with the signal's reason on abort. */
  ask(request: UnnumberedRequest, bytes: Uint8Array, signal: AbortSignal): Promise<SupervisorAnswer>;
  close(): void;
}

export class LostConnection extends Error {
  override readonly message = "the supervisor of background processes exited";
}

/** `absent`: no supervisor listens on the socket. */
export async function connect(
  folder: string,
  { clock, idleMs }: { readonly clock: Clock; readonly idleMs: number },
  signal: AbortSignal,
): Promise<Result<Connection, EnvironmentError | "absent">> {
  using place = valueOr(() => socketPath(folder), undefined);
  if (!place) return err("absent");
  const socket = createConnection({ path: place.path });
  const pending = new Map<number, PromiseWithResolvers<SupervisorAnswer>>();
  const hello = Promise.withResolvers<unknown>();
  let asks = 0;
  let idle: Disposable | undefined;

  /** An idle connection keeps neither this process nor the supervisor running. */
  function rest(): void {
    if (pending.size > 0 || socket.destroyed) return;
    socket.unref();
    idle?.[Symbol.dispose]();
    idle = clock.after(idleMs, () => socket.destroy());
  }

  function lose(reason: Error): void {
    hello.reject(reason);
    // The supervisor was running and has ended, so the error of the last write does not matter.
    for (const one of pending.values()) one.reject(new LostConnection());
    pending.clear();
    idle?.[Symbol.dispose]();
  }

  const read = createFrameReader(({ value }) => {
    if (!isObject(value)) throw new Error("a frame without an object");
    if ("supervisor" in value) return hello.resolve(value["supervisor"]);
    const { ask } = value;
    if (typeof ask !== "number") return;
    // The protocol version matches here, so the cast is safe.
    pending.get(ask)?.resolve(value as SupervisorAnswer);
    pending.delete(ask);
    rest();
  });
  socket.on("data", (chunk: Buffer) => {
    try {
      read(chunk);
    } catch {
      socket.destroy();
    }
  });
  socket.on("error", (thrown) => {
    socket.destroy();
    lose(thrown);
  });
  socket.once("close", () => lose(new LostConnection()));

  try {
    const waited = await waitFor(hello.promise, { signal, ms: helloMs, clock });
    if (waited.how === "done" && waited.value !== protocolVersion) {
      socket.destroy();
      return err(otherVersion(folder));
    }
    if (waited.how !== "done") {
      socket.destroy();
      return err(waited.how === "aborted" ? { kind: "unreachable", message: "interrupted" } : silent(folder));
    }
  } catch (thrown) {
    socket.destroy();
    const isAbsent = thrown instanceof LostConnection || absentCodes.includes(codeOf(thrown));
    return err(
      isAbsent ? "absent" : { kind: "unreachable", message: `the supervisor cannot be reached: ${reasonOf(thrown)}` },
    );
  }
  rest();
  return ok({
    get isOpen() {
      return !socket.destroyed;
    },
    async ask(request, bytes, askSignal) {
      askSignal.throwIfAborted();
      if (socket.destroyed) throw new LostConnection();
      const ask = (asks += 1);
      if (isTooLong(request, bytes)) return { ask, fault: "the command and its environment are too long" };
      const answered = Promise.withResolvers<SupervisorAnswer>();
      pending.set(ask, answered);
      idle?.[Symbol.dispose]();
      socket.ref();
      sendFrame(socket, { ...request, ask }, bytes);
      try {
        return await abortable(answered.promise, askSignal);
      } catch (thrown) {
        if (pending.delete(ask)) sendFrame(socket, { forget: ask });
        rest();
        throw thrown;
      }
    },
    close: () => void socket.destroy(),
  });
}

const helloMs = 10_000;
const absentCodes: readonly string[] = ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTDIR"];

/** Bytes reserved for the JSON around the data. */
function isTooLong(request: UnnumberedRequest, bytes: Uint8Array): boolean {
  if (request.what !== "start") return bytes.length > maxFrameBytes / 2;
  const { command, args, env } = request.start;
  const texts = [command, ...args, ...Object.entries(env).flat()];
  return texts.reduce((sum, text) => sum + text.length, 0) > maxFrameBytes / 8;
}

function silent(folder: string): EnvironmentError {
  return {
    kind: "unreachable",
    message: `the supervisor of the background processes in ${folder} does not answer`,
    hint: "The process may be suspended: resume it (kill -CONT) or kill it, then try again.",
  };
}

function otherVersion(folder: string): EnvironmentError {
  return {
    kind: "unreachable",
    message: `another version of Hermes manages the background processes in ${folder}`,
    hint: "It exits when they have ended: use that version until then, or end them with it.",
  };
}
