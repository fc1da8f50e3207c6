import { once } from "../base/async/once.ts";
import { systemClock } from "../base/clock.ts";
import { err } from "../base/result.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Command } from "../contracts/host/command.ts";
import type { PluginStatus } from "../contracts/plugin/status.ts";
import type { Runtime, Session, SessionOptions } from "../contracts/session/runtime.ts";
import { createBackgroundJobs } from "../kernel/background-jobs.ts";
import { modelFactsJob, runtimeJobs } from "./background-jobs.ts";
import type { Contribution } from "./contributions.ts";
import type { ServiceOptions } from "./service-options.ts";
import { openServices, type RuntimeServices } from "./services.ts";
import { sessionModelOpener, type SessionModelDeps } from "./session/services/open-session-model.ts";
import { sessionCatalog } from "./session/session-catalog.ts";
import type { SessionDeps } from "./session/session-deps.ts";
import type { ModelParts } from "./session/session-model.ts";
import { sessionTaps } from "./session/session-taps.ts";
import { startSession } from "./session/start-session.ts";

export interface RuntimeOptions extends Omit<ServiceOptions, "contributions"> {
  /** The platform whose tool selection of the settings applies. Default: `cli`. */
  readonly platform?: string;
  /** Replaces dependencies of the session models. */
  readonly sessionModel?: Partial<SessionModelDeps>;
  /** Wraps the model parts, for example for a replay. */
  readonly replaceParts?: (parts: ModelParts) => ModelParts;
}

/** A runtime together with the services that it has opened, for operations of the same program. */
export interface OpenedRuntime extends Runtime {
  readonly services: RuntimeServices;
  /** New plugins of the home that the user has to accept or reject. */
  readonly offeredPlugins: readonly PluginStatus[];
  /** The slash commands, loaded by the first call. */
  commands(): Promise<readonly Command[]>;
  /** Loads contributions into a running runtime. Disposing unloads them; open sessions keep their tools. */
  contribute(contribution: Contribution): Promise<AsyncDisposable>;
}

/** Creates a runtime. All its features are contributions; `builtins` returns those of the product. */
export async function createRuntime(
  config: LoadedConfig,
  contributions: readonly Contribution[],
  options: RuntimeOptions,
): Promise<OpenedRuntime> {
  const services = openServices(config, { ...options, contributions });
  try {
    return await assemble(config, options, services);
  } catch (thrown) {
    await services[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function assemble(
  config: LoadedConfig,
  options: RuntimeOptions,
  services: RuntimeServices,
): Promise<OpenedRuntime> {
  const { cwd, principal, signal, platform = "cli", say = () => {}, clock = systemClock } = options;
  const created = await services.open(
    "log",
    "redactor",
    "hooks",
    "plugins",
    "contributions",
    "tools",
    "memory",
    "approvals",
    "approvalSessions",
    "policy",
    "modelSource",
    "search",
    "learnings",
    "skills",
    "liveSessions",
  );
  const { log, redactor, hooks, contributions, tools, approvals, policy, search, learnings, skills } = created;
  created.plugins.saveIndex();
  await contributions.load("environments", "contextEngines", "promptSections");
  for (const notice of policy.notices()) say(notice);
  const sessions = await services.get("sessionStore");
  const models = services.isOpen("models") ? await services.get("models") : undefined;
  const jobs = createBackgroundJobs({ clock, log });
  for (const job of runtimeJobs(config, { sessions, skills, models, principal, say, clock, log })) jobs.add(job);
  const { replaceParts = (each) => each } = options;
  const parts = replaceParts({
    models: created.modelSource,
    openSessionModel: sessionModelOpener(config, {
      engines: contributions.contextEngines,
      sections: contributions.promptSections,
      clock,
      ...(models && { auxiliary: models.auxiliary }),
      ...options.sessionModel,
    }),
    tap: sessionTaps(config, { cwd, clock, say }),
    refresh: async () => jobs.start(modelFactsJob),
  });
  const mixture: SessionDeps["mixture"] = async (of) => {
    if (!models) return err({ message: "the program uses its own model instead of the settings" });
    const { openMixtureRunner } = await import("./models/mixture-runner.ts");
    return openMixtureRunner(config, models, { ...of, clock });
  };
  const open = new Set<Session>();
  const parents: SessionDeps["parents"] = new Map();

  return {
    services,
    async commands() {
      const before = contributions.diagnostics.length;
      await contributions.load("commands");
      for (const { source, message } of contributions.diagnostics.slice(before)) say(`${source}: ${message}`);
      return withoutShadows(contributions.commands.list());
    },
    get offeredPlugins() {
      return created.plugins.list().filter(({ state }) => state === "offered");
    },
    contribute: contributions.add,
    registry: tools.registry,
    hooks,
    sessions,
    search,
    skills: skills.named,
    learnings,
    approvals,
    get diagnostics() {
      return tools.diagnostics;
    },
    async openSession(request = {}) {
      const wish = { source: "library", principal, ...request };
      if (services.isOpen("mcp")) await (await services.get("mcp")).prepare(wish.source, signal);
      const session = await startSession(wish, {
        config,
        parts,
        sessions,
        search,
        catalog: (of: SessionOptions) =>
          sessionCatalog(config, of, { registry: tools.registry, mixture, platform, cwd, clock, log, signal }),
        toolsIn: (name) => tools.registry.expand(name)?.tools,
        memory: created.memory,
        skills,
        learnings,
        environments: contributions.environments,
        policy: policy.policy,
        approvals: created.approvalSessions,
        desk: approvals,
        audit: policy.ledger,
        hooks,
        redactor,
        browsers: async () => services.get("browsers"),
        mcp: () => (services.isOpen("mcp") ? services.get("mcp") : undefined),
        pages: () => services.get("pages"),
        mixture,
        speech: () => services.get("speech"),
        generator: () => services.get("generator"),
        parents,
        live: created.liveSessions,
        cwd,
        signal,
        say,
        clock,
        logger: log,
      });
      open.add(session);
      return session;
    },
    [Symbol.asyncDispose]: once(async () => {
      await Promise.all(Array.from(open, (session) => session[Symbol.asyncDispose]()));
      await jobs[Symbol.asyncDispose]();
      await services[Symbol.asyncDispose]();
    }),
  };
}

/** Commands of plugins come last and never replace a name or alias. */
function withoutShadows(commands: readonly Command[]): readonly Command[] {
  const own = commands.filter(({ plugin }) => plugin === undefined);
  const names = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const others = commands.filter(({ name, plugin }) => plugin !== undefined && !names.has(name));
  return [
    ...own,
    ...others.map((command) => ({ ...command, aliases: command.aliases?.filter((alias) => !names.has(alias)) ?? [] })),
  ];
}
