import type { Clock } from "../../base/clock.ts";
import type { LogLevel, Logger } from "../../base/log/log.ts";
import { plainText } from "../../base/text/ansi.ts";
import { createLineReader } from "../../base/text/line-reader.ts";
import { cut } from "../../base/text/text.ts";
import { limitInput } from "./limit-input.ts";
import type { PluginProcess } from "./plugin-process.ts";

export interface PluginLog {
  /** Logs the standard output and error streams of a process. */
  follow(process: Pick<PluginProcess, "stdout" | "stderr">): void;
  write(level: LogLevel, message: string): void;
}

/** The log of a plugin, with a maximum number of lines per minute. `onFlood` is called once, when lines are dropped. */
export function createPluginLog(log: Logger, clock: Clock, onFlood: () => void): PluginLog {
  let minuteEndsAt = 0;
  let lines = 0;
  let hasFlooded = false;

  function write(level: LogLevel, message: string): void {
    const now = clock.elapsed();
    if (now >= minuteEndsAt) [minuteEndsAt, lines] = [now + 60_000, 0];
    lines += 1;
    if (lines <= maxLinesPerMinute) return log[level]("plugin", { message: cut(plainText(message), maxLineChars) });
    if (hasFlooded) return;
    hasFlooded = true;
    onFlood();
  }

  return {
    follow({ stdout, stderr }) {
      for (const [stream, level] of [
        [stdout, "info"],
        [stderr, "warn"],
      ] as const) {
        limitInput(stream, { maxCost: maxOutputCost, lineCost: 100, onFlood: () => {} }, clock);
        let reader = lineReader();
        function lineReader() {
          return createLineReader(
            maxLineChars,
            (line) => line.trim() === "" || write(level, line),
            () => {
              write(level, `a line of more than ${maxLineChars} characters`);
              reader = lineReader();
            },
          );
        }
        stream.on("data", (chunk: Buffer | string) => reader.push(Buffer.from(chunk)));
        stream.on("error", () => {});
      }
    },
    write,
  };
}

const maxLinesPerMinute = 600;
const maxLineChars = 4_096;
/** The limits for each time window of `limitInput`. */
const maxOutputCost = 256 * 1024;
