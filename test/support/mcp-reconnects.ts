import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { sourceFlags } from "./child-process.ts";
import type { CallerReport } from "./mcp-caller.ts";
import { tempHome } from "./temp-home.ts";

export interface ReconnectRound extends CallerReport {
  /** Server processes that outlived the runtime. */
  readonly left: number;
  /** The number of processes when the runtime was killed; 0 means that the test saw nothing. */
  readonly running: number;
}

/** Interrupts calls of a runtime and kills the runtime during a call. */
export async function reconnectRound(reconnects: number): Promise<ReconnectRound> {
  await using folder = await tempHome();
  const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
  for (const each of [home, work]) mkdirSync(each);
  const events = join(work, "events");
  writeFileSync(events, "");
  const mark = `hostile-${process.pid}-${Date.now()}`;
  const hostile = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "hostile.ts");
  const settings = {
    isolation: { mode: "off" },
    mcp_servers: {
      hostile: {
        command: process.execPath,
        args: [...sourceFlags, hostile, "grandchildren"],
        env: { HOSTILE_EVENTS: events, HOSTILE_MARK: mark },
      },
    },
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(settings));
  const caller = spawn(
    process.execPath,
    [...sourceFlags, join(import.meta.dirname, "mcp-caller.ts"), home, work, `${reconnects}`],
    {
      env: { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const exited = once(caller, "exit");
  let errors = "";
  caller.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const report = await new Promise<CallerReport>((resolve, reject) => {
    caller.stdout.setEncoding("utf8").once("data", (line: string) => resolve(JSON.parse(line)));
    void exited.then(() => reject(new Error(`The caller ended: ${errors}`)));
  });
  const running = markedProcesses(mark);
  caller.kill("SIGKILL");
  await exited;
  for (let waitedMs = 0; markedProcesses(mark) > 0 && waitedMs < 15_000; waitedMs += 50) await pause(50);
  return { ...report, running, left: markedProcesses(mark) };
}

/** Finds processes with this word in their environment. */
function markedProcesses(mark: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark);
    } catch {
      return false;
    }
  }).length;
}
