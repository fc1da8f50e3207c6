import { existsSync } from "node:fs";
import { join } from "node:path";

import { ok } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import { flag, object, optional } from "../../contracts/host/input-schema.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import { findInstallation, programRoot } from "../../installation/find-installation.ts";
import type { OpenedMcp } from "../../runtime/mcp/open-mcp.ts";
import type { Models } from "../../runtime/models/models.ts";
import { expectedStates } from "../mcp/expected-states.ts";
import { hasKey } from "../models/model.ts";
import { type OperationServices, readOperation } from "../operation.ts";
import { maxSessions } from "../sessions/session-records.ts";

export const operations = {
  show: readOperation({
    summary: "Show an overview without secrets: model, keys, safety, search, browser, servers, sessions",
    input: object({ all: optional(flag("include every provider, plugin and changed setting")) }),
    needs: ["config", "models", "mcp", "plugins", "sessions", "pages", "browsers"],
    async run({ all = false }, { config, models, mcp, plugins, sessions, pages, browsers }, ctx) {
      const { approvals, terminal } = config.values;
      return ok({
        version,
        launcher: join(findInstallation(programRoot()).root, "hermes"),
        home: config.home.path,
        profile: config.home.profile,
        configFile: fileState(config, "config"),
        model: await modelState(config, models),
        keys: await keyStates(config, models, all),
        approvals: approvals.mode,
        weaknesses: weakSettings(config.values),
        backend: terminal.backend,
        isolation: await isolationState(config, ctx),
        search: await pages.searchState(ctx.signal, { isOffline: true }),
        browser: await browsers.status(),
        servers: await serverStates(mcp, config, ctx),
        plugins: plugins
          .list()
          .filter(({ state }) => all || state === "active")
          .map(({ plugin, state }) => ({ name: plugin.key, state })),
        sessions: await sessionState(sessions, ctx),
        warnings: config.warnings,
        ...(all && { changed: [...config.origins].flatMap(([key, { from }]) => (from === "default" ? [] : [key])) }),
      });
    },
  }),
};

function fileState({ home }: LoadedConfig, file: "config" | "env") {
  const path = join(home.path, homeFiles[file]);
  return { path, exists: existsSync(path) };
}

async function modelState(config: LoadedConfig, models: Models) {
  const resolved = models.resolve();
  if (!resolved.ok) return { fault: resolved.error.message };
  const route = resolved.value;
  const { provider, model, contextTokens } = models.facts(route);
  return {
    provider,
    model,
    contextTokens,
    isOffline: route === "offline",
    hasKey: hasKey(route, models),
    ...(route !== "offline" && { baseUrl: route.baseUrl }),
    fallbacks: config.values.fallback_providers.length,
  };
}

/** Keys by their last characters, never whole. */
async function keyStates(config: LoadedConfig, models: Models, all: boolean) {
  const { providerViews } = await import("../../runtime/models/model-catalog.ts");
  return providerViews(models, config).flatMap(({ id, keys, isActive, keyVariable }) =>
    keys.length > 0 || isActive || (all && keyVariable !== undefined)
      ? [
          {
            provider: id,
            ...(keyVariable !== undefined && { variable: keyVariable }),
            keys: keys.map(({ label, hint, status }) => ({ label, hint, status })),
          },
        ]
      : [],
  );
}

async function isolationState(config: LoadedConfig, { cwd, signal }: OperationContext) {
  const { describeIsolation } = await import("../../runtime/environment/open-isolation.ts");
  return describeIsolation(config, cwd, signal);
}

async function serverStates(mcp: OpenedMcp, config: LoadedConfig, ctx: OperationContext) {
  const servers = await expectedStates(mcp.list(), config, ctx);
  return servers.map(({ name, state, why }) => ({ name, state, ...(why !== undefined && { why }) }));
}

async function sessionState(store: OperationServices["sessions"], { principal }: OperationContext) {
  const records = (await store?.list({ limit: maxSessions }, principal)) ?? [];
  const [newest] = records;
  return {
    count: records.length,
    messages: records.reduce((sum, { messages }) => sum + messages, 0),
    ...(newest && { newest: { id: newest.id, changedAt: newest.changedAt } }),
  };
}
