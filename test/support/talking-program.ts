import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

import { runProgram } from "./run-program.ts";
import { tempHome } from "./temp-home.ts";
import { type ModelServerOptions, startModelServer } from "./wire-servers/model-server.ts";

/** Hermes as built by `npm test`. */
export const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

/** A home whose model is a scripted server, over real HTTP. */
export async function talking(turns: ModelServerOptions["turns"], more: Partial<ModelServerOptions> = {}) {
  const server = await startModelServer({ protocol: "openai-chat", turns, keys: ["k1"], ...more });
  const folder = await tempHome();
  const work = join(folder.path, "work");
  const home = join(folder.path, "home");
  await mkdir(work);
  await mkdir(home);
  const model = { provider: "custom", default: "m1", base_url: server.url, key_env: "TEST_KEY" };
  // A title would be another request at an unpredictable moment.
  const auxiliary = { title_generation: { enabled: false } };
  await writeFile(join(home, "config.yaml"), JSON.stringify({ model, auxiliary, isolation: { mode: "off" } }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path, HERMES_HOME: home, TEST_KEY: "k1" };
  return {
    server,
    work,
    env,
    run: (args: readonly string[], input = "") =>
      runProgram(process.execPath, [program, ...args], { cwd: work, env, input }),
    terminal: (args: readonly string[] = []) => atTerminal(args, work, env),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Hermes at a real terminal. */
export function atTerminal(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { TERM: "xterm", HERMES_TUI: "0", NO_COLOR: "1", ...env },
    cols: 120,
    rows: 40,
  });
  let output = "";
  let from = 0;
  child.onData((data) => (output += data));
  const code = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    pid: child.pid,
    type(keys: string) {
      from = output.length;
      child.write(keys);
    },
    said: () => output,
    code,
    async until(words: string | RegExp) {
      const fits = () =>
        typeof words === "string" ? output.slice(from).includes(words) : words.test(output.slice(from));
      for (let waited = 0, readLength = -1; output.length === readLength || !fits(); waited += 10) {
        readLength = output.length;
        if (waited > 60_000) throw new Error(`not said: ${String(words)}; said: ${output}`);
        await pause(10);
      }
    },
    kill: (signal: string) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await code;
    },
  };
}
