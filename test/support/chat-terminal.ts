import { setTimeout as pause } from "node:timers/promises";

import { ok } from "../../src/base/result.ts";
import type { ModelClient } from "../../src/contracts/model/model.ts";
import type { CliIo } from "../../src/hosts/cli/command.ts";
import { runCli } from "../../src/hosts/cli/run-cli.ts";

/** A chat in this process, in which a test types. */
export interface ChatTerminal extends AsyncDisposable {
  type(keys: string): void;
  /** All output, without cursor movements and colours. */
  said(): string;
  /** Waits for the text in the output since the last `type`. */
  until(words: string | RegExp): Promise<void>;
  readonly code: Promise<number>;
}

export function chatTerminal(
  args: readonly string[],
  /** Without `model`, the settings choose the model. */
  options: { readonly home: string; readonly model?: ModelClient; readonly env?: Readonly<Record<string, string>> },
): ChatTerminal {
  let written = "";
  let from = 0;
  let reply: ((bytes: Uint8Array) => void) | undefined;
  const early: string[] = [];
  const interrupt = new AbortController();
  const add = (text: string) => {
    written += plain(text);
  };
  const io: CliIo = {
    stdin: (async function* () {})(),
    stdinIsTerminal: true,
    stdoutIsTerminal: true,
    columns: 200,
    rows: 40,
    write: async (text) => add(text),
    warn: add,
    keys(hear) {
      reply = hear;
      for (const keys of early.splice(0)) hear(Buffer.from(keys));
      return { [Symbol.dispose]: () => void (reply = undefined) };
    },
  };
  const env = { PATH: process.env["PATH"] ?? "", HERMES_HOME: options.home, NO_COLOR: "1", ...options.env };
  const { model } = options;
  // Titles are requested at unpredictable moments, so no script has an answer for them.
  const code = runCli([...args, "--set", "auxiliary.title_generation.enabled=false"], {
    io,
    env,
    cwd: options.home,
    signal: interrupt.signal,
    ...(model && { models: { open: async () => ok(model) } }),
  });
  return {
    type(keys) {
      from = written.length;
      if (reply) reply(Buffer.from(keys));
      else early.push(keys);
    },
    said: () => written,
    async until(words) {
      const fits = () => {
        const since = written.slice(from);
        return typeof words === "string" ? since.includes(words) : words.test(since);
      };
      for (let waited = 0; !fits(); waited += 5) {
        if (waited > 60_000) throw new Error(`not said: ${String(words)}; said: ${written}`);
        await pause(5);
      }
    },
    code,
    async [Symbol.asyncDispose]() {
      interrupt.abort(new Error("the test is over"));
      await code;
    },
  };
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern removes escape sequences
  return text.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/gu, "");
}
