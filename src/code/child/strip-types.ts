import type { Worker } from "node:worker_threads";

import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** Removes the types of scripts, so that the process of a script need not load the compiler, which takes 60 ms. */
export interface TypeStripper extends AsyncDisposable {
  /** Removes the types. The error is text for the author of the script: file, line and reason. Never rejects. */
  strip(source: string, file: string): Promise<Result<string, string>>;
}

/**
 * The compiler runs in its own thread: a hostile script can occupy it for a long time, and a script that nests too
 * deeply corrupts its memory. A broken thread is replaced. The thread starts with the first script and ends when it has
 * been idle for some minutes.
 */
export function createTypeStripper({ clock }: { readonly clock: Clock }): TypeStripper {
  let worker: Promise<Worker> | undefined;
  let idle: Disposable | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function start(): Promise<Worker> {
    const { Worker } = await import("node:worker_threads");
    const started = new Worker(program, {
      eval: true,
      env: {},
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    started.unref();
    return started;
  }

  async function end(): Promise<void> {
    const current = worker;
    worker = undefined;
    idle?.[Symbol.dispose]();
    await (await current)?.terminate();
  }

  async function convert(source: string, file: string): Promise<Result<string, string>> {
    if (source.length > maxChars) return err(`${file}: a script has at most ${maxChars} characters`);
    idle?.[Symbol.dispose]();
    worker ??= start();
    const current = await worker;
    current.ref();
    const reply = await new Promise<unknown>((resolve) => {
      const timer = clock.after(maxMs, () => finish(undefined));
      const finish = (message: unknown) => {
        timer[Symbol.dispose]();
        for (const event of ["message", "error", "exit"]) current.removeListener(event, finish);
        resolve(message);
      };
      for (const event of ["message", "error", "exit"]) current.on(event, finish);
      current.postMessage({ source, file });
    });
    current.unref();
    if (isObject(reply) && typeof reply["code"] === "string") {
      idle = clock.after(idleMs, () => void end());
      return ok(reply["code"]);
    }
    if (isObject(reply) && typeof reply["fault"] === "string") return err(reply["fault"]);
    await end();
    return err(`${file}: the TypeScript compiler cannot read this script. Nest expressions less deep.`);
  }

  return {
    async strip(source, file) {
      const conversion = queue.then(() => convert(source, file));
      queue = conversion;
      return conversion;
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Types become spaces, so errors name the lines of the author. Enums and namespaces need a conversion. */
const program = `
const { parentPort } = require("node:worker_threads");
const { stripTypeScriptTypes } = require("node:module");
process.emitWarning = () => {};
parentPort.on("message", ({ source, file }) => {
  const answer = (code) => parentPort.postMessage({ code });
  const refuse = (error) => parentPort.postMessage(
    error instanceof SyntaxError ? { fault: error.stack.split("\\n    at ")[0].trim() } : {});
  try {
    answer(stripTypeScriptTypes(source, { mode: "strip", sourceUrl: file }));
  } catch (error) {
    if (error.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") return refuse(error);
    try {
      answer(stripTypeScriptTypes(source, { mode: "transform", sourceUrl: file }));
    } catch (other) {
      refuse(other);
    }
  }
});
`;

const maxChars = 2_000_000;
const maxMs = 10_000;
const idleMs = 300_000;
