import { stat } from "node:fs/promises";
import { join } from "node:path";

import { err, ok } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { homeFiles } from "../../config/home.ts";
import { integer, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation } from "../operation.ts";
import { findLogs, type LogCursor, readLogLines } from "./log-files.ts";
import {
  type LogFilter,
  logLevels,
  parseSpan,
  passesFilter,
  readLogLine,
  type ReadLogLine,
} from "./log-line-filter.ts";

const cursorFields = {
  file: string("file"),
  inode: integer("inode of the file"),
  offset: integer("bytes that were read", { minimum: 0 }),
};

export const operations = {
  list: readOperation({
    summary: "List the logs of this home",
    needs: ["config"],
    async run(_input, { config }) {
      const folder = join(config.home.path, homeFiles.logs);
      const logs = await findLogs(folder);
      return ok({
        folder,
        logs: logs.map(({ name, files }) => ({
          name,
          file: files[0]?.path ?? "",
          files: files.length,
          bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
          changedAt: Math.max(...files.map(({ changedAt }) => changedAt)),
        })),
      });
    },
  }),

  read: readOperation({
    summary: "Read the newest lines of a log, or those after a position",
    input: object({
      log: optional(string("name of the log: agent (default), errors, or one of logs.list")),
      limit: optional(integer("maximum number of lines; default: 50", { minimum: 1 })),
      level: optional(oneOf("minimum level", logLevels)),
      session: optional(string("only lines that name this session")),
      since: optional(string("only lines of the last 30m, 1h, 2d")),
      component: optional(string("agent, tools, cli, gateway, cron, or the first word of an event, such as mcp")),
      after: optional(object(cursorFields, "the position after the lines that were read before")),
    }),
    needs: ["config"],
    async run(input, { config }, { clock }) {
      const { log = "agent", limit = 50, after } = input;
      const logs = await findLogs(join(config.home.path, homeFiles.logs));
      const isErrors = log === "errors" && !logs.some(({ name }) => name === "errors");
      const match = logs.find(({ name }) => name === (isErrors ? "agent" : log));
      if (!match && log !== "agent" && !isErrors) {
        const names = logs.map(({ name }) => name);
        return err({
          message: `There is no log "${log}".`,
          hint: didYouMean(log, names) || "`hermes logs list` shows the logs.",
          kind: "input",
        });
      }
      const span = input.since === undefined ? undefined : parseSpan(input.since);
      if (input.since !== undefined && span === undefined)
        return err({ message: `--since ${input.since}: use a time such as 30m, 1h or 2d.`, kind: "input" });
      const filter: LogFilter = {
        minLevel: input.level ?? (isErrors ? "error" : undefined),
        since: span === undefined ? undefined : clock.now() - span,
        session: input.session,
        component: input.component,
      };
      const files = match?.files ?? [];
      return ok(after ? await linesAfter(after, files, filter) : await newestLines(files, limit, filter));
    },
  }),
};

interface LogLines {
  readonly lines: readonly ReadLogLine[];
  /** Undefined: there is no file yet. */
  readonly cursor?: LogCursor;
}

type Files = readonly { readonly path: string }[];

/** Reads the newest file first, and older ones until there are enough lines. */
async function newestLines(files: Files, limit: number, filter: LogFilter): Promise<LogLines> {
  let lines: readonly ReadLogLine[] = [];
  let cursor: LogCursor | undefined;
  for (const { path } of files) {
    const read = await readLogLines(path, 0).catch(() => undefined);
    if (!read) continue;
    cursor ??= read.cursor;
    lines = [...filtered(read.lines, filter), ...lines].slice(-limit);
    if (lines.length >= limit) break;
  }
  return { lines, ...(cursor && { cursor }) };
}

/** A rotated file keeps its inode under another name: its rest is read first, then the new file. */
async function linesAfter(after: LogCursor, files: Files, filter: LogFilter): Promise<LogLines> {
  const [newest] = files;
  if (!newest) return { lines: [], cursor: after };
  const current = await stat(newest.path).catch(() => undefined);
  if (!current) return { lines: [], cursor: after };
  if (current.ino === after.inode) {
    const read = await readLogLines(newest.path, after.offset);
    return { lines: filtered(read.lines, filter), cursor: read.cursor };
  }
  const rest = await Promise.all(
    files.slice(1).map(async ({ path }) => {
      const stats = await stat(path).catch(() => undefined);
      return stats?.ino === after.inode ? (await readLogLines(path, after.offset)).lines : [];
    }),
  );
  const read = await readLogLines(newest.path, 0);
  return { lines: filtered([...rest.flat(), ...read.lines], filter), cursor: read.cursor };
}

function filtered(lines: readonly string[], filter: LogFilter): readonly ReadLogLine[] {
  return lines.flatMap((line) => {
    const read = readLogLine(line);
    return passesFilter(line, read, filter) ? [read] : [];
  });
}
