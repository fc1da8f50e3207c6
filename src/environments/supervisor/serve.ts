import type { Server, Socket } from "node:net";

import type { Clock } from "../../base/clock.ts";
import { reasonOf, type Result } from "../../base/result.ts";
import { createMachineProcesses } from "../local/machine-processes.ts";
import { createPtys } from "../pty/ptys.ts";
import { createFrameReader, type Frame, sendFrame } from "./frames.ts";
import { createNamedPipes } from "./named-pipes.ts";
import { createProcessRecords } from "./process-record.ts";
import { createProcessRegistry, type ProcessRegistry } from "./process-registry.ts";
import {
  type CancelRequest,
  type Hello,
  protocolVersion,
  type SupervisorRequest,
  type AnswerBody,
} from "./protocol.ts";

export interface ServeOptions {
  readonly folder: string;
  /** How long the supervisor keeps running when no process runs and no client is connected. */
  readonly idleMs: number;
  readonly maxOutputBytes: number;
  readonly searchPath: string;
  readonly clock: Clock;
}

export interface SupervisorServer {
  /** Resolves when it is idle and can exit. */
  readonly left: Promise<void>;
  /** Kills all processes, then exits. */
  stop(): Promise<void>;
}

/** The server side of the socket. Adopts the processes of an earlier supervisor, then serves requests. */
export function serve(listener: Server, options: ServeOptions): SupervisorServer {
  const { clock, folder } = options;
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const clients = new Set<Socket>();
  const pipes = createNamedPipes(folder, `pipe-${process.pid}`, options.searchPath);
  let idle: Disposable | undefined;
  let hasServed = false;

  const book = createProcessRegistry({
    store: createProcessRecords(folder),
    pipes,
    ptys: createPtys(),
    table: createMachineProcesses(clock),
    clock,
    maxOutputBytes: options.maxOutputBytes,
    buffer: Buffer.allocUnsafeSlow(64 * 1024),
    onIdle: watchIdle,
  });
  const tidying = setInterval(() => book.tidy(), tidyMs);

  function watchIdle(): void {
    idle?.[Symbol.dispose]();
    idle = undefined;
    const waitMs = hasServed ? options.idleMs : Math.max(options.idleMs, firstClientMs);
    if (clients.size === 0 && book.running === 0) idle = clock.after(waitMs, stopServing);
  }

  function stopServing(): void {
    if (clients.size > 0 || book.running > 0) return;
    clearInterval(tidying);
    pipes.clear();
    listener.close(() => leave());
  }

  listener.on("connection", (socket) => {
    clients.add(socket);
    hasServed = true;
    watchIdle();
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      clients.delete(socket);
      watchIdle();
    });
    attend(socket, book);
  });
  watchIdle();
  return {
    left,
    async stop() {
      await book.endAll();
      for (const socket of clients) socket.destroy();
      clients.clear();
      stopServing();
      await left;
    },
  };
}

const tidyMs = 3_600_000;
/** On a busy machine the program that started the supervisor needs seconds to connect. */
const firstClientMs = 30_000;

function attend(socket: Socket, book: ProcessRegistry): void {
  const forgotten = new Set<number>();
  const waiting = new Set<number>();
  const hello: Hello = { supervisor: protocolVersion, pid: process.pid };
  sendFrame(socket, hello);

  async function handle({ value, bytes }: Frame): Promise<void> {
    // The cast is safe, because clients of other versions were rejected before.
    const request = value as SupervisorRequest | CancelRequest;
    if ("forget" in request) {
      if (waiting.has(request.forget)) forgotten.add(request.forget);
      return;
    }
    const { ask } = request;
    waiting.add(ask);
    let reply: AnswerBody;
    try {
      reply = await answer(request, bytes, book);
    } catch (thrown) {
      reply = { fault: reasonOf(thrown) };
    }
    waiting.delete(ask);
    if (!forgotten.delete(ask)) sendFrame(socket, { ask, ...reply });
  }

  const read = createFrameReader((frame) => void handle(frame));
  socket.on("data", (chunk) => {
    try {
      read(chunk);
    } catch {
      socket.destroy();
    }
  });
}

async function answer(request: SupervisorRequest, bytes: Uint8Array, book: ProcessRegistry): Promise<AnswerBody> {
  const { id } = request;
  if (request.what === "start") {
    const started = await book.start(id, request.start);
    if (started.ok) return {};
    const { message, ...rest } = started.error;
    return { fault: message, ...rest };
  }
  if (request.what === "remove") {
    await book.remove(id);
    return {};
  }
  const match = book.find(id);
  if (request.what === "ending" || request.what === "wait" || request.what === "kill") {
    if (!match || request.what === "ending") {
      const ending = book.ending(id);
      return ending ? { ending } : {};
    }
    return { ending: request.what === "wait" ? await match.ended : await match.kill() };
  }
  if (!match) return { fault: "it has ended" };
  switch (request.what) {
    case "write":
      return faultIn(await match.input.write(Uint8Array.from(bytes)));
    case "closeInput":
      return faultIn(await match.input.end());
    case "resize":
      return faultIn(match.resize(request.size));
    case "screen": {
      const screen = await match.screen();
      return screen.ok ? { screen: screen.value } : { fault: screen.error.message };
    }
  }
}

function faultIn(done: Result<void>): AnswerBody {
  return done.ok ? {} : { fault: done.error.message };
}
