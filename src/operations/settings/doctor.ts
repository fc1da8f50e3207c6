import { silentLog } from "../../base/log/log.ts";
import { ok } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import { filesOfOriginal, resolveHome, rootHome, userFolder } from "../../config/home.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import type { Finding } from "../../contracts/host/finding.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { McpServerStatus } from "../../contracts/mcp/status.ts";
import type { Toolbox } from "../../runtime/calls/toolbox.ts";
import type { OpenedPages } from "../../runtime/web/open-pages.ts";
import { expectedStates } from "../mcp/expected-states.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { configFault, configOutcome } from "./config-fault.ts";

export const operations = {
  machine: readOperation({
    summary: "Check the platform, the home, the programs that tools use and the configuration",
    needs: ["configPlace"],
    async run(_input, { configPlace }, { cwd }) {
      const { examineMachine } = await import("../../runtime/store/sessions-health.ts");
      const loaded = await loadConfig(configPlace);
      const machine = await examineMachine({
        platform: process.platform,
        arch: process.arch,
        nodeVersion: process.versions.node,
        path: configPlace.env.PATH ?? "",
        home: loaded.ok ? loaded.value.home.path : rootHome(configPlace.env, cwd).root,
        cwd,
        userFolder: userFolder(configPlace.env),
      });
      if (loaded.ok) return ok({ findings: [...machine, ...(await examineConfig(loaded.value))], hasConfig: true });
      const { message, hint } = configFault(loaded.error);
      const fault: Finding = { name: "config", state: "bad", found: message, ...(hint && { advice: hint }) };
      return ok({ findings: [...machine, fault], hasConfig: false });
    },
  }),

  fix: writeOperation({
    summary: "Make repairs that cannot lose anything: file permissions, deprecated keys, a missing home",
    needs: ["configPlace"],
    async run(_input, { configPlace }, ctx) {
      const home = configOutcome(await resolveHome(configPlace.env, ctx.cwd, configPlace.profile));
      if (!home.ok) return home;
      const { repairHome } = await import("./doctor-fix.ts");
      return ok(await repairHome(home.value, ctx));
    },
  }),

  home: readOperation({
    summary: "Check the model, the sessions, the sandbox, the web search and the tools",
    needs: ["config", "toolbox", "mcp", "pages"],
    async run(_input, { config, toolbox, mcp, pages }, ctx) {
      const { examineSessions } = await import("../../runtime/store/sessions-health.ts");
      return ok({
        findings: [
          await examineModel(config, ctx),
          ...(await examineSessions(config)),
          await examineIsolation(config, ctx),
          await examineSearch(pages, ctx),
          ...(await examineTools(toolbox, ctx)),
          ...examineServers(await expectedStates(mcp.list(), config, ctx)),
        ],
      });
    },
  }),
};

/** Checks the MCP servers without connecting. Returns nothing if there are none. */
function examineServers(servers: readonly McpServerStatus[]): readonly Finding[] {
  const faults = servers.flatMap(({ name, state, why = "" }): readonly Finding[] => {
    if (state === "broken")
      return [{ name: "mcp", state: "bad", found: why, advice: "`hermes config edit` opens the file." }];
    if (state !== "signed_out" && state !== "asking") return [];
    const advice = `\`hermes mcp ${state === "asking" ? "trust" : "login"} ${name}\``;
    return [{ name: "mcp", state: "note", found: why, advice }];
  });
  const usable = servers.filter(({ state }) => state !== "broken");
  if (usable.length === 0) return faults;
  const names = usable.flatMap(({ name, isUnconfined, state }) => (isUnconfined && state !== "disabled" ? [name] : []));
  const text = `${plural(usable.length, "server")}${names.length === 0 ? "" : `; with all your rights: ${names.join(", ")}`}`;
  return [...faults, { name: "mcp", state: names.length === 0 ? "good" : "note", found: text }];
}

async function examineConfig(config: LoadedConfig): Promise<readonly Finding[]> {
  const original = await filesOfOriginal(config.home.path);
  const notes = [
    ...config.warnings.map((warning): Finding => ({ name: "config", state: "note", found: warning })),
    ...(original.length > 0
      ? [
          {
            name: "original",
            state: "note" as const,
            found: `Hermes in Python also uses this home (${original.join(", ")}); its files stay untouched`,
          },
        ]
      : []),
  ];
  return notes.length > 0 ? notes : [{ name: "config", state: "good", found: "valid" }];
}

/** Checks the configured model without a request. */
async function examineModel(config: LoadedConfig, { clock }: OperationContext): Promise<Finding> {
  const { openModels } = await import("../../runtime/models/models.ts");
  await using models = openModels(config, { clock, log: silentLog });
  const resolved = models.resolve();
  if (!resolved.ok) return { name: "model", state: "bad", found: resolved.error.message };
  const route = resolved.value;
  if (route === "offline")
    return {
      name: "model",
      state: "note",
      found: "none is connected; a built-in one answers by fixed rules, without AI",
      advice: "`hermes setup model` connects one and tests it.",
    };
  const { provider, model } = models.facts(route);
  const name = `${provider}/${model}`;
  const isKeyless = route.keys.keyless || route.program !== undefined || route.mixture !== undefined;
  if (isKeyless || models.pool.list(route).length > 0)
    return { name: "model", state: "good", found: `${name} (${route.chosen}); \`hermes model test\` tries it` };
  return { name: "model", state: "bad", found: `${name}: there is no key`, advice: route.keys.advice };
}

async function examineIsolation(config: LoadedConfig, { cwd, signal }: OperationContext): Promise<Finding> {
  const { describeIsolation } = await import("../../runtime/environment/open-isolation.ts");
  const { mode, text, hint } = await describeIsolation(config, cwd, signal);
  const state = mode === "on" ? "good" : mode === "off" ? "note" : "bad";
  return { name: "isolation", state, found: text, ...(hint !== undefined && { advice: hint }) };
}

/** Checks the web search without a query. Looks for a SearXNG on this machine if no engine has a key. */
async function examineSearch(pages: OpenedPages, { signal }: OperationContext): Promise<Finding> {
  const state = await pages.searchState(signal);
  if ("fault" in state) return { name: "web search", state: "bad", found: state.fault };
  const { backend, why, note } = state;
  const engine = `${backend} (${why})`;
  if (backend === "ddgs")
    return {
      name: "web search",
      state: "note",
      found: engine,
      advice: "`hermes config set TAVILY_API_KEY …` or SEARXNG_URL sets up a reliable one.",
    };
  return {
    name: "web search",
    state: note === undefined ? "good" : "note",
    found: engine,
    ...(note !== undefined && { advice: note }),
  };
}

async function examineTools(toolbox: Toolbox, { signal }: OperationContext): Promise<readonly Finding[]> {
  const statuses = await toolbox.overview(signal);
  const { empty, notices } = await toolbox.catalog(signal);
  const usable = statuses.filter(({ state }) => state === "direct" || state === "searchable");
  // Tools that are unavailable only because they need a session are not reported.
  const missing = statuses.filter(({ state, why }) => state === "unavailable" && why !== "needs a session");
  return [
    usable.length > 0
      ? { name: "tools", state: "good", found: `${plural(usable.length, "tool")} available` }
      : {
          name: "tools",
          state: "bad",
          found: empty ?? "no tool is available",
          advice: "hermes tools list --all shows why.",
        },
    ...notices.map((notice): Finding => ({ name: "selection", state: "note", found: notice })),
    ...missing.map(({ tool, why }): Finding => ({ name: tool.name, state: "note", found: why ?? "unavailable" })),
    ...toolbox.diagnostics.map(({ source, message }): Finding => ({
      name: "tool file",
      state: "note",
      found: `${source}: ${message}`,
      advice: "The other files were loaded.",
    })),
  ];
}
