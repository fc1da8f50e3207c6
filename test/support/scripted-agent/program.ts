// A program that implements the Agent Client Protocol with a script: `program.ts SCRIPT LOG`. Run directly, never
// imported.
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import type { AgentNote, AgentScript, AgentStep } from "./script.ts";

const [scriptFile = "", log = ""] = process.argv.slice(2);
const script = JSON.parse(readFileSync(scriptFile, "utf8")) as AgentScript;
const note = (what: Omit<AgentNote, "pid">) =>
  appendFileSync(log, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
const cancelled = new Set<unknown>();
let requestCount = 0;
let sessions = 0;

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly [more: string]: unknown;
};

note({
  started: { cwd: process.cwd(), env: { ...process.env } as Record<string, string>, files: readdirSync(process.cwd()) },
});
if (script.isDeaf) process.on("SIGTERM", () => {});
for (const step of script.first ?? []) await act(step, "none");

createInterface({ input: process.stdin })
  .on("line", (line) => void hear(JSON.parse(line) as Message))
  .on("close", () => !script.isDeaf && process.exit(0));

async function hear(message: Message): Promise<void> {
  const { id, method, params = {} } = message;
  if (method === undefined) {
    note({ answer: message });
    return waiting.get(id ?? -1)?.(message);
  }
  note({ method, params });
  switch (method) {
    case "initialize":
      return answer(id, script.initialize, { protocolVersion: 1, agentCapabilities: {} });
    case "session/new":
      sessions += 1;
      return answer(id, script.newSession, { sessionId: `s${process.pid}-${sessions}` });
    case "session/set_model":
    case "session/set_config_option":
      return answer(id, script.setModel, {});
    case "session/cancel":
      if (!script.isDeaf) cancelled.add(params["sessionId"]);
      return;
    case "session/prompt":
      return prompt(id, params["sessionId"]);
    default:
      return answer(id, undefined, {});
  }
}

function answer(id: number | undefined, given: object | undefined, defaults: object): void {
  const result = given === undefined ? defaults : { ...defaults, ...given };
  send("error" in result ? { id, error: result.error } : { id, result: result });
}

async function prompt(id: number | undefined, session: unknown): Promise<void> {
  const count = readFileSync(log, "utf8").split('"method":"session/prompt"').length - 2;
  const { steps = [], stop = "end_turn", error } = script.prompts?.[count] ?? script.prompts?.at(-1) ?? {};
  for (const step of steps) {
    await act(step, session);
    if (cancelled.has(session)) return send({ id, result: { stopReason: "cancelled" } }) as unknown as void;
  }
  send(error === undefined ? { id, result: { stopReason: stop } } : { id, error });
}

async function act(step: AgentStep, session: unknown): Promise<void> {
  const update = (sessionUpdate: string, more: object) =>
    send({ method: "session/update", params: { sessionId: session, update: { sessionUpdate, ...more } } });
  if ("text" in step) update("agent_message_chunk", { content: { type: "text", text: step.text } });
  else if ("thought" in step) update("agent_thought_chunk", { content: { type: "text", text: step.thought } });
  else if ("tool" in step) update("tool_call", { toolCallId: "t1", title: step.tool, kind: "read", status: "pending" });
  else if ("line" in step) process.stdout.write(`${step.line}\n`);
  else if ("stderr" in step) process.stderr.write(step.stderr);
  else if ("waitMs" in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
  else if ("child" in step) {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
    note({ child: child.pid ?? 0 });
  } else if ("exit" in step) process.exit(step.exit);
  else if ("kill" in step) process.kill(process.pid, "SIGKILL");
  else if ("hang" in step) await untilCancelled(session);
  else {
    requestCount += 1;
    const id = requestCount;
    const reply = new Promise((resolve) => waiting.set(id, resolve));
    send({ id, method: step.ask, params: { sessionId: session, ...step.params } });
    await reply;
  }
}

async function untilCancelled(session: unknown): Promise<void> {
  while (!cancelled.has(session)) await new Promise((resolve) => setTimeout(resolve, 10));
}
