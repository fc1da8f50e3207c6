import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { createChildPrograms } from "../../src/code/child/child-programs.ts";
import type { CodeRunLanguage, ScriptTool } from "../../src/contracts/code/code-run.ts";
import type { ScriptCall } from "../../src/contracts/code/wire.ts";

export interface ScriptHost extends AsyncDisposable {
  readonly calls: ScriptCall[];
  /** The folder in which scripts start. */
  readonly folder: string;
  /** Connections that are open. */
  readonly connections: ReadonlySet<Socket>;
  run(language: CodeRunLanguage, code: string, tools?: readonly ScriptTool[]): Promise<ScriptRun>;
}

export interface ScriptRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type ReplyTo = (call: ScriptCall, connection: Socket) => Promise<JsonValue | undefined> | JsonValue | undefined;

/** The other end of script connections, without limits and sandbox. `reply`: undefined sends nothing. */
export async function startScriptHost(
  reply: ReplyTo = ({ args }) => args,
  env: NodeJS.ProcessEnv = {},
): Promise<ScriptHost> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-script-"));
  const calls: ScriptCall[] = [];
  const connections = new Set<Socket>();
  const programs = createChildPrograms({ clock: systemClock });
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on("close", () => connections.delete(connection));
    connection.on("error", () => {});
    let rest = "";
    let isKnown = false;
    connection.setEncoding("utf8");
    connection.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line) as JsonObject;
        if (isKnown) void respond(message as unknown as ScriptCall, connection);
        else if (message["token"] === "secret") isKnown = true;
        else connection.end(`${JSON.stringify({ id: null, fault: "Unauthorized RPC request" })}\n`);
      }
    });
  });
  async function respond(call: ScriptCall, connection: Socket): Promise<void> {
    calls.push(call);
    const result = await reply(call, connection);
    if (result !== undefined && connection.writable) connection.write(`${JSON.stringify({ id: call.id, result })}\n`);
  }
  const socket = join(folder, "rpc");
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  let runs = 0;
  return {
    calls,
    folder,
    connections,
    async run(language, code, tools = []) {
      const prepared = await programs.script({ language, code, tools });
      if (!prepared.ok) return { code: null, stdout: "", stderr: prepared.error };
      const place = mkdtempSync(join(folder, `run${++runs}-`));
      for (const [name, content] of Object.entries(prepared.value.files)) writeFileSync(join(place, name), content);
      const python = env["PATH"] === undefined ? "python3" : join(env["PATH"], "python3");
      const program = language === "python" ? python : process.execPath;
      const child = spawn(program, prepared.value.args(place), {
        cwd: folder,
        env: { PATH: process.env["PATH"], HERMES_RPC_SOCKET: socket, HERMES_RPC_TOKEN: "secret", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
      return { code: exit, stdout, stderr };
    },
    async [Symbol.asyncDispose]() {
      await programs[Symbol.asyncDispose]();
      for (const connection of connections) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
