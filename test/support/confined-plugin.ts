import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { systemClock as clock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { err, ok } from "../../src/base/result.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { PluginClient, PluginRequestLimits } from "../../src/contracts/plugin/client.ts";
import { noPermissions, type Permissions, type PluginLanguage } from "../../src/contracts/plugin/manifest.ts";
import { createPluginClient, type PluginClientDeps } from "../../src/plugins/process/plugin-client.ts";
import type { RefusedAccess } from "../../src/plugins/process/plugin-process.ts";
import { refusalWarning } from "../../src/runtime/plugins/grant-warnings.ts";
import { pluginStarter } from "../../src/runtime/plugins/start-plugin.ts";
import { tempHome } from "./temp-home.ts";

/** A plugin with a tool that runs any code in its real sandbox, and the reports about it. */
export interface ConfinedPluginRig extends AsyncDisposable {
  readonly client: PluginClient;
  /** The home folder of the user. The Hermes home is `.hermes` in it. */
  readonly folder: string;
  readonly home: string;
  readonly reports: string[];
  readonly refusals: RefusedAccess[];
  readonly logged: string[];
  /**
   * Runs code in the plugin (`result = …` in Python, `return …` in JavaScript) and returns the text of its result or
   * failure.
   */
  run(code: string, limits?: Partial<PluginRequestLimits>): Promise<string>;
}

export interface ConfinedPluginOptions extends Partial<PluginClientDeps> {
  readonly language: PluginLanguage;
  readonly rights?: Partial<Permissions>;
  /** Code that runs when the plugin is imported. */
  readonly atImport?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: object;
  /** See `UsageLimits`. */
  readonly maxIdleMs?: number;
  /** The parent of the user's folder. */
  readonly parent?: string;
}

export async function confinedPlugin(options: ConfinedPluginOptions): Promise<ConfinedPluginRig> {
  const { language, rights, atImport = "", parent, maxIdleMs, ...deps } = options;
  const temp = await tempHome(parent);
  const home = join(temp.path, ".hermes");
  const folder = join(home, "plugins", "sample");
  const entry = join(folder, language === "python" ? "__init__.py" : "index.mjs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    entry,
    codes[language].replace("AT_IMPORT", () => atImport),
  );
  writeFileSync(join(home, "config.yaml"), JSON.stringify(options.settings ?? {}));
  const env = { PATH: "/usr/bin:/bin", HOME: temp.path, HERMES_HOME: home, ...options.env };
  const config = await loadConfig({ env, cwd: temp.path, user: "test" });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const { signal } = new AbortController();
  const manifest = { name: "sample", version: "1.0.0", description: "", author: "", requiresEnv: [] };
  const plugin = {
    key: "sample",
    source: "home",
    folder,
    manifest: { ...manifest, kind: "standalone" },
    language,
    entry,
  } as const;
  const [reports, refusals, logged]: [string[], RefusedAccess[], string[]] = [[], [], []];
  const line = (_: string, fields?: object) => void logged.push(JSON.stringify(fields));
  const log = { ...silentLog, debug: line, info: line, warn: line, error: line };
  const start = pluginStarter(config.value, { clock, workspace: undefined });
  const client = createPluginClient(plugin, {
    load: () => ({
      key: "sample",
      name: "sample",
      version: "1.0.0",
      description: "",
      folder,
      entry,
      dataDir: join(home, "plugin-data", "sample"),
      home,
      profile: "default",
      options: {},
      secrets: {},
      isDebugging: false,
    }),
    permissions: () => ({ ...noPermissions, ...rights }),
    start: async (request) => {
      const started = await start(request);
      if (!started.ok || maxIdleMs === undefined) return started;
      return ok({ ...started.value, limits: { ...started.value.limits, maxIdleMs } });
    },
    answer: async () => err("not supported"),
    clock,
    log: { ...log, with: () => log },
    report: (sentence) => void reports.push(sentence),
    audit: (refusal) => void refusals.push(refusal),
    watchFiles: () => () => undefined,
    warningOf: (refusal) => refusalWarning(refusal, config.value),
    ...deps,
  });
  return {
    client,
    folder: temp.path,
    home,
    reports,
    refusals,
    logged,
    async run(code, limits = {}) {
      const call = { sessionId: "s", callId: "c", cwd: "/" };
      const params = { name: "run", args: { code }, call };
      const outcome = await client.request("tool.run", params, { signal, timeoutMs: 30_000, ...limits });
      return outcome.ok ? JSON.stringify(outcome.value) : `${outcome.error.kind}: ${outcome.error.message}`;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

const codes = {
  python: `
AT_IMPORT
def run(args, **kwargs):
    scope = {}
    exec(args["code"], scope)
    return str(scope.get("result"))

def register(ctx):
    ctx.register_tool("run", "sample", {"description": "Runs code.", "parameters": {"type": "object", "properties": {}}}, run)
`,
  typescript: `
import { createRequire } from "node:module";
import { definePlugin, defineTool, text, z } from "hermes-agent-ts/plugin";
AT_IMPORT
const require = createRequire(import.meta.url);
const AsyncFunction = (async () => {}).constructor;
const run = defineTool({
  name: "run",
  description: "Runs code.",
  toolset: "sample",
  input: z.object({ code: z.string() }),
  run: async ({ code }) => text(String(await new AsyncFunction("require", code)(require))),
});
export default definePlugin({ setup: () => ({ tools: [run] }) });
`,
} as const;
