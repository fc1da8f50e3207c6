import { isObject, parsedJson } from "../../base/json.ts";

/** One line of a log, in readable form. */
export interface ReadLogLine {
  /** Undefined in a line without a time. */
  readonly at?: number;
  readonly level?: LogLevelName;
  /** The event, such as `tool.crashed`, or the logger of a text log. */
  readonly event?: string;
  /** The rest of the line. */
  readonly text: string;
}

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevelName = (typeof logLevels)[number];

/** All parts must match. A line without a time or a level passes the filter for it. */
export interface LogFilter {
  readonly minLevel?: LogLevelName | undefined;
  readonly since?: number | undefined;
  readonly session?: string | undefined;
  readonly component?: string | undefined;
}

/** Components with the prefixes of their events. Any other word is used as a prefix itself, such as `mcp`. */
const components: Readonly<Record<string, readonly string[]>> = {
  agent: ["agent", "model", "models", "prompt", "queue", "title", "review", "curator", "session_mail", "run_agent"],
  tools: ["tool", "tools", "dispatch", "ledger", "check", "process", "processes", "code", "docker", "supervisor"],
  cli: ["cli", "hermes_cli", "approval", "event"],
  gateway: ["gateway"],
  cron: ["cron", "job"],
};

/** Reads a JSON line of this program, or a line of a text log such as those of Hermes in Python. */
export function readLogLine(line: string): ReadLogLine {
  const json = line.startsWith("{") ? parsedJson(line) : undefined;
  if (isObject(json)) {
    const { at: writtenAt, level, event, ...fields } = json;
    const time = typeof writtenAt === "string" ? Date.parse(writtenAt) : Number.NaN;
    const text = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`);
    return {
      ...(Number.isNaN(time) ? {} : { at: time }),
      ...levelPart(level),
      ...(typeof event === "string" && { event }),
      text: text.join(" "),
    };
  }
  const match = textLine.exec(line);
  if (!match) return { text: line };
  const [, date = "", clock = "", fraction = "0", level = "", name, text = ""] = match;
  const time = Date.parse(`${date}T${clock}.${fraction}`);
  return {
    ...(Number.isNaN(time) ? {} : { at: time }),
    ...levelPart(level.toLowerCase()),
    ...(name !== undefined && { event: name }),
    text,
  };
}

const textLine =
  /^\[?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?Z?\]?[ :-]+\[?([A-Za-z]+)\]?[ :-]+(?:([\w.]+):\s)?(.*)$/su;

function levelPart(level: unknown): { readonly level?: LogLevelName } {
  const name = level === "warning" ? "warn" : level === "critical" || level === "fatal" ? "error" : level;
  const match = logLevels.find((each) => each === name);
  return match ? { level: match } : {};
}

function fieldText(value: unknown): string {
  return typeof value === "string" && /^[^\s"]+$/u.test(value) ? value : JSON.stringify(value);
}

export function passesFilter(line: string, read: ReadLogLine, filter: LogFilter): boolean {
  const { minLevel, since, session, component } = filter;
  if (minLevel !== undefined && read.level !== undefined && rank(read.level) < rank(minLevel)) return false;
  if (since !== undefined && read.at !== undefined && read.at < since) return false;
  if (session !== undefined && !line.includes(session)) return false;
  if (component === undefined) return true;
  const words = Object.hasOwn(components, component) ? (components[component] ?? []) : [component];
  return read.event !== undefined && words.includes(read.event.split(".", 1)[0] ?? "");
}

function rank(level: LogLevelName): number {
  return logLevels.indexOf(level);
}

/** `30m`, `1h`, `2d` as milliseconds. Undefined for other texts. */
export function parseSpan(text: string): number | undefined {
  const match = /^\s*(\d{1,6})\s*(s|m|min|h|d|w)?\s*$/iu.exec(text);
  if (!match) return undefined;
  const unit = (match[2] ?? "m").toLowerCase();
  return Number(match[1]) * (spans[unit] ?? 60_000);
}

const spans: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
