import type { Tab } from "../sessions/tab.ts";

export interface ConsoleMessage {
  readonly kind: string;
  readonly text: string;
  readonly url?: string;
  readonly line?: number;
}

export interface PageConsole extends Disposable {
  /** Messages and errors since the tab was opened or the list was cleared. */
  messages(isCleared: boolean): readonly ConsoleMessage[];
}

/** Keeps the last messages of a tab. */
export function watchConsole(tab: Tab): PageConsole {
  const { main } = tab;
  const messages: ConsoleMessage[] = [];
  const held = new DisposableStack();
  const add = (message: ConsoleMessage) => {
    messages.push({ ...message, text: message.text.slice(0, maxChars) });
    if (messages.length > maxMessages) messages.shift();
  };
  held.use(
    main.on("Runtime.consoleAPICalled", (params) => {
      const { type, args, stackTrace } = params as unknown as ConsoleCall;
      const text = args.slice(0, 20).map(({ value, description, unserializableValue }) => {
        if (typeof value === "string") return value;
        return value === undefined ? (unserializableValue ?? description ?? "undefined") : JSON.stringify(value);
      });
      add({ kind: type === "warn" ? "warning" : type, text: text.join(" "), ...placeOf(stackTrace?.callFrames[0]) });
    }),
  );
  held.use(
    main.on("Runtime.exceptionThrown", ({ exceptionDetails }) => {
      const { text, exception, url, lineNumber } = exceptionDetails as ThrownError;
      add({ kind: "exception", text: exception?.description ?? text, ...placeOf({ url, lineNumber }) });
    }),
  );
  held.use(
    main.on("Log.entryAdded", ({ entry }) => {
      const { level, text, url, lineNumber } = entry as LogEntry;
      add({ kind: level, text, ...placeOf({ url, lineNumber }) });
    }),
  );
  // A tab that is closing has no messages.
  for (const method of ["Runtime.enable", "Log.enable"]) void main.send(method).catch(() => undefined);
  return {
    messages(isCleared) {
      const list = [...messages];
      if (isCleared) messages.length = 0;
      return list;
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}

const maxMessages = 200;
const maxChars = 2000;

interface CallPlace {
  readonly url?: string | undefined;
  readonly lineNumber?: number | undefined;
}

interface ConsoleCall {
  readonly type: string;
  readonly args: readonly {
    readonly value?: unknown;
    readonly description?: string;
    readonly unserializableValue?: string;
  }[];
  readonly stackTrace?: { readonly callFrames: readonly CallPlace[] };
}

interface ThrownError extends CallPlace {
  readonly text: string;
  readonly exception?: { readonly description?: string };
}

interface LogEntry extends CallPlace {
  readonly level: string;
  readonly text: string;
}

function placeOf(place: CallPlace | undefined): Pick<ConsoleMessage, "url" | "line"> {
  if (!place?.url) return {};
  return { url: place.url.slice(0, 200), ...(place.lineNumber !== undefined && { line: place.lineNumber + 1 }) };
}
