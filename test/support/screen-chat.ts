import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

import { parsedObject } from "../../src/base/json.ts";
import { program, talking } from "./talking-program.ts";
import { createTerminalEmulator } from "./terminal-emulator.ts";
import type { ModelServerOptions } from "./wire-servers/model-server.ts";

export interface ScreenChatOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly background?: "light" | "dark";
}

/** The full screen of the built program at a real terminal, with a scripted model over HTTP. */
export async function screenChat(turns: ModelServerOptions["turns"], options: ScreenChatOptions = {}) {
  const { settings = {} } = options;
  const { server, work, env, run, ...rest } = await talking(turns);
  const file = join(env.HERMES_HOME, "config.yaml");
  await writeFile(file, JSON.stringify({ ...parsedObject(await readFile(file, "utf8")), ...settings }));
  const start = (args = options.args ?? []) =>
    screenOf([process.execPath, program, "--tui", ...args], { ...options, cwd: work, env: { ...env, ...options.env } });
  const terminal = start();
  return {
    ...terminal,
    server,
    work,
    home: env.HERMES_HOME,
    /** Another command line with the same home. */
    run,
    /** Starts the program again, at another terminal. */
    again: start,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await rest[Symbol.asyncDispose]();
    },
  };
}

/** A program at a real terminal, and the screen that a person sees. */
export function screenOf(
  [command = "", ...args]: readonly string[],
  options: Omit<ScreenChatOptions, "args" | "settings"> & {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  },
) {
  const { columns = 80, rows = 24, background = "dark", cwd, env } = options;
  const child = spawn(command, [...args], {
    cwd,
    env: { TERM: "xterm-256color", ...env },
    cols: columns,
    rows,
  });
  const emulator = createTerminalEmulator({ columns, rows, background, answer: (text) => child.write(text) });
  let raw = "";
  child.onData((data) => {
    raw += data;
    emulator.add(data);
  });
  const code = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  const seen = async () => (await emulator.screen()).join("\n").trimEnd();
  const everything = async () => (await emulator.everything()).join("\n").trimEnd();
  const wait = async (read: () => Promise<string>, words: string | RegExp, is: boolean) => {
    for (let waited = 0, readLength = -1; ; waited += 20) {
      // Reading the screen takes long, so it is read after new output, and now and then.
      if (raw.length === readLength && waited % 200 !== 0) {
        await pause(20);
        continue;
      }
      readLength = raw.length;
      const now = await read();
      if ((typeof words === "string" ? now.includes(words) : words.test(now)) === is) return now;
      if (waited > 60_000) throw new Error(`${is ? "not seen" : "still seen"}: ${String(words)}; the screen:\n${now}`);
      await pause(20);
    }
  };
  return {
    pid: child.pid,
    code,
    emulator,
    /** Every byte that the program wrote to the terminal. */
    raw: () => raw,
    /** The visible screen. */
    seen,
    /** The scrollback and the screen. */
    everything,
    type: (keys: string) => child.write(keys),
    resize(width: number, height: number) {
      emulator.resize(width, height);
      child.resize(width, height);
    },
    kill: (signal: string) => child.kill(signal),
    /** The terminal accepts no more bytes, until `resume`. */
    pause: () => child.pause(),
    resume: () => child.resume(),
    /** Closes the terminal, like closing its window. */
    hangUp: () => destroy(child),
    /** Waits until the screen shows it; returns the screen. */
    until: async (words: string | RegExp) => wait(seen, words, true),
    /** Waits until the screen no longer shows it. */
    untilGone: async (words: string | RegExp) => wait(seen, words, false),
    /** Waits until the scrollback or the screen has it. */
    untilWritten: async (words: string | RegExp) => wait(everything, words, true),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await code;
      emulator[Symbol.dispose]();
    },
  };
}

/** The library has this method, but its types do not. */
function destroy(child: object): void {
  if ("destroy" in child && typeof child.destroy === "function") Reflect.apply(child.destroy, child, []);
}
