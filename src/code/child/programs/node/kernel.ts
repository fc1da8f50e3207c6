/**
 * A kernel: executes one script after another with the same variables. See KernelScript in src/contracts/code/wire.ts.
 * The inspector evaluates scripts like a browser console: the next script keeps the variables and may redeclare them,
 * and top-level `await` works.
 */
import { type Runtime, Session } from "node:inspector";
import process from "node:process";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";

interface KernelTools {
  /** Sends a line to Hermes. */
  send(value: unknown): void;
  /** Ends the open calls. */
  rejectCalls(error: Error): void;
  /** The functions of `hermes_tools`. */
  load(): Promise<object>;
  /** Replaces the module `hermes_tools`. */
  replaceTools(source: string): void;
}

interface Incoming {
  readonly script: number;
  readonly code: string;
  readonly mark: string;
  readonly module?: string;
  readonly names?: boolean;
}

type Evaluated = { readonly value: Runtime.RemoteObject } | { readonly error: string };

export function serveKernel(tools: KernelTools, threadFile: string): void {
  const session = new Session();
  session.connect();
  const clearTimers = followTimers();
  const waiting: Incoming[] = [];
  let running: { readonly number: number; readonly interrupt: () => void; exit?: number } | undefined;
  const heartbeat = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(threadFile, { workerData: heartbeat, stdin: false });
  thread.on("message", (message: Incoming | { readonly interrupt: number }) => {
    if (!("interrupt" in message)) {
      waiting.push(message);
      void runWaiting();
      return;
    }
    // Shows the thread that this one is not busy.
    Atomics.add(heartbeat, 0, 1);
    Atomics.notify(heartbeat, 0);
    if (running?.number !== message.interrupt) return;
    running.interrupt();
  });
  // An unhandled error must not destroy the variables of other scripts.
  process.on("uncaughtException", (error) => process.stderr.write(`Uncaught ${inspect(error)}\n`));
  process.on("unhandledRejection", (reason) => process.stderr.write(`Unhandled rejection: ${inspect(reason)}\n`));
  // A script that calls exit keeps the variables, like a script that fails.
  process.exit = (code) => {
    if (running) running.exit = Number(code ?? process.exitCode ?? 0);
    throw new Error("process.exit");
  };
  Object.defineProperty(globalThis, "$import", { value: loader(), configurable: true });

  const before = new Set(Object.keys(globalThis));

  async function runWaiting(): Promise<void> {
    if (running) return;
    const next = waiting.shift();
    if (!next) return;
    const interrupted = Promise.withResolvers<Evaluated>();
    running = {
      number: next.script,
      interrupt() {
        tools.rejectCalls(new Error("Interrupted"));
        clearTimers();
        // Calls are rejected first, so that the script can handle the errors.
        setImmediate(() => setImmediate(() => interrupted.resolve({ error: "Interrupted" })));
      },
    };
    const outcome = await Promise.race([execute(next), interrupted.promise]);
    const { exit } = running;
    const failed = exit === undefined ? "error" in outcome : exit !== 0;
    if (exit !== undefined) clearTimers();
    else if ("error" in outcome) process.stderr.write(`${outcome.error}\n`);
    else await show(next.code, outcome.value);
    running = undefined;
    const names = await variableNames();
    process.stdout.write(`${next.mark}\n`, () =>
      process.stderr.write(`${next.mark}\n`, () => tools.send({ done: next.script, failed, names })),
    );
    void runWaiting();
  }

  async function execute({ script, code, module, names }: Incoming): Promise<Evaluated> {
    if (module !== undefined) tools.replaceTools(module);
    if (names) {
      const functions = await tools.load();
      Object.assign(globalThis, functions);
      for (const name of Object.keys(functions)) before.add(name);
    }
    return new Promise((resolve) => {
      const expression = `${code}\n//# sourceURL=script-${script}.ts`;
      // The cast is needed because the types lack `replMode`.
      const params: Runtime.EvaluateParameterType & { readonly replMode: true } = {
        expression,
        replMode: true,
        awaitPromise: true,
      };
      session.post("Runtime.evaluate", params, (error, reply) => {
        // The inspector reports a terminated script as a separate error.
        if (error) return resolve({ error: "Interrupted" });
        if (reply.exceptionDetails) return resolve({ error: describe(reply.exceptionDetails) });
        resolve({ value: reply.result });
      });
    });
  }

  function variableNames(): Promise<readonly string[]> {
    const own = Object.keys(globalThis).filter((name) => !before.has(name));
    return new Promise((resolve) => {
      session.post("Runtime.globalLexicalScopeNames", {}, (error, reply) =>
        resolve([...(error ? [] : reply.names), ...own].slice(0, 1000)),
      );
    });
  }

  /** Shows the value of a last expression without a semicolon. */
  async function show(code: string, value: Runtime.RemoteObject): Promise<void> {
    if (value.type === "undefined" || /[;}]\s*$/u.test(code.replace(/(?:\/\/[^\n]*|\s)+$/u, ""))) return;
    if (value.objectId === undefined) {
      const text = value.unserializableValue ?? inspect(value.value);
      return void process.stdout.write(`${text}\n`);
    }
    const shown = Promise.withResolvers<void>();
    Object.defineProperty(globalThis, "$show", {
      configurable: true,
      value: (object: unknown) => process.stdout.write(`${inspect(object)}\n`),
    });
    session.post(
      "Runtime.callFunctionOn",
      { objectId: value.objectId, functionDeclaration: "function () { $show(this); }" },
      () => shown.resolve(),
    );
    await shown.promise;
    Reflect.deleteProperty(globalThis, "$show");
    session.post("Runtime.releaseObject", { objectId: value.objectId });
  }
}

/** `import()` for scripts, which the inspector does not have. */
function loader(): unknown {
  const load = (name: string, options?: ImportCallOptions) => import(name, options);
  return Object.assign(load, { meta: { url: import.meta.url, dirname: process.cwd() } });
}

function describe(details: Runtime.ExceptionDetails): string {
  const { exception, text, lineNumber, url } = details;
  const description = exception?.description ?? (exception && "value" in exception ? inspect(exception.value) : text);
  const isSyntax = exception?.className === "SyntaxError";
  const position = isSyntax ? `${url ?? "script"}:${lineNumber + 1}\n` : "";
  const lines = description.split("\n");
  const end = lines.findIndex((line) => /^\s+at .*(?:Session\.post|node:inspector|kernel\.mjs)/u.test(line));
  return `${position}${isSyntax ? "" : "Uncaught "}${(end === -1 ? lines : lines.slice(0, end)).join("\n")}`;
}

/**
 * Timers of scripts, so that an interrupt can clear them. Their functions run as promise tasks, because Node exits if a
 * script is terminated inside a timer.
 */
function followTimers(): () => void {
  const timers = new Set<NodeJS.Timeout>();
  const { setTimeout: wait, setInterval: repeat, queueMicrotask: later } = globalThis;
  const follow = (start: typeof wait | typeof repeat) =>
    function timer(run: (...values: unknown[]) => void, ms?: number, ...values: unknown[]): NodeJS.Timeout {
      const started = start(() => {
        if (start === wait) timers.delete(started);
        later(() => run(...values));
      }, ms);
      timers.add(started);
      return started;
    };
  Object.assign(globalThis, { setTimeout: follow(wait), setInterval: follow(repeat) });
  return () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  };
}
