/**
 * Time from Ctrl-C at a terminal to the next prompt, while while an answer streams and while while a command runs, and
 * until no process of the command is left. Each round starts the built program again.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { median, report, rounded } from "./support/measure.ts";
import { hermes, makeScene, type Scene } from "./support/programs.ts";

const rounds = process.argv.includes("--quick") ? 1 : 15;
const limitMs = 200;
const seconds = `${process.pid}${performance.now().toFixed(0)}`;

const shapes: Readonly<
  Record<string, { readonly turn: ScriptedTurn; readonly isRunning: (shown: string) => boolean }>
> = {
  "while an answer streams": {
    turn: { text: Array.from({ length: 2_000 }, (_, index) => `word${index} `), fault: { dripMs: 20 } },
    isRunning: (shown) => shown.includes("word5"),
  },
  "while a command runs": {
    turn: { calls: [{ name: "terminal", args: { command: `sleep ${seconds} | cat` } }] },
    isRunning: hasSleeper,
  },
};

for (const [what, { turn, isRunning }] of Object.entries(shapes)) {
  await using server = await startModelServer({ protocol: "openai-chat", turns: () => turn, record: false });
  using scene = makeScene(server.url, "isolation:\n  mode: off\n");
  const times: { readonly promptMs: number; readonly goneMs: number }[] = [];
  for (let round = 0; round < rounds; round++) times.push(await interruptOnce(scene, isRunning));
  for (const [end, key] of [
    ["time to the next prompt", "promptMs"],
    ["time until no process of the command is left", "goneMs"],
  ] as const) {
    if (key === "goneMs" && isRunning !== hasSleeper) continue;
    const each = times.map((time) => time[key]);
    const ms = median(each);
    report("interrupt", `${what}: ${end}, p50`, {
      ms: rounded(ms, 1),
      maxMs: rounded(Math.max(...each), 1),
      limitMs,
      holds: ms <= limitMs,
    });
  }
}

async function interruptOnce({ env, folder }: Scene, isRunning: (shown: string) => boolean) {
  const [program = "", ...args] = hermes();
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, TERM: "xterm", HERMES_TUI: "0", NO_COLOR: "1" },
    cols: 120,
    rows: 40,
  });
  let shown = "";
  child.onData((text) => (shown += text));
  const exited = new Promise<void>((resolve) => child.onExit(() => resolve()));
  try {
    await until(
      () => shown.includes("❯"),
      () => shown,
    );
    child.write("go\r");
    await until(
      () => isRunning(shown),
      () => shown,
    );
    shown = "";
    const startedAt = performance.now();
    child.write("\x03");
    await until(
      () => shown.includes("❯"),
      () => shown,
    );
    const promptMs = performance.now() - startedAt;
    await until(
      () => !hasSleeper(),
      () => shown,
    );
    return { promptMs, goneMs: performance.now() - startedAt };
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

async function until(isTrue: () => boolean, shown: () => string): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 1) {
    if (waited > 30_000) throw new Error(`timed out; the terminal shows: ${shown()}`);
    await pause(1);
  }
}

/** True while a process of the command is alive. */
function hasSleeper(): boolean {
  return readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/u.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      return false; // The process has ended meanwhile.
    }
  });
}
