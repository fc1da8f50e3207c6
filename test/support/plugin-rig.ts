import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { systemClock as clock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { createChildStarter } from "../../src/base/process/child-program.ts";
import { err, ok } from "../../src/base/result.ts";
import type { PluginClient, PluginRequestLimits } from "../../src/contracts/plugin/client.ts";
import { type FoundPlugin, noPermissions, type PluginLanguage } from "../../src/contracts/plugin/manifest.ts";
import type { LoadParams } from "../../src/contracts/plugin/wire.ts";
import { createInProcessClient } from "../../src/plugins/in-process.ts";
import { createPluginClient, type PluginClientDeps } from "../../src/plugins/process/plugin-client.ts";
import type { RefusedAccess, StartPlugin } from "../../src/plugins/process/plugin-process.ts";
import { nodeRunnerFile } from "../../src/plugins/sources/runner-files.ts";
import { sourceFlags } from "./child-process.ts";
import { tempHome } from "./temp-home.ts";

/** A client of a plugin with this code, and its reports. */
export interface PluginRig extends AsyncDisposable {
  readonly client: PluginClient;
  readonly plugin: FoundPlugin;
  readonly reports: string[];
  readonly refusals: RefusedAccess[];
  readonly logged: string[];
  /** Calls an exported function of the code. */
  call(name: string, args?: object, limits?: Partial<PluginRequestLimits>): ReturnType<PluginClient["request"]>;
}

export interface RigOptions extends Partial<Omit<PluginClientDeps, "load">> {
  readonly language?: PluginLanguage;
  /** Name of the file with the code. */
  readonly entry?: string;
  /** More files, by their path in the plugin's folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly load?: Partial<LoadParams>;
  /** Loads the code into this process. */
  readonly inProcess?: boolean;
}

/** `code`: a module whose functions take an object. */
export async function pluginRig(code: string, options: RigOptions = {}): Promise<PluginRig> {
  const home = await tempHome();
  const { language = "typescript", entry = language === "python" ? "__init__.py" : "index.mjs" } = options;
  const { files, load, inProcess = false, ...deps } = options;
  const plugin = writePlugin({ ...files, [entry]: code }, home.path, entry, language);
  const [reports, refusals, logged]: [string[], RefusedAccess[], string[]] = [[], [], []];
  const line = (_: string, fields?: object) => void logged.push(JSON.stringify(fields));
  const log = { ...silentLog, debug: line, info: line, warn: line, error: line };
  const client = (inProcess ? createInProcessClient : createPluginClient)(plugin, {
    load: () => ({ ...loadParams(plugin), ...load }),
    permissions: () => noPermissions,
    start: smallRunner,
    answer: async () => err("not supported"),
    clock,
    log: { ...log, with: () => log },
    report: (sentence) => void reports.push(sentence),
    audit: (refusal) => void refusals.push(refusal),
    watchFiles: () => () => undefined,
    warningOf: () => undefined,
    ...deps,
  });
  return {
    client,
    plugin,
    reports,
    refusals,
    logged,
    call(name, args = {}, limits = {}) {
      const { signal } = new AbortController();
      const call = { sessionId: "s", callId: "c", cwd: "/" };
      // Plain data.
      return client.request("tool.run", { name, args: args as never, call }, { signal, timeoutMs: 20_000, ...limits });
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function writePlugin(
  files: Readonly<Record<string, string>>,
  home: string,
  entry: string,
  language: PluginLanguage,
): FoundPlugin {
  const folder = join(home, "plugin");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(home, "data"), { recursive: true });
  const manifest = {
    name: "sample",
    version: "1.0.0",
    description: "",
    author: "",
    kind: "standalone",
    requiresEnv: [],
  } as const;
  return { key: "sample", source: "home", folder, manifest, language, entry: join(folder, entry) };
}

function loadParams({ key, manifest, folder, entry }: FoundPlugin) {
  return {
    key,
    name: manifest.name,
    version: manifest.version,
    description: "",
    folder,
    entry,
    dataDir: join(folder, "../data"),
    home: join(folder, ".."),
    profile: "default",
    options: {},
    secrets: {},
    isDebugging: false,
  };
}

const startChild = createChildStarter(clock);

/** Runs a small runner without a sandbox. */
const smallRunner: StartPlugin = ({ plugin }) => startRunner(plugin, smallRunners[plugin.language]);

/** Runs the real program of TypeScript plugins without a sandbox. */
export const nodeRunner: StartPlugin = ({ plugin }) =>
  startRunner(plugin, { program: process.execPath, args: [...sourceFlags, nodeRunnerFile()] });

async function startRunner(
  plugin: FoundPlugin,
  { program, args }: { readonly program: string; readonly args: readonly string[] },
): ReturnType<StartPlugin> {
  const env = { PATH: "/usr/bin:/bin" };
  const started = await startChild({ program, args, cwd: plugin.folder, env, pipes: [3] });
  if (!started.ok) return started;
  const { channel, end, stdin, ...rest } = started.value;
  stdin.end();
  if (!channel) return err("no channel");
  return ok({ ...rest, channel, kill: end, limits: { maxMemoryBytes: 2 ** 30, maxProcesses: 64 } });
}

const smallNodeRunner = `
  import { Socket } from "node:net";
  const channel = new Socket({ fd: 3 }).setEncoding("utf8");
  const send = (message) => channel.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  let code, rest = "";
  async function handle({ id, method, params }) {
    if (method === "hook.notify") return code.observe?.(params.events);
    if (method === "$cancel") return code.cancel?.(params.id, send);
    try {
      if (method === "load") code = await import(params.entry);
      const result = method === "load" ? { pid: process.pid } : await code[params.name]({ ...params.args, send, channel, id });
      send({ id, result: result ?? null });
    } catch (thrown) {
      send({ id, error: { code: 1, message: String(thrown?.message) } });
    }
  }
  channel.on("data", (text) => {
    const lines = (rest + text).split("\\n");
    rest = lines.pop();
    for (const line of lines) void handle(JSON.parse(line));
  });
  channel.on("end", () => process.exit(0));
`;

const pythonRunner = `
import json, os, sys
sys.dont_write_bytecode = True
lines = os.fdopen(3, "r+b", buffering=0)
def send(**message):
    lines.write((json.dumps({"jsonrpc": "2.0", **message}) + "\\n").encode())
rest, code = b"", None
while True:
    chunk = lines.read(65536)
    if not chunk:
        break
    *whole, rest = (rest + chunk).split(b"\\n")
    for line in whole:
        message = json.loads(line)
        id, method, params = message.get("id"), message["method"], message.get("params")
        if id is None:
            continue
        try:
            if method == "load":
                code = {"send": send, "channel": lines, "params": params}
                exec(compile(open(params["entry"]).read(), params["entry"], "exec"), code)
                result = None
            else:
                result = code[params["name"]](params["args"])
            send(id=id, result=result)
        except Exception as error:
            send(id=id, error={"code": 1, "message": f"{type(error).__name__}: {error}"})
`;

const smallRunners = {
  typescript: { program: process.execPath, args: ["--input-type=module", "-e", smallNodeRunner] },
  python: { program: "/usr/bin/python3", args: ["-I", "-S", "-c", pythonRunner] },
} as const;
