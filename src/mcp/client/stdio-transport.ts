import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

import { isObject, parsedJson } from "../../base/json.ts";
import { createLineReader } from "../../base/text/line-reader.ts";
import { oneLine } from "../../base/text/text.ts";
import { TransportError } from "./fault.ts";
import type { McpProgram } from "./server-program.ts";

export interface StdioTransportEvents {
  /** Returns undefined to drop the message. */
  readonly inbound: (message: JSONRPCMessage) => JSONRPCMessage | undefined;
  /** Called for a line that is not a message of the protocol. */
  readonly onStray: (line: string) => void;
  /** Called once, when the program has ended or must be ended because it exceeded a limit. */
  readonly onEnd: (reason: string) => void;
}

/**
 * Sends messages as lines of JSON over the standard streams of a program. Closing ends the program and all its
 * children.
 */
export function createStdioTransport(
  program: McpProgram,
  { inbound, onStray, onEnd }: StdioTransportEvents,
): Transport {
  let endedBecause: string | undefined;

  const end = (reason: string): void => {
    if (endedBecause !== undefined) return;
    endedBecause = reason;
    program.stdout.off("data", reader.push);
    // Reading continues, so that a program that writes while it ends is not blocked.
    program.stdout.resume();
    onEnd(reason);
    transport.onclose?.();
  };
  const reader = createLineReader(maxFrameChars, receive, () =>
    end(`the server sent a message of more than ${maxFrameMb} MB`),
  );

  function receive(line: string): void {
    if (line === "" || endedBecause !== undefined) return;
    const message = parsedJson(line);
    for (const each of Array.isArray(message) ? (message as unknown[]) : [message]) {
      // The cast is safe: the library validates the message.
      const passed = isObject(each) && each.jsonrpc === "2.0" ? inbound(each as unknown as JSONRPCMessage) : "stray";
      if (passed === "stray") onStray(oneLine(line, maxStrayChars));
      else if (passed) transport.onmessage?.(passed);
    }
  }

  const transport: Transport & { readonly pid: number; readonly stderr: null } = {
    // The library detects a program by these two properties. Then a missing answer to its first request means an
    // older protocol.
    pid: program.pid,
    stderr: null,
    async start() {
      program.stdout.on("data", reader.push);
      void program.exited.then(({ description }) => end(`the program ended with ${description}`));
    },
    async send(message) {
      const { stdin } = program;
      if (endedBecause !== undefined || !stdin.writable)
        throw new TransportError("transport", endedBecause ?? "the program closed its standard input", false);
      if (stdin.writableLength > maxUnsentBytes) {
        end("the program does not read its standard input");
        throw new TransportError("transport", "the program does not read its standard input", false);
      }
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      end("the connection was closed");
      await program.end();
    },
  };
  return transport;
}

const maxFrameMb = 64;
const maxFrameChars = maxFrameMb * 2 ** 20;
const maxUnsentBytes = 64 * 2 ** 20;
const maxStrayChars = 400;
