import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

import { parsedObject } from "../../src/base/json.ts";
import { createScreen } from "../../src/environments/pty/screen.ts";
import { program, talking } from "./talking-program.ts";
import type { ModelServerOptions } from "./wire-servers/model-server.ts";

/** The program at a real terminal, with a scripted model over HTTP. A test reads the screen as a user sees it. */
export async function seenChat(
  turns: ModelServerOptions["turns"],
  options: {
    readonly columns?: number;
    readonly rows?: number;
    readonly args?: readonly string[];
    readonly settings?: object;
    readonly hasColours?: boolean;
  } = {},
) {
  const { columns = 80, rows = 40, args = [], settings = {}, hasColours = false } = options;
  const { server, work, env, run, ...rest } = await talking(turns);
  const file = join(env.HERMES_HOME, "config.yaml");
  await writeFile(file, JSON.stringify({ ...parsedObject(await readFile(file, "utf8")), ...settings }));
  const child = spawn(process.execPath, [program, ...args], {
    cwd: work,
    env: { ...env, TERM: "xterm", HERMES_TUI: "0", ...(hasColours ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }) },
    cols: columns,
    rows,
  });
  const screen = await createScreen({ columns, rows }, { answer: () => {}, onReady: () => {} });
  let raw = "";
  child.onData((data) => {
    raw += data;
    screen.add(Buffer.from(data));
  });
  const code = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  const seen = async () => {
    const { lines } = await screen.read();
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd();
  };
  return {
    server,
    work,
    home: env.HERMES_HOME,
    /** Another command line with the same home. */
    run,
    code,
    /** Every byte that the program wrote to the terminal. */
    raw: () => raw,
    seen,
    type: (keys: string) => child.write(keys),
    /** Waits until the screen shows it; returns the screen. */
    async until(words: string | RegExp): Promise<string> {
      for (let waited = 0, readLength = -1; ; waited += 20) {
        // Reading the screen takes long, so it is read after new output, and now and then.
        if (raw.length === readLength && waited % 200 !== 0) {
          await pause(20);
          continue;
        }
        readLength = raw.length;
        const now = await seen();
        if (typeof words === "string" ? now.includes(words) : words.test(now)) return now;
        if (waited > 60_000) throw new Error(`not seen: ${String(words)}; the screen:\n${now}`);
        await pause(20);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await code;
      screen.close();
      await rest[Symbol.asyncDispose]();
    },
  };
}
