import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { sha256 } from "../../src/base/digest.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import type { AgentEvent } from "../../src/contracts/session/event.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import type { Entry } from "../../src/contracts/session/session.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { wireModel } from "./wire-model.ts";
import { type ModelServer, startModelServer } from "./wire-servers/model-server.ts";
import type { ScriptedTurn } from "./wire-servers/turn.ts";

export const notes = `## Goal\nThree tasks, one after another.\n## Done\n1. The first task: counted everything, and it was right.`;
export const firstTask = "First task: count to three thousand.";
export const secondTask = 'Second task: mend the gate in src/gate.ts, "as discussed",\nand keep ünïcödé as it is. 🚪';
export const steer = "And mind the hinge.";

export interface Scene extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly server: ModelServer;
  /** Bodies of the requests with tools, as sent. */
  chats(): readonly string[];
  summaries(): readonly string[];
  ask(text: string): Promise<readonly AgentEvent[]>;
}

/** A whole runtime with a model over HTTP. `script` answers the conversation, `summarise` the auxiliary requests. */
export async function scene(
  folder: string,
  script: readonly (ScriptedTurn | (() => ScriptedTurn))[],
  summarise: ScriptedTurn,
): Promise<Scene> {
  const stack = new AsyncDisposableStack();
  const cwd = join(folder, "project");
  await mkdir(join(cwd, "src"), { recursive: true });
  for (const name of ["one", "two"]) {
    await writeFile(
      join(cwd, `${name}.txt`),
      `${`line of file ${name} with some words in it\n`.repeat(300)}the end of ${name}\n`,
    );
  }
  let index = 0;
  const server = stack.use(
    await startModelServer({
      protocol: "openai-chat",
      turns: ({ json }) => ({
        usage: "none",
        ...("tools" in json ? played(script[index++]) : summarise),
      }),
    }),
  );
  const http = stack.adopt(createHttp({ clock: systemClock }), (opened) => opened[Symbol.dispose]());
  const model = wireModel({ providerId: "scripted", protocol: "openai-chat", baseUrl: server.url, key: "k" }, http);
  const settings = { "compression.threshold_tokens": 20_000, "compression.context_timeout": 5 };
  const runtime = stack.use(await runtimeRig({ folder, cwd, model, settings }));
  const session = stack.use(await runtime.openSession({ source: "test" }));
  const bodies = (isChat: boolean) =>
    server.requests.filter(({ json }) => "tools" in json === isChat).map(({ body }) => body.toString("utf8"));
  return {
    runtime,
    session,
    server,
    chats: () => bodies(true),
    summaries: () => bodies(false),
    async ask(text) {
      const turn = session.prompt([{ type: "text", text }]);
      const seen: AgentEvent[] = [];
      for await (const event of turn.events()) seen.push(event);
      return seen;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function played(turn: ScriptedTurn | (() => ScriptedTurn) = { text: "There is nothing more to say." }): ScriptedTurn {
  return typeof turn === "function" ? turn() : turn;
}

export const call = (name: string, args: Record<string, string | boolean | object[]>): ScriptedTurn => ({
  calls: [{ name, args: args as never }],
});
const todos = [
  { id: "1", content: "look at the gate", status: "completed" },
  { id: "2", content: 'mend the "gate"', status: "in_progress" },
  { id: "3", content: "paint it green", status: "pending" },
];
export const first: readonly ScriptedTurn[] = [
  call("terminal", { command: "seq 1 3000" }),
  { text: `The first task is done. ${"It went well, number by number, and nothing was left out. ".repeat(300)}` },
];
export const second: readonly ScriptedTurn[] = [
  call("todo", { todos }),
  call("write_file", { path: "src/gate.ts", content: "export const gate = 'open';\n" }),
  call("terminal", { command: "sleep 300", background: true }),
  call("read_file", { path: "one.txt" }),
  call("read_file", { path: "two.txt" }),
];

/** A digest of entries without their cost. */
export function digestOf(entries: readonly Entry[]): string {
  return sha256(JSON.stringify(entries.filter(({ type }) => type !== "usage")));
}
