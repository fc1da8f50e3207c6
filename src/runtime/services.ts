import { join } from "node:path";

import type { Worktrees } from "../agents/worktrees/worktrees.ts";
import { type OpenedByName, openByName, type Opener } from "../base/async/open-by-name.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { FileLog } from "../base/log/log-file.ts";
import { reasonOf } from "../base/result.ts";
import { homeFiles } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { HookBus } from "../contracts/host/hook.ts";
import type { MediaGenerator } from "../contracts/media/generate.ts";
import type { Pictures } from "../contracts/media/pictures.ts";
import type { ModelSource } from "../contracts/model/model.ts";
import type { Backend, BackendKind } from "../contracts/plugin/backend.ts";
import type { ApprovalDesk } from "../contracts/safety/approval.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { SessionSearch } from "../contracts/session/session-search.ts";
import type { ToolGateway } from "../contracts/web/tool-gateway.ts";
import { createHookBus } from "../kernel/hook-bus.ts";
import type { PluginInstaller } from "../plugins/install/plugin-installer.ts";
import type { AuditTrail } from "../safety/audit.ts";
import type { SecretRedactor } from "../safety/secrets.ts";
import type { ApprovalSessions } from "../sessions/session-approvals.ts";
import type { SkillUsage } from "../skills/curator/skill-usage.ts";
import type { KeptSessionStore } from "../store/session-store.ts";
import type { OpenedBrowsers } from "./browser/open-browsers.ts";
import { builtins } from "./builtins.ts";
import { type Contribution, type LoadedContributions, loadContributions } from "./contributions.ts";
import type { OfferedSkills } from "./knowledge/offer-skills.ts";
import type { OpenedCurator } from "./knowledge/open-curator.ts";
import type { OpenedHub } from "./knowledge/open-hub.ts";
import type { OpenedLearnings } from "./knowledge/open-learnings.ts";
import type { PersonalMemory } from "./knowledge/open-memory.ts";
import type { ProjectCheckpoints } from "./knowledge/project-checkpoints.ts";
import type { OpenedMcp } from "./mcp/open-mcp.ts";
import type { KeyStore } from "./models/key-store.ts";
import type { Models } from "./models/models.ts";
import { openLog } from "./open-log.ts";
import type { OpenedPlugins, OpenPluginsDeps } from "./plugins/open-plugins.ts";
import type { OpenedShellHooks } from "./plugins/open-shell-hooks.ts";
import type { OpenedPolicy } from "./policy/open-policy.ts";
import { openRedactor } from "./policy/open-redactor.ts";
import type { ServiceOptions } from "./service-options.ts";
import type { LiveSessions } from "./session/session-deps.ts";
import type { OpenedSpeech } from "./speech/open-speech.ts";
import type { OpenedPages } from "./web/open-pages.ts";

/** Every tool and toolset that this program has. */
export type LoadedTools = Pick<LoadedContributions, "registry" | "diagnostics">;

/** The services of one program. The first `get` opens each service once, with its dependencies. */
export type RuntimeServices = OpenedByName<OpenedServices>;
export type RuntimeServiceName = keyof typeof openers;
/** Result types of `get`, by name. */
export type OpenedServices = { readonly [N in RuntimeServiceName]: Awaited<ReturnType<(typeof openers)[N]>> };

export function openServices(config: LoadedConfig, options: ServiceOptions): RuntimeServices {
  const { clock = systemClock, say = () => {}, contributions = builtins(config, options) } = options;
  const bound = Object.entries(openers).map(([name, open]) => [
    name,
    (opener: Opener<OpenedServices>) => open({ ...options, ...opener, config, contributions, clock, say }),
  ]);
  // The cast is safe: each function keeps its name.
  return openByName<OpenedServices>(Object.fromEntries(bound) as Parameters<typeof openByName<OpenedServices>>[0]);
}

/** Inputs of a function that opens a service. */
interface Opening extends ServiceOptions {
  readonly config: LoadedConfig;
  readonly contributions: readonly Contribution[];
  readonly clock: Clock;
  readonly say: (sentence: string) => void;
  readonly get: <N extends RuntimeServiceName>(name: N) => Promise<OpenedServices[N]>;
  readonly isOpen: (name: RuntimeServiceName) => boolean;
  /** Registers a resource to close with the services, in reverse order. */
  readonly use: <R extends Disposable | AsyncDisposable>(resource: R) => R;
}

/**
 * Every service, by name: to add one, add a function here. Its annotated result is its type. A function loads the code
 * that it needs, so that a program loads only the services that it uses.
 */
const openers = {
  config: async ({ config }: Opening): Promise<LoadedConfig> => config,

  redactor: async ({ config }: Opening): Promise<SecretRedactor> => openRedactor(config.secrets, config.home),

  async log({ config, clock, get, use }: Opening): Promise<FileLog> {
    const { redact } = await get("redactor");
    return use(openLog(config, redact, clock));
  },

  /** Copies of projects for agents, and their patches. */
  async worktrees({ config, clock, get }: Opening): Promise<Worktrees> {
    const { openWorktrees } = await import("./agents/open-worktrees.ts");
    return openWorktrees(config, { clock, log: await get("log") })();
  },

  hooks: async ({ clock, get }: Opening): Promise<HookBus> => createHookBus({ clock, log: await get("log") }),

  /** The plugins of the home and the project. Opening runs none of them. */
  async plugins({
    config,
    cwd,
    clock,
    say,
    signal,
    safeMode = false,
    get,
    use,
    ...own
  }: Opening): Promise<OpenedPlugins> {
    const [{ openPlugins }, log, redactor, sessions] = await Promise.all([
      import("./plugins/open-plugins.ts"),
      get("log"),
      get("redactor"),
      get("liveSessions"),
    ]);
    const models = ownModels(own.models, get);
    const audit: OpenPluginsDeps["audit"] = (who, { permission, target }) => {
      const entry = {
        kind: "decision",
        who: `plugin ${who}`,
        decision: "deny",
        rule: permission,
        note: target,
      } as const;
      void get("audit").then((trail) => trail.append(entry));
    };
    const deps = { cwd, clock, say, signal, safeMode, log, redactor, sessions, models, audit };
    return use(await openPlugins(config, deps));
  },

  /** The person's own programs that run at hooks. */
  async shellHooks({ config, cwd, clock, say, signal, acceptHooks, get }: Opening): Promise<OpenedShellHooks> {
    const [{ openShellHooks }, log, redactor] = await Promise.all([
      import("./plugins/open-shell-hooks.ts"),
      get("log"),
      get("redactor"),
    ]);
    return openShellHooks(config, { cwd, clock, say, signal, log, redactor, accepts: acceptHooks === true });
  },

  /** Parts from built-in modules and plugins. Each kind is loaded by the service that uses it. */
  async contributions({ config, contributions, say, signal, get, use }: Opening): Promise<LoadedContributions> {
    const [hooks, plugins] = await Promise.all([get("hooks"), get("plugins")]);
    const loaded = use(loadContributions(contributions, hooks));
    await plugins.join(loaded);
    await loaded.load("secretSources");
    if (loaded.secretSources.list().length > 0) {
      const { supplySecrets } = await import("./plugins/supply-secrets.ts");
      await supplySecrets(config, loaded, { redactor: await get("redactor"), say, signal });
    }
    if (Object.keys(config.values.hooks).length > 0) {
      for (const each of await (await get("shellHooks")).contributions()) await loaded.add(each);
    }
    return loaded;
  },

  async tools({ config, get, isOpen }: Opening): Promise<LoadedTools> {
    const contributions = await get("contributions");
    await contributions.load("toolsets", "tools");
    const hasServers = Object.keys(config.values.mcp_servers ?? {}).length > 0;
    if (hasServers || isOpen("mcp")) (await get("mcp")).join(contributions.registry);
    return contributions;
  },

  /** The MCP servers of the settings. Opening connects to none. */
  async mcp({ config, cwd, clock, say, safeMode = false, get, isOpen, use, ...own }: Opening): Promise<OpenedMcp> {
    const [{ openMcp }, log, redactor, sessions] = await Promise.all([
      import("./mcp/open-mcp.ts"),
      get("log"),
      get("redactor"),
      get("liveSessions"),
    ]);
    const models = ownModels(own.models, get);
    const opened = use(openMcp(config, { cwd, clock, say, safeMode, log, redactor, sessions, models }));
    if (isOpen("contributions")) opened.join((await get("contributions")).registry);
    return opened;
  },

  /** The session store of the home. Undefined if it does not exist, because reading must not create it. */
  async sessions({ config, say, get, isOpen, use }: Opening): Promise<KeptSessionStore | undefined> {
    if (isOpen("sessionStore")) return get("sessionStore");
    const { openSessions } = await import("./store/open-sessions.ts");
    const store = await openSessions(config, say);
    return store && use(store);
  },

  /**
   * Like `sessions`, for operations that can work without the store. If it cannot be opened, shows a notice and returns
   * undefined.
   */
  readableSessions: async ({ say, get }: Opening): Promise<KeptSessionStore | undefined> =>
    get("sessions").catch((thrown: unknown) => {
      say(`The sessions cannot be read, so their texts are missing here: ${reasonOf(thrown)}`);
      return undefined;
    }),

  /** The store of the home: created if it does not exist, repaired if it cannot be opened. */
  async sessionStore({ config, sessionsFile, clock, say, principal, signal, use }: Opening): Promise<KeptSessionStore> {
    const { openHomeStore } = await import("./store/open-sessions.ts");
    return use(await openHomeStore(config, sessionsFile, { clock, say, principal }, signal));
  },

  async search({ config, sessionsFile, clock, use }: Opening): Promise<SessionSearch> {
    const { openSearch } = await import("./store/open-search.ts");
    return use(openSearch(sessionsFile ?? join(config.home.path, homeFiles.sessions), clock));
  },

  async models({ config, cwd, clock, say, get, use }: Opening): Promise<Models> {
    const [{ openModels }, log, contributions] = await Promise.all([
      import("./models/models.ts"),
      get("log"),
      get("contributions"),
    ]);
    await contributions.load("providers", "providerProfiles", "auxiliaryTasks");
    const { providers, providerProfiles: profiles, auxiliaryTasks: tasks } = contributions;
    return use(openModels(config, { cwd, providers, profiles, tasks, clock, log, say }));
  },

  modelSource: async ({ models, get }: Opening): Promise<ModelSource> => models ?? get("models"),

  /** Creates images and videos. */
  async generator({ config, cwd, clock, models, get }: Opening): Promise<MediaGenerator> {
    const { openGenerator } = await import("./media/open-generator.ts");
    const own = { models: ownModels(models, get), backends: backendsOf(get) };
    return openGenerator(config, { cwd, clock, gateway: () => get("toolGateway"), ...own });
  },

  /** Pictures for a call outside of sessions. */
  async pictures({ config, cwd, clock }: Opening): Promise<Pictures> {
    const { openPictures } = await import("./media/open-pictures.ts");
    return openPictures(config, { cwd, clock });
  },

  /** The browsers of this program. Opening starts none. */
  async browsers({ config, cwd, clock, get, use }: Opening): Promise<OpenedBrowsers> {
    const { openBrowsers } = await import("./browser/open-browsers.ts");
    return use(openBrowsers(config, { cwd, clock, backends: backendsOf(get, "browser") }));
  },

  async keys({ config, clock }: Opening): Promise<KeyStore> {
    const { createKeyStore } = await import("./models/key-store.ts");
    return createKeyStore(config.home, clock);
  },

  /** Credentials of the Nous tool gateway for search, browsers, images and speech. */
  async toolGateway({ config, models, get }: Opening): Promise<ToolGateway> {
    const { openToolGateway } = await import("./web/open-tool-gateway.ts");
    return openToolGateway(config, ownModels(models, get));
  },

  /** Search and reading of web pages. */
  async pages({ config, cwd, clock, models, get, use }: Opening): Promise<OpenedPages> {
    const [{ openWebPages }, { openReading }, gateway] = await Promise.all([
      import("./web/open-pages.ts"),
      import("./web/open-reading.ts"),
      get("toolGateway"),
    ]);
    const browsers = async () => get("browsers");
    const own = { models: ownModels(models, get), backends: backendsOf(get), browsers };
    return openWebPages(config, { cwd, clock, gateway, reading: use(openReading(clock)), ...own });
  },

  /** Memory by principal. */
  async memory({ config, clock, get }: Opening): Promise<(principal: Principal) => PersonalMemory> {
    const [{ openMemory }, log, contributions] = await Promise.all([
      import("./knowledge/open-memory.ts"),
      get("log"),
      get("contributions"),
    ]);
    await contributions.load("memoryProviders");
    return (principal) => openMemory(config, { principal, providers: contributions.memoryProviders, clock, log });
  },

  async learnings({ config, clock, say, get, use }: Opening): Promise<OpenedLearnings> {
    const [{ openLearnings }, log] = await Promise.all([import("./knowledge/open-learnings.ts"), get("log")]);
    return use(openLearnings(config, { clock, log, say }));
  },

  async skillUsage({ config, clock, use }: Opening): Promise<SkillUsage> {
    const { createSkillUsage } = await import("../skills/curator/skill-usage.ts");
    const usage = createSkillUsage(join(config.home.path, homeFiles.skills), clock);
    use({ [Symbol.asyncDispose]: usage.flush });
    return usage;
  },

  async skills({ config, cwd, clock, say, get, use }: Opening): Promise<OfferedSkills> {
    const [{ offerSkills }, { pluginSkillPlaces }, { watchSkills }] = await Promise.all([
      import("./knowledge/offer-skills.ts"),
      import("./knowledge/skill-folders.ts"),
      import("../skills/watch-skills.ts"),
    ]);
    const [log, hooks, usage, { skillScores: scores }, { registry }, contributions] = await Promise.all([
      get("log"),
      get("hooks"),
      get("skillUsage"),
      get("learnings"),
      get("tools"),
      get("contributions"),
    ]);
    await contributions.load("skills");
    return use(
      offerSkills(config, {
        cwd,
        clock,
        log,
        say,
        scores,
        contributed: () => pluginSkillPlaces(contributions.skills.list()),
        watcher: watchSkills(usage, hooks),
        isPinned: (name) => usage.read()[name]?.isPinned === true,
        toolsIn: (name) => registry.expand(name)?.tools,
      }),
    );
  },

  async hub({ config, cwd, clock, get }: Opening): Promise<OpenedHub> {
    const [{ openHub }, skills] = await Promise.all([import("./knowledge/open-hub.ts"), get("skills")]);
    return openHub(config, await skills.opened(), { cwd, clock });
  },

  async curator({ config, clock, get }: Opening): Promise<OpenedCurator> {
    const [{ openCurator }, skills] = await Promise.all([import("./knowledge/open-curator.ts"), get("skills")]);
    return openCurator(config, await skills.opened(), clock);
  },

  async pluginInstaller({ config, clock }: Opening): Promise<PluginInstaller> {
    const { openInstaller } = await import("./plugins/open-installer.ts");
    return openInstaller(config, clock);
  },

  /** Speech and transcription. Opening starts nothing. */
  async speech({ config, cwd, clock, get, use }: Opening): Promise<OpenedSpeech> {
    const { openSpeech } = await import("./speech/open-speech.ts");
    return use(openSpeech(config, { cwd, clock, backends: backendsOf(get) }));
  },

  /** The checkpoints of the project that the program was started in. */
  async checkpoints({ config, cwd, say, principal, get, use }: Opening): Promise<ProjectCheckpoints> {
    const { createProjectCheckpoints } = await import("./knowledge/project-checkpoints.ts");
    const newest = async () => (await (await get("sessions"))?.list({ limit: 1, cwd }, principal))?.[0]?.id;
    return use(createProjectCheckpoints(config, cwd, newest, say));
  },

  /** The open sessions of this program, for plugins. */
  liveSessions: async (_: Opening): Promise<LiveSessions> => new Map(),

  /** The approval mode and the grants of each open session. */
  async approvalSessions({ get }: Opening): Promise<ApprovalSessions> {
    const { createApprovalSessions } = await import("../sessions/session-approvals.ts");
    return createApprovalSessions(await get("log"));
  },

  async audit({ config, clock }: Opening): Promise<AuditTrail> {
    const { openAudit } = await import("./policy/open-audit.ts");
    return openAudit(config.home, clock);
  },

  /** Open questions about calls. */
  async approvals({ config, clock, get }: Opening): Promise<ApprovalDesk> {
    const { openDesk } = await import("./policy/open-policy.ts");
    return openDesk(config, { clock, log: await get("log"), hooks: await get("hooks") });
  },

  async policy({ config, cwd, clock, get }: Opening): Promise<OpenedPolicy> {
    const { openPolicy } = await import("./policy/open-policy.ts");
    const [contributions, log, redactor, desk, audit, { find: session }] = await Promise.all([
      get("contributions"),
      get("log"),
      get("redactor"),
      get("approvals"),
      get("audit"),
      get("approvalSessions"),
    ]);
    await contributions.load("policies");
    const { policies: sources } = contributions;
    return openPolicy(config, { cwd, clock, log, redactor, desk, audit, session, sources });
  },
};

/** The models of the settings. Undefined: the embedding program provides its own. */
function ownModels(given: ModelSource | undefined, get: Opening["get"]): () => Promise<Models | undefined> {
  return async () => (given ? undefined : get("models"));
}

/** Services of plugins for features, of one kind or of all kinds. */
function backendsOf(get: Opening["get"], only?: BackendKind): () => Promise<readonly Backend[]> {
  return async () => {
    const contributions = await get("contributions");
    await contributions.load("backends");
    return contributions.backends.list().filter(({ kind }) => only === undefined || kind === only);
  };
}
