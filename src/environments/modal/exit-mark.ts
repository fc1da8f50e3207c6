import { quoteForShell } from "../../base/text/shell-quote.ts";

/**
 * Appends the exit code of a script to its standard error. Requesting it separately would cost another call, which the
 * SDK retries forever if the sandbox no longer exists.
 */
export interface ExitMark {
  /** Runs the script and then prints its exit code. */
  wrap(script: string): string;
  /** Passes on the script's own text immediately. */
  add(chunk: Uint8Array): void;
  /** The exit code. Undefined: not received yet. */
  exitCode(): number | undefined;
}

export function createExitMark(mark: string, onControl: (chunk: Uint8Array) => void): ExitMark {
  // Holds output from the first NUL on: shell text has none, and the mark starts with one.
  let held = Buffer.alloc(0);
  const line = Buffer.from(`\0${mark} `);
  return {
    wrap: (script) => `sh -c ${quoteForShell(script)}\nprintf '\\000${mark} %s\\n' $? >&2`,
    add(chunk) {
      held = Buffer.concat([held, chunk]);
      for (;;) {
        const index = held.indexOf(0);
        const isMark =
          index >= 0 && line.subarray(0, held.length - index).equals(held.subarray(index, index + line.length));
        const end = index < 0 ? held.length : isMark ? index : index + 1;
        if (end > 0) onControl(held.subarray(0, end));
        held = held.subarray(end);
        if (isMark || held.length === 0) return;
      }
    },
    exitCode() {
      const text = held.toString("latin1");
      return text.startsWith(line.toString("latin1")) && text.endsWith("\n")
        ? Number(text.slice(line.length))
        : undefined;
    },
  };
}
