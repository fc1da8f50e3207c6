import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { McpServerRequests } from "../../contracts/mcp/connection.ts";
import type { StdioTarget } from "../../contracts/mcp/server-entry.ts";
import type { McpChannel } from "./channel.ts";
import { createInbound, floodEntry } from "./inbound.ts";
import type { McpProgram, StartMcpProgram } from "./server-program.ts";
import { createStdioTransport } from "./stdio-transport.ts";

/** Starts the program of a server and writes its standard error to the log. */
export async function openStdioChannel(
  { name, target }: { readonly name: string; readonly target: StdioTarget },
  {
    clock,
    start,
    log,
  }: { readonly clock: Clock; readonly start: StartMcpProgram; readonly log: McpServerRequests["log"] },
  signal: AbortSignal,
): Promise<Result<McpChannel, string>> {
  const started = await start(name, target, signal);
  if (!started.ok) return started;
  const program = started.value;
  const ended = Promise.withResolvers<{ readonly reason: string }>();
  const close = once(() => program.end());
  logLines(program, (text) => log({ level: "info", logger: "stderr", text }));
  const transport = createStdioTransport(program, {
    inbound: createInbound(clock, () => log(floodEntry)),
    onStray: (text) => log({ level: "warning", logger: "stdout", text: `this line is not an MCP message: ${text}` }),
    onEnd(reason) {
      ended.resolve({ reason });
      void close();
    },
  });
  return ok({
    transport,
    ended: ended.promise,
    complaint: () => lastWords(program),
    async close() {
      ended.resolve({ reason: "the connection was closed" });
      await close();
    },
  });
}

function logLines({ stderr }: McpProgram, line: (text: string) => void): void {
  let rest = "";
  stderr.on("data", (text: string) => {
    const lines = (rest + text).split(/\r?\n/u);
    rest = lines.pop() ?? "";
    for (const each of lines) if (each !== "") line(each);
    if (rest.length < maxLineChars) return;
    line(rest);
    rest = "";
  });
}

function lastWords(program: McpProgram): string {
  const lines = program.stderrTail().trim().split("\n");
  return oneLine(lines.slice(-complaintLines).join(" "), complaintChars);
}

const maxLineChars = 4_096;
const complaintLines = 5;
const complaintChars = 400;
