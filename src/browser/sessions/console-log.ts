import type { CdpSession } from "../cdp/connection.ts";

interface ConsoleMessage {
  readonly kind: "log" | "info" | "warning" | "error" | "debug" | "exception";
  readonly text: string;
  readonly url?: string;
  readonly line?: number;
}

export interface ConsoleLog {
  follow(session: CdpSession): void;
  /** Oldest first. */
  read(isCleared: boolean): readonly ConsoleMessage[];
  clear(): void;
}

/** The last messages and errors of a page. */
export function recordConsole(): ConsoleLog {
  let messages: ConsoleMessage[] = [];

  function add(message: ConsoleMessage): void {
    messages.push({ ...message, text: message.text.slice(0, maxChars) });
    if (messages.length > maxMessages) messages = messages.slice(-maxMessages / 2);
  }

  return {
    follow(session) {
      session.on("Runtime.consoleAPICalled", ({ type, args, stackTrace }) => {
        const values = Array.isArray(args) ? (args as readonly RemoteValue[]) : [];
        add({ kind: kinds[String(type)] ?? "log", text: values.map(textOf).join(" "), ...placeOf(stackTrace) });
      });
      session.on("Runtime.exceptionThrown", ({ exceptionDetails }) => {
        const { text = "", exception, stackTrace } = exceptionDetails as ExceptionDetails;
        add({ kind: "exception", text: exception?.description ?? text, ...placeOf(stackTrace) });
      });
      session.on("Log.entryAdded", ({ entry }) => {
        const { level = "", text = "", url, lineNumber } = entry as Partial<LogEntry>;
        const place = { ...(url !== undefined && { url }), ...(lineNumber !== undefined && { line: lineNumber + 1 }) };
        add({ kind: kinds[level] ?? "log", text, ...place });
      });
    },
    read(isCleared) {
      const result = messages;
      if (isCleared) messages = [];
      return result;
    },
    clear: () => void (messages = []),
  };
}

interface RemoteValue {
  readonly value?: unknown;
  readonly description?: string;
  readonly type?: string;
}

interface ExceptionDetails {
  readonly text?: string;
  readonly exception?: RemoteValue;
  readonly stackTrace?: unknown;
}

interface LogEntry {
  readonly level: string;
  readonly text: string;
  readonly url: string;
  readonly lineNumber: number;
}

function textOf({ value, description, type }: RemoteValue): string {
  if (typeof value === "string") return value;
  if (value !== undefined) return JSON.stringify(value) ?? "";
  return description ?? type ?? "";
}

function placeOf(stackTrace: unknown): { readonly url?: string; readonly line?: number } {
  const { callFrames = [] } = (stackTrace ?? {}) as { callFrames?: readonly { url?: string; lineNumber?: number }[] };
  const [first] = callFrames;
  if (first?.url === undefined || first.url === "") return {};
  return { url: first.url, line: (first.lineNumber ?? 0) + 1 };
}

const kinds: Readonly<Record<string, ConsoleMessage["kind"]>> = {
  log: "log",
  info: "info",
  warning: "warning",
  error: "error",
  assert: "error",
  debug: "debug",
  verbose: "debug",
};

const maxChars = 4_000;
const maxMessages = 400;
