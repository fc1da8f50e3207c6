import type { Interface } from "node:readline";

export interface QuietReaderOptions {
  write(text: string): void;
  columns(): number;
  readonly prompt: string;
  /** Newest first. */
  readonly history: readonly string[];
  complete(line: string): readonly string[] | Promise<readonly string[]>;
}

/** An input line of Node's readline that can change without being drawn. */
export interface QuietReader {
  readonly reader: Interface;
  /** Passes bytes to the line as typed keys. */
  feed(bytes: Uint8Array): void;
  /** True: nothing is shown. */
  mute(isMuted: boolean): void;
  quietly(work: () => void): void;
}

export function createQuietReader(options: QuietReaderOptions): QuietReader {
  const { createInterface } = process.getBuiltinModule("node:readline");
  const { PassThrough, Writable } = process.getBuiltinModule("node:stream");
  const input = new PassThrough();
  let isMuted = false;
  const output = Object.defineProperty(
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        if (!isMuted) options.write(String(chunk));
        done();
      },
    }),
    "columns",
    { get: options.columns },
  );
  const reader = createInterface({
    input,
    output,
    terminal: true,
    history: [...options.history],
    historySize: historyLines,
    removeHistoryDuplicates: true,
    escapeCodeTimeout: 50,
    prompt: options.prompt,
    completer(line: string, show: (fault: null, completed: [string[], string]) => void) {
      const lines = options.complete(line);
      if (!(lines instanceof Promise)) return show(null, [[...lines], line]);
      return void lines.catch(() => []).then((late) => show(null, [[...late], line]));
    },
  });
  return {
    reader,
    feed: (bytes) => void input.emit("data", bytes),
    mute: (isQuiet) => void (isMuted = isQuiet),
    quietly(work) {
      isMuted = true;
      work();
      isMuted = false;
    },
  };
}

const historyLines = 1_000;
