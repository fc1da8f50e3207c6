import { connect } from "node:net";

import type { LinkStreams } from "../remote/link.ts";
import { createFrames, frame, isFalse, isTrue, messages, packet, reader, packString } from "./session-packets.ts";

/** How a session ended. In the first three cases, no command has started on the server. */
export type SessionEnd =
  /** The connection is closed or does not support sessions. */
  | { readonly how: "dead" | "unable" }
  /** The server accepts no more sessions on this connection. */
  | { readonly how: "full" }
  | { readonly how: "exit"; readonly exitCode: number }
  | { readonly how: "lost"; readonly message: string }
  | { readonly how: "aborted" };

/**
 * Runs a command in a session of a shared connection (a background ssh master) without starting another client: it uses
 * the proxy mode of the master's socket (PROTOCOL.mux of OpenSSH, since 7.4). Starting a client takes longer than most
 * commands.
 */
export function runInSession(
  socketPath: string,
  command: string,
  variables: readonly (readonly [name: string, value: string])[],
  streams: LinkStreams,
): Promise<SessionEnd> {
  const { signal, stdin = new Uint8Array() } = streams;
  if (signal.aborted) return Promise.resolve({ how: "aborted" });
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    let phase: "hello" | "proxy" | "open" | "asked" | "running" = "hello";
    let exitCode: number | undefined;
    let signalName: string | undefined;
    let channel = 0;
    let room = 0;
    let largest = 0;
    let sent = 0;
    let sentBytes = 0;
    let isOver = false;

    const finish = (end: SessionEnd) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", abort);
      socket.destroy();
      resolve(end);
    };
    const abort = () => finish({ how: "aborted" });
    const lost = (message: string) =>
      finish(phase === "asked" || phase === "running" ? { how: "lost", message } : { how: "dead" });

    /** Sends as much input as the server currently accepts, and end-of-file after the last byte. */
    function feed(): void {
      while (sent < stdin.length && room > 0) {
        const part = stdin.subarray(sent, sent + Math.min(room, largest, maxPacketBytes));
        socket.write(packet(messages.data, channel, packString(part)));
        sent += part.length;
        room -= part.length;
      }
      if (sent === stdin.length && !streams.holdsInput) {
        socket.write(packet(messages.end, channel));
        sent += 1;
      }
    }

    function take(bytes: Buffer, isControl: boolean): void {
      sentBytes += bytes.length;
      if (sentBytes >= windowBytes / 2) {
        socket.write(packet(messages.window, channel, sentBytes));
        sentBytes = 0;
      }
      if (isControl) return streams.onControl(bytes);
      if (bytes.length === 0 || streams.onOutput(bytes)) return;
      socket.pause();
      void streams.resume().then(() => socket.resume());
    }

    function greet(body: Buffer): void {
      const answer = reader(body, 0).number();
      if (phase === "hello" && answer === hello) {
        phase = "proxy";
        socket.write(frame(askProxy, 0));
      } else if (phase === "proxy" && answer === isProxy) {
        phase = "open";
        socket.write(packet(messages.open, "session", 0, windowBytes, maxPacketBytes));
      } else finish({ how: "unable" });
    }

    function onMessage(body: Buffer): void {
      if (isOver) return;
      if (phase === "hello" || phase === "proxy") return greet(body);
      const fields = reader(body, 2);
      switch (body[1]) {
        case messages.opened:
          fields.number();
          [channel, room, largest] = [fields.number(), fields.number(), fields.number()];
          phase = "asked";
          for (const [name, value] of variables)
            socket.write(packet(messages.request, channel, "env", isFalse, name, value));
          socket.write(packet(messages.request, channel, "exec", isTrue, command));
          return;
        case messages.openFailed:
          return finish({ how: "full" });
        case messages.success:
          phase = "running";
          return feed();
        case messages.failure:
          return phase === "asked" ? finish({ how: "lost", message: "the server does not run commands" }) : undefined;
        case messages.window:
          fields.number();
          room += fields.number();
          return feed();
        case messages.data:
          fields.number();
          return take(fields.bytes(), false);
        case messages.extendedData:
          fields.number();
          fields.number();
          return take(fields.bytes(), true);
        case messages.request: {
          fields.number();
          const name = fields.bytes().toString();
          const rest = reader(body, 2 + 4 + 4 + name.length + 1);
          if (name === "exit-status") exitCode = rest.number();
          if (name === "exit-signal") signalName = rest.bytes().toString();
          return;
        }
        case messages.close:
          socket.write(packet(messages.close, channel));
          if (exitCode !== undefined) return finish({ how: "exit", exitCode });
          return lost(signalName === undefined ? "the session was closed" : `the shell was killed by SIG${signalName}`);
        default:
      }
    }

    signal.addEventListener("abort", abort);
    socket.once("error", (thrown) => lost(thrown.message));
    socket.once("close", () => lost("the connection was closed"));
    socket.on("data", createFrames(onMessage));
    socket.write(frame(hello, protocolVersion));
  });
}

const hello = 1;
const protocolVersion = 4;
const askProxy = 0x1000000f;
const isProxy = 0x8000000f;
const windowBytes = 2 * 1024 * 1024;
const maxPacketBytes = 32 * 1024;
