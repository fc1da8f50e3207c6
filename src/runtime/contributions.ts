import { createNamedList, type NamedList } from "../base/named-list.ts";
import type { Command } from "../contracts/host/command.ts";
import type { HookBus, HookEntry, Hooks } from "../contracts/host/hook.ts";
import type { Middleware } from "../contracts/host/middleware.ts";
import type { PlatformAdapter } from "../contracts/host/platform.ts";
import type { ServedContent } from "../contracts/mcp/served.ts";
import type { Backend } from "../contracts/plugin/backend.ts";
import type {
  AuxiliaryTaskContribution,
  CliCommandContribution,
  ContextEngineContribution,
  EnvironmentContribution,
  MemoryProviderContribution,
  PromptSectionContribution,
  ProviderContribution,
  ProviderProfile,
  SecretSourceContribution,
  SkillContribution,
} from "../contracts/plugin/plugin.ts";
import type { UiContribution } from "../contracts/plugin/ui.ts";
import type { PolicySource } from "../contracts/safety/approval.ts";
import type { Diagnostic, RegisteredTool, Registry } from "../contracts/tool/registry.ts";
import type { Toolset } from "../contracts/tool/toolset.ts";
import { createRegistry } from "../kernel/registry/registry.ts";
import { builtinToolsets, coreTools } from "../tools/toolsets.ts";

interface Kinds extends NamedKinds {
  readonly toolsets: Toolset;
  readonly tools: RegisteredTool;
}

/** Kinds of contributions that are lists of named parts. */
interface NamedKinds {
  readonly commands: Command;
  readonly cliCommands: CliCommandContribution;
  readonly providers: ProviderContribution;
  readonly providerProfiles: ProviderProfile;
  readonly environments: EnvironmentContribution;
  readonly platforms: PlatformAdapter;
  readonly policies: PolicySource;
  readonly skills: SkillContribution;
  readonly promptSections: PromptSectionContribution;
  readonly contextEngines: ContextEngineContribution;
  readonly memoryProviders: MemoryProviderContribution;
  readonly secretSources: SecretSourceContribution;
  readonly auxiliaryTasks: AuxiliaryTaskContribution;
  readonly backends: Backend;
  readonly served: ServedContent;
  readonly ui: UiContribution;
}

type NamedLists = { readonly [K in keyof NamedKinds]: NamedList<NamedKinds[K]> };

export type ContributionKind = keyof Kinds;

/** The parts of one owner, as functions: a kind is loaded when the runtime first needs it. */
export interface Contribution extends Loaders {
  /** The owner's name in messages: `built-in tools`, the name of a plugin. */
  readonly owner: string;
  readonly hooks?: Hooks;
  /** True: third-party code, which cannot replace an existing part of the same name. */
  readonly isForeign?: boolean;
  /** Hooks with their own options. */
  readonly hookEntries?: readonly HookEntry[];
  readonly middleware?: readonly Middleware[];
  /** Parts that failed to load. */
  readonly diagnostics?: () => readonly Diagnostic[];
  readonly dispose?: () => Promise<void>;
}

type Loaders = { readonly [K in ContributionKind]?: Loader<K> };
type Loader<K extends ContributionKind> = () => Promise<readonly Kinds[K][]> | readonly Kinds[K][];

/** All contributed parts by kind. Consumers read these lists at each use, so that changes apply immediately. */
export interface LoadedContributions extends NamedLists, AsyncDisposable {
  readonly registry: Registry;
  readonly diagnostics: readonly Diagnostic[];
  /** Loads these kinds of every contribution, each once. */
  load(...kinds: readonly ContributionKind[]): Promise<void>;
  /**
   * Adds a contribution; kinds that are already loaded are loaded at once. Disposing the result restores the parts that
   * it replaced.
   */
  add(contribution: Contribution): Promise<AsyncDisposable>;
}

export function loadContributions(contributions: readonly Contribution[], hooks: HookBus): LoadedContributions {
  const registry = createRegistry({ core: coreTools });
  const refusals: Diagnostic[] = [];
  const lists: NamedLists = {
    commands: createNamedList(),
    cliCommands: createNamedList(),
    providers: createNamedList(),
    providerProfiles: createNamedList(),
    environments: createNamedList(),
    platforms: createNamedList(),
    policies: createNamedList(),
    skills: createNamedList(),
    promptSections: createNamedList(),
    contextEngines: createNamedList(),
    memoryProviders: createNamedList(),
    secretSources: createNamedList(),
    auxiliaryTasks: createNamedList(),
    backends: createNamedList(),
    served: createNamedList(),
    ui: createNamedList(),
  };

  /** A plugin cannot replace parts of others; tools have their own rule. */
  function isTaken<K extends ContributionKind>(kind: K, value: Kinds[K]): boolean {
    if (kind === "tools") return false;
    // The cast is safe: every kind except tools is a list of named parts.
    const { name } = value as { readonly name: string };
    if (kind === "toolsets") return builtinToolsets.some((set) => set.name === name);
    return lists[kind as keyof NamedLists].find(name) !== undefined;
  }

  const adders: { readonly [K in ContributionKind]: (value: Kinds[K]) => Disposable | undefined } = {
    toolsets: registry.addToolset,
    tools({ tool, source }) {
      const added = registry.add(tool, source);
      return added.ok ? added.value : undefined;
    },
    commands: lists.commands.add,
    cliCommands: lists.cliCommands.add,
    providers: lists.providers.add,
    providerProfiles: lists.providerProfiles.add,
    environments: lists.environments.add,
    platforms: lists.platforms.add,
    policies: lists.policies.add,
    skills: lists.skills.add,
    promptSections: lists.promptSections.add,
    contextEngines: lists.contextEngines.add,
    memoryProviders: lists.memoryProviders.add,
    secretSources: lists.secretSources.add,
    auxiliaryTasks: lists.auxiliaryTasks.add,
    backends: lists.backends.add,
    served: lists.served.add,
    ui: lists.ui.add,
  };
  /** Kinds that were loaded, in that order. */
  const used = new Set<ContributionKind>();
  const loaded = new Set<Loaded>();

  function open(contribution: Contribution): Loaded {
    const registered = new AsyncDisposableStack();
    const loading = new Map<ContributionKind, Promise<void> | undefined>();
    if (contribution.dispose) registered.defer(contribution.dispose);
    const { owner, hookEntries = [], middleware = [] } = contribution;
    if (contribution.hooks) registered.use(hooks.add(owner, contribution.hooks));
    for (const entry of hookEntries) registered.use(hooks.add(owner, entry.hooks, entry.options));
    for (const one of middleware) registered.use(hooks.use(owner, one));
    function loadNow<K extends ContributionKind>(kind: K): Promise<void> | undefined {
      const loader: Loader<K> | undefined = (contribution as Loaders)[kind];
      const values = loader?.() ?? [];
      if (values instanceof Promise) return values.then((list) => register(kind, list));
      register(kind, values);
      return undefined;
    }
    function register<K extends ContributionKind>(kind: K, values: readonly Kinds[K][]): void {
      if (registered.disposed) return;
      for (const value of values) {
        if (contribution.isForeign && isTaken(kind, value)) {
          const { name } = value as { readonly name: string };
          refusals.push({ source: owner, message: `${name} (${kind}) is refused: the name is already in use` });
        } else registered.use(adders[kind](value));
      }
    }
    const one: Loaded = {
      contribution,
      load(kind) {
        if (!loading.has(kind)) loading.set(kind, loadNow(kind));
        return loading.get(kind);
      },
      async [Symbol.asyncDispose]() {
        loaded.delete(one);
        await registered.disposeAsync();
      },
    };
    loaded.add(one);
    return one;
  }

  for (const contribution of contributions) open(contribution);
  return {
    registry,
    ...lists,
    get diagnostics() {
      const own = Array.from(loaded, ({ contribution }) => contribution.diagnostics?.() ?? []);
      return [...own.flat(), ...registry.diagnostics, ...refusals];
    },
    async load(...names) {
      for (const kind of names) used.add(kind);
      // In order, because the first of two tools with the same name wins.
      for (const one of loaded) {
        for (const kind of names) {
          const loading = one.contribution[kind] && one.load(kind);
          if (loading) await loading;
        }
      }
    },
    async add(contribution) {
      const one = open(contribution);
      for (const kind of used) if (contribution[kind]) await one.load(kind);
      return one;
    },
    async [Symbol.asyncDispose]() {
      for (const one of Array.from(loaded).toReversed()) await one[Symbol.asyncDispose]();
    },
  };
}

interface Loaded extends AsyncDisposable {
  readonly contribution: Contribution;
  /** Returns a promise only if the loader is asynchronous. */
  load(kind: ContributionKind): Promise<void> | undefined;
}
