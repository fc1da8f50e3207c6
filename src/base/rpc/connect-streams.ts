import type { Readable, Writable } from "node:stream";

import type { Clock } from "../clock.ts";
import { createRpcConnection, type RpcConnection, type RpcHandlers } from "./json-rpc.ts";

export interface RpcStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Runs a JSON-RPC connection over two byte streams. Closes when the input ends, a stream fails, or the peer does not
 * read its responses. A closed connection has no listener on either stream.
 */
export function connectStreams({ input, output }: RpcStreams, handlers: RpcHandlers, clock: Clock): RpcConnection {
  const connection = createRpcConnection({ ...handlers, onViolation: fail }, { send, clock });

  function send(line: string): void {
    output.write(line);
    if (output.writableLength > maxUnsentBytes) fail(`does not read its input: ${maxUnsentBytes >> 20} MB are waiting`);
  }

  function fail(reason: string): void {
    handlers.onViolation?.(reason);
    close();
  }

  function close(): void {
    connection.close();
    input.off("data", connection.receive);
    for (const event of endings) input.off(event, close);
    output.off("error", close);
    output.off("close", close);
  }

  // A stream that fails after the connection has closed must not throw.
  input.on("error", () => {});
  output.on("error", () => {});
  input.on("data", connection.receive);
  for (const event of endings) input.on(event, close);
  output.on("error", close);
  output.on("close", close);
  return { ...connection, close };
}

const endings = ["end", "close", "error"] as const;
const maxUnsentBytes = 64 * 2 ** 20;
