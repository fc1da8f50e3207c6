import { once } from "node:events";
import { Readable, Writable } from "node:stream";

import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import { createClientServer, type ClientServer } from "./create-server.ts";
import type { OpenClient } from "./served-client.ts";

export interface StdioEnds {
  readonly input: AsyncIterable<Uint8Array>;
  /** Resolves when the reader has consumed the text. */
  write(text: string): Promise<void>;
  readonly clock: Clock;
  /** Receives protocol errors, for the log. */
  report(message: string): void;
}

/** Serves one client until it closes the connection or the signal aborts. */
export async function serveOverStdio(ends: StdioEnds, open: OpenClient, signal: AbortSignal): Promise<void> {
  const [library, { serveStdio, StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const output = new Writable({
    decodeStrings: false,
    // Write errors are ignored: if the reader disconnects, the input ends too.
    write: (text: string, _encoding, done) => void ends.write(text).finally(done),
  });
  // Each answer that waits for the reader has its own listeners.
  output.setMaxListeners(0);
  const input = Readable.from(paced(ends.input, output, signal), { objectMode: false });
  const transport = new StdioServerTransport(input, output, { maxBufferSize: maxMessageBytes });
  const served = new Set<ClientServer>();
  const ended = Promise.withResolvers<void>();
  const handle = serveStdio(
    ({ era }) => {
      const one = createClientServer(library, open, era === "legacy" ? ends.clock : undefined);
      served.add(one);
      return one.server;
    },
    { transport, onerror: (error) => ends.report(reasonOf(error)) },
  );
  input.once("close", ended.resolve);
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  await ended.promise;
  await handle.close();
  await Promise.all(Array.from(served, (one) => one[Symbol.asyncDispose]()));
}

/** Stops reading requests while many answers are unread, because they would fill the memory. */
async function* paced(
  input: AsyncIterable<Uint8Array>,
  output: Writable,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  for await (const chunk of input) {
    yield chunk;
    if (output.writableLength > maxUnreadChars) await once(output, "drain", { signal }).catch(() => {});
  }
}

const maxMessageBytes = 64 * 2 ** 20;
const maxUnreadChars = 8 * 2 ** 20;
