import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Duplex } from "node:stream";

import { systemClock as clock } from "../../src/base/clock.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { ok, type Result } from "../../src/base/result.ts";
import { connectStreams } from "../../src/base/rpc/connect-streams.ts";
import type { LoadParams } from "../../src/contracts/plugin/wire.ts";
import { pythonArguments } from "../../src/plugins/runner/python-runner.ts";

export interface PythonPlugin extends AsyncDisposable {
  readonly folder: string;
  readonly notifications: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
  /** Standard output and error so far. */
  output(): string;
  /** The answer to `load`, the same for all calls. Rejects if the runner refuses. */
  load(changes?: Partial<LoadParams>): Promise<JsonObject>;
  request(method: string, params: JsonObject): Promise<JsonValue>;
  /** The message of a refusal. */
  refusal(method: string, params: JsonObject): Promise<string>;
  notify(method: string, params: JsonObject): void;
  /** Sends a request. Returns a function that cancels it. */
  begin(method: string, params: JsonObject): () => void;
  tool(name: string, args: JsonObject): Promise<JsonObject>;
  readonly pid: number;
  readonly exited: Promise<number | null>;
}

export interface PythonPluginOptions {
  readonly python?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly answer?: (method: string, params: Readonly<Record<string, unknown>>) => Promise<Result<JsonValue, string>>;
}

/** Writes a plugin into `home` and starts the real runner with it, over descriptor 3. */
export function startPythonPlugin(
  home: string,
  files: Readonly<Record<string, string>>,
  options: PythonPluginOptions = {},
): PythonPlugin {
  const folder = join(home, "plugins", "sample");
  const dataDir = join(home, "plugin-data", "sample");
  mkdirSync(dataDir, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const child = spawn(options.python ?? "/usr/bin/python3", pythonArguments(join(dataDir, "compiled")), {
    cwd: dataDir,
    env: { PATH: "/usr/bin:/bin", ...options.env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  // Descriptor 3 is a socket: Node creates one for every "pipe".
  const wire = child.stdio[3] as Duplex;
  const notifications: PythonPlugin["notifications"] = [];
  const connection = connectStreams(
    { input: wire, output: wire },
    {
      async onRequest({ method, params }) {
        const answer = (await options.answer?.(method, params)) ?? ok(null);
        return answer.ok ? answer : { ok: false, error: { code: -32_000, message: answer.error } };
      },
      onNotification: (method, params) => void notifications.push({ method, params }),
      cancellation: (id) => ({ method: "$cancel", params: { id } }),
    },
    clock,
  );
  async function request(method: string, params: JsonObject): Promise<JsonValue> {
    const outcome = await connection.request(method, params, { timeoutMs: 30_000 });
    if (outcome.ok) return outcome.value;
    throw new Error(outcome.error.kind === "refused" ? outcome.error.message : `${outcome.error.kind}: ${output}`);
  }
  const entry = join(folder, "handler.py" in files && !("__init__.py" in files) ? "handler.py" : "__init__.py");
  const params: LoadParams = {
    key: "sample",
    name: basename(folder),
    version: "1.0.0",
    description: "",
    folder,
    entry,
    dataDir,
    home,
    profile: "default",
    options: {},
    secrets: {},
    isDebugging: false,
  };
  return {
    folder,
    notifications,
    exited,
    pid: child.pid ?? 0,
    output: () => output,
    // Both values are plain data.
    load: async (changes) => (await request("load", { ...params, ...changes } as unknown as JsonObject)) as JsonObject,
    request,
    refusal: (method, sent) =>
      request(method, sent).then(
        (value) => Promise.reject(new Error(`answered ${JSON.stringify(value)}`)),
        (thrown: Error) => thrown.message,
      ),
    notify: (method, sent) => connection.notify(method, sent),
    begin(method, sent) {
      const stop = new AbortController();
      void connection.request(method, sent, { signal: stop.signal });
      return () => stop.abort();
    },
    tool: async (name, args) =>
      (await request("tool.run", {
        name,
        args,
        call: { sessionId: "s1", callId: "c1", turnId: "t1", cwd: home },
      })) as JsonObject,
    async [Symbol.asyncDispose]() {
      connection.close();
      wire.destroy();
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(late);
    },
  };
}
