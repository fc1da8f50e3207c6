import { renameSync, statSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { appendLinesTo } from "../../base/files/append-lines.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { valueOr } from "../../base/result.ts";
import { plainText } from "../../base/text/ansi.ts";
import { oneLine } from "../../base/text/text.ts";
import { timeText } from "../../base/text/time-text.ts";
import type { McpServerRequests } from "../../contracts/mcp/connection.ts";

/** Log messages of servers, one file per server. The file size and the amount written at a time are limited. */
export interface ServerLogs extends Disposable {
  add(server: string, entry: LogEntry): void;
  /** The latest messages of this program's connections. */
  tail(server: string): readonly string[];
}

type LogEntry = Parameters<McpServerRequests["log"]>[0];

export interface ServerLogDeps {
  readonly folder: string;
  readonly canWrite: () => boolean;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
}

export function openServerLogs({ folder, canWrite, redact, clock }: ServerLogDeps): ServerLogs {
  const logs = new Map<string, { tail: string[]; unwritten: string[]; dropped: number; flushing?: Disposable }>();

  function flush(server: string): void {
    const log = logs.get(server);
    if (!log || log.unwritten.length === 0) return;
    const more = log.dropped === 0 ? [] : [`(${log.dropped} more messages were dropped)`];
    const text = [...log.unwritten, ...more].map((line) => `${line}\n`).join("");
    Object.assign(log, { unwritten: [], dropped: 0, flushing: undefined });
    if (!canWrite()) return;
    const file = join(folder, `${server}.log`);
    // A failure to write the log is ignored.
    valueOr(() => {
      makeFolderSync(folder, 0o700);
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes) renameSync(file, `${file}.1`);
      appendLinesTo(file, text);
    }, undefined);
  }

  return {
    add(server, { level, logger, text }) {
      const log = logs.get(server) ?? { tail: [], unwritten: [], dropped: 0 };
      logs.set(server, log);
      if (log.unwritten.length >= maxBuffered) return void (log.dropped += 1);
      const source = logger === undefined ? "" : ` ${logger}:`;
      const whole = `${level}${source} ${text.slice(0, maxLineChars)}`;
      const line = `${timeText(clock.now())} ${oneLine(redact(plainText(whole)), maxLineChars)}`;
      log.tail = [...log.tail, line].slice(-maxTail);
      log.unwritten.push(line);
      log.flushing ??= clock.after(flushMs, () => flush(server));
    },
    tail: (server) => logs.get(server)?.tail ?? [],
    [Symbol.dispose]() {
      for (const [server, { flushing }] of logs) {
        flushing?.[Symbol.dispose]();
        flush(server);
      }
    },
  };
}

const maxFileBytes = 1_000_000;
const maxLineChars = 2_000;
const maxBuffered = 200;
const maxTail = 50;
const flushMs = 250;
