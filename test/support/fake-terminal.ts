import type { ModelSource } from "../../src/contracts/model/model.ts";
import type { CliIo } from "../../src/hosts/cli/command.ts";
import { runCli } from "../../src/hosts/cli/run-cli.ts";

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Standard output, parsed as JSON. */
  readonly json: unknown;
}

/** Runs one command line in this process, with a separate home. */
export async function hermes(
  args: readonly string[],
  options: {
    readonly home: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly input?: string;
    /** Lines that a user types, one per question. */
    readonly typed?: readonly string[];
    /** Whether typed lines are secrets. */
    readonly hidesTyping?: boolean;
    readonly stdoutIsTerminal?: boolean;
    /** Default: 100. */
    readonly columns?: number;
    readonly signal?: AbortSignal;
    readonly models?: ModelSource;
  },
): Promise<CliResult> {
  const typed = options.typed && [...options.typed];
  let out = "";
  let err = "";
  const io: CliIo = {
    stdin: {
      async *[Symbol.asyncIterator]() {
        const line = typed?.shift();
        yield Buffer.from(line === undefined ? (options.input ?? "") : `${line}\n`);
      },
    },
    stdinIsTerminal: typed !== undefined,
    stdoutIsTerminal: options.stdoutIsTerminal ?? false,
    columns: options.columns ?? 100,
    rows: 40,
    async write(text) {
      out += text;
    },
    warn(text) {
      err += text;
    },
    ...(options.hidesTyping && { hideTyping: () => {} }),
  };
  const env = { PATH: process.env.PATH ?? "", HERMES_HOME: options.home, ...options.env };
  const signal = options.signal ?? new AbortController().signal;
  const { models } = options;
  const code = await runCli(args, { io, env, cwd: options.cwd ?? options.home, signal, ...(models && { models }) });
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out);
    },
  };
}
