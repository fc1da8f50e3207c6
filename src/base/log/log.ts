import type { JsonValue } from "../json.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, JsonValue | undefined>>;

/** Writes an event name and fields, for people who investigate a problem. Messages to the user are not log lines. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}

export const silentLog: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLog,
};
