import { trySleep } from "../base/async/abort.ts";
import { once } from "../base/async/once.ts";
import type { Clock } from "../base/clock.ts";
import { ownValue } from "../base/json.ts";
import type { Variables } from "../base/process/run-program.ts";
import { err, ok, type Result } from "../base/result.ts";
import { didYouMean } from "../base/text/nearest.ts";
import type { PluginClient, PluginFault } from "../contracts/plugin/client.ts";
import { type FoundPlugin, noPermissions, type Permissions } from "../contracts/plugin/manifest.ts";
import type { PluginRegistration } from "../contracts/plugin/registration.ts";
import type { PluginStatus } from "../contracts/plugin/status.ts";
import { acceptanceOf, type ActivationRules, contentFault, judgeActivation, permissionsFault } from "./activation.ts";
import { mergePlaces } from "./find/find-plugins.ts";
import type { PlaceScan, PluginPlace, PluginProblem } from "./find/plugin-place.ts";
import { fingerprint, isCurrent, pythonOf, readStatesBelow, createStateCache } from "./fingerprint.ts";
import { keepIndex } from "./kept-index.ts";
import { idOf, type IndexedPlugin, searchPlaces, withoutPlugin } from "./plugin-index.ts";
import type { CheckFiles } from "./process/plugin-process.ts";
import {
  brokenText,
  guardsOf,
  isNotable,
  isSame,
  lazyClient,
  type ShelfEntry,
  statusOf,
  unknownNames,
} from "./shelf-entry.ts";

/** The plugins of a Hermes home and a project: their states and their registrations. */
export interface PluginShelf extends AsyncDisposable {
  list(): readonly PluginStatus[];
  /** Folders that look like plugins but are not usable, and enabled names without a plugin. */
  readonly problems: readonly PluginProblem[];
  /**
   * Loads the active plugins, and later those that are enabled meanwhile. New and changed plugins register first; a
   * slow one loads when it is ready.
   */
  join(load: LoadPlugin): Promise<void>;
  /** Saves that the plugin is enabled, registers it and loads it. Also retries a broken plugin. */
  enable(name: string): Promise<Result<PluginStatus, string>>;
  /** Saves that the plugin is disabled and unloads it. */
  disable(name: string): Promise<Result<PluginStatus, string>>;
  /** Runs the registration of an active plugin again in a separate process, and changes nothing. */
  tryRegistration(key: string): Promise<Result<PluginRegistration, string>>;
  /** Unloads a plugin whose folder is about to be deleted, and removes all its data. */
  forget(key: string): Promise<void>;
  /** Searches again, including packages: loads new plugins, unloads removed ones, registers changed ones. */
  refresh(): Promise<void>;
  /** Saves the search results for the next start. Registrations are saved in any case. */
  saveIndex(): void;
  /** The client for the process of an active plugin. */
  client(key: string): PluginClient | undefined;
}

/** Adds the contributions of a plugin to a running program. Disposing removes them. */
export type LoadPlugin = (plugin: ActivePlugin) => Promise<AsyncDisposable>;

export interface ActivePlugin {
  readonly plugin: FoundPlugin;
  readonly registration: PluginRegistration;
  readonly permissions: Permissions;
  readonly client: PluginClient;
  /** Saves the result of a tool's availability check for the next start. */
  readonly keepCheck: (tool: string, isAvailable: boolean) => void;
}

export interface PluginShelfDeps {
  readonly indexFile: string;
  /** If false, nothing is written, because the Hermes home does not exist. */
  readonly canWrite: () => boolean;
  /** `packages` also includes the folders of package managers. */
  readonly places: (packages: boolean) => Promise<readonly PluginPlace[]>;
  readonly rules: Omit<ActivationRules, "accepted">;
  readonly env: Variables;
  /** The permissions that the plugin declares and the user granted. */
  readonly permissionsOf: (plugin: FoundPlugin) => Result<Permissions, string>;
  /** Values outside the plugin's folder that a registration may depend on. */
  readonly factsOf: (plugin: FoundPlugin) => string;
  /** Returns why the folder differs from the installed one; undefined if it does not. Reads the whole folder. */
  readonly pinFault: (plugin: FoundPlugin) => string | undefined;
  /** Records that the user accepts the folder in its current state. */
  readonly acceptPin: (plugin: FoundPlugin) => Promise<Result<void>>;
  readonly saveLists: (enabled: readonly string[], disabled: readonly string[]) => Promise<Result<void, string>>;
  /** Creates the client without starting a process. */
  readonly createClient: (
    plugin: FoundPlugin,
    permissions: () => Permissions,
    onRegistered: (registration: PluginRegistration) => void,
    watchFiles: () => CheckFiles,
  ) => Promise<PluginClient>;
  /** Runs the plugin's registration in its process. */
  readonly register: (plugin: FoundPlugin, client: PluginClient) => Promise<Result<PluginRegistration, PluginFault>>;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long a start waits for registrations. Each plugin registers only once, so a long wait is acceptable. */
const startWaitMs = 20_000;
/** The maximum number of registrations that run in parallel. */
const maxRegistering = 4;

export async function openPluginShelf(deps: PluginShelfDeps): Promise<PluginShelf> {
  const { clock, signal, say } = deps;
  let { enabled, disabled } = deps.rules;
  const index = keepIndex(deps.indexFile, deps);
  let entries = new Map<string, ShelfEntry>();
  let problems: readonly PluginProblem[] = [];
  let unknown: readonly PluginProblem[] = [];
  let load: LoadPlugin | undefined;
  let isClosed = false;
  let changing: Promise<unknown> = Promise.resolve();

  const python = once(() => pythonOf(deps.env));
  const factsOf = (plugin: FoundPlugin): string =>
    `${deps.factsOf(plugin)} ${plugin.language === "python" ? python() : ""}`;

  const isNamed = ({ key, manifest }: FoundPlugin) => enabled.includes(key) || enabled.includes(manifest.name);
  function keep(plugin: FoundPlugin, indexed: IndexedPlugin): void {
    index.change((all) => ({ ...all, plugins: { ...all.plugins, [idOf(plugin)]: indexed } }));
  }

  async function search(withPackages: boolean): Promise<void> {
    const read = createStateCache();
    const names = withPackages ? undefined : deps.rules.isSafeMode ? [] : [...enabled, ...deps.rules.chosen];
    const { scans, renewed, hasPackages } = await searchPlaces(deps.places, index.now, read, names);
    const merged = mergePlaces(
      scans,
      (plugin) => isNamed(plugin) && ownValue(index.now.accepted, plugin.key)?.folder === plugin.folder,
    );
    // Package folders are slow to search, even those without plugins.
    const isWorthKeeping = ({ stamps, plugins }: PlaceScan) => hasPackages || plugins.length > 0 || stamps.length > 1;
    if (Object.values(renewed).some(isWorthKeeping))
      index.changeLater((all) => ({ ...all, places: { ...all.places, ...renewed } }));
    const before = entries;
    entries = new Map(
      merged.plugins.map((plugin) => {
        const same = before.get(plugin.key);
        const fresh: ShelfEntry = { plugin, permissions: noPermissions, state: "disabled", missing: [] };
        if (!same || idOf(same.plugin) !== idOf(plugin)) return [plugin.key, fresh];
        before.delete(plugin.key);
        return [plugin.key, Object.assign(same, { plugin })];
      }),
    );
    const isComplete = hasPackages && !deps.rules.isSafeMode;
    unknown = isComplete ? unknownNames(enabled, [...entries.values()], merged.problems, index.now) : [];
    problems = [...merged.problems, ...unknown];
    for (const removed of before.values()) await unload(removed);
    for (const entry of entries.values()) judge(entry, read);
  }

  /** Decides the state of a plugin from the settings and the index, without running anything. */
  function judge(entry: ShelfEntry, read = createStateCache()): void {
    const { plugin } = entry;
    const { key } = plugin;
    const permissions = deps.permissionsOf(plugin);
    entry.permissions = permissions.ok ? permissions.value : noPermissions;
    const rules = { ...deps.rules, enabled, disabled, accepted: index.now.accepted };
    Object.assign(entry, { why: undefined, ...judgeActivation(plugin, rules) });
    const kept = index.now.plugins[idOf(plugin)];
    const isValid = kept !== undefined && kept.facts === factsOf(plugin) && isCurrent(kept.stamps, read);
    entry.indexed = isValid ? kept : undefined;
    if (entry.state !== "active") return;
    const changed = permissionsFault(plugin, index.now) ?? (isValid ? undefined : codeFault(plugin));
    if (!permissions.ok) Object.assign(entry, { state: "broken", why: `plugins.entries.${key}: ${permissions.error}` });
    else if (changed !== undefined) Object.assign(entry, { state: "broken", why: changed, indexed: undefined });
    else if (kept?.fault !== undefined && isValid)
      Object.assign(entry, { state: "broken", why: brokenText(kept.fault, key) });
    if (entry.state === "active" && isNamed(plugin) && !Object.hasOwn(index.now.accepted, key)) accept(plugin);
  }

  /** Reads all files and returns why the code differs from the installed or enabled code; undefined if it does not. */
  function codeFault(plugin: FoundPlugin): string | undefined {
    return deps.pinFault(plugin) ?? contentFault(plugin, index.now);
  }

  function accept(plugin: FoundPlugin): void {
    index.changeLater((all) => ({ ...all, accepted: { ...all.accepted, [plugin.key]: acceptanceOf(plugin) } }));
  }

  function clientOf(entry: ShelfEntry): PluginClient {
    return (entry.client ??= lazyClient(entry.plugin.key, () =>
      deps.createClient(
        entry.plugin,
        () => entry.permissions,
        (registration) => registeredAgain(entry, registration),
        () => watchFiles(entry),
      ),
    ));
  }

  /** The files are checked here once. Each start of the plugin's process compares them with this state. */
  function watchFiles({ plugin, indexed }: ShelfEntry): CheckFiles {
    const before = fingerprint(plugin, python());
    return (root) => {
      if (!before.ok) return before.error;
      const isJudged = JSON.stringify(indexed?.stamps) === JSON.stringify(before.value);
      const fault = isJudged ? undefined : codeFault(plugin);
      const isSameFile = isCurrent(before.value, readStatesBelow(root, plugin.folder));
      return fault ?? (isSameFile ? undefined : "its files changed while it started. Try again.");
    };
  }

  /** A plugin may register different parts without a file change. The running program keeps the loaded parts. */
  function registeredAgain(entry: ShelfEntry, registration: PluginRegistration): void {
    const { plugin, indexed } = entry;
    if (entry.state !== "active" || !indexed?.registration || isSame(indexed.registration, registration)) return;
    entry.indexed = { ...indexed, registration };
    keep(plugin, entry.indexed);
    say(`Plugin ${plugin.key} registered different parts than before. Restart Hermes to use them.`);
  }

  function keepCheck(entry: ShelfEntry, tool: string, isAvailable: boolean): void {
    const { plugin, indexed } = entry;
    if (!indexed?.registration) return;
    const tools = indexed.registration.tools.map((each) => (each.name === tool ? { ...each, isAvailable } : each));
    entry.indexed = { ...indexed, registration: { ...indexed.registration, tools } };
    keep(plugin, entry.indexed);
  }

  async function register(entry: ShelfEntry): Promise<void> {
    const { plugin } = entry;
    // The states are read before the code runs, so that a later change is noticed.
    const stamps = fingerprint(plugin, python());
    if (!stamps.ok) return void Object.assign(entry, { state: "broken", why: brokenText(stamps.error, plugin.key) });
    const facts = { stamps: stamps.value, facts: factsOf(plugin) };
    // This check runs last, so that the stamps of other files never replace the pinned ones.
    const changed = codeFault(plugin);
    if (changed !== undefined) return void Object.assign(entry, { state: "broken", why: changed });
    const outcome = await deps.register(plugin, clientOf(entry));
    if (isClosed || entries.get(plugin.key) !== entry) return unload(entry);
    if (outcome.ok) {
      entry.indexed = { ...facts, registration: outcome.value };
      keep(plugin, entry.indexed);
      return;
    }
    const { kind, message } = outcome.error;
    const isOwnFault = kind === "failed" || kind === "crashed" || kind === "timeout";
    entry.state = isOwnFault ? "broken" : "unavailable";
    entry.why = isOwnFault ? brokenText(message, plugin.key) : message;
    // The policy hooks of the last working version stay active and block, because nothing else checks the calls.
    const guards = guardsOf(index.now.plugins[idOf(plugin)]?.registration);
    const indexed = { ...facts, ...(isOwnFault && { fault: message }), ...(guards && { registration: guards }) };
    entry.indexed = isOwnFault || guards ? indexed : undefined;
    if (isOwnFault) keep(plugin, indexed);
    if (!guards) await unload(entry);
  }

  async function activate(entry: ShelfEntry): Promise<void> {
    if (entry.state === "active" && !entry.indexed) {
      await unload(entry);
      await register(entry);
      if (entry.state !== "active" && entry.why !== undefined) say(entry.why);
    }
    const registration = entry.indexed?.registration;
    const isUsed = entry.state === "active" || entry.state === "broken" || entry.state === "unavailable";
    if (!load || entry.loaded || !registration || !isUsed || isClosed) return;
    const { plugin, permissions } = entry;
    entry.loaded = await load({
      plugin,
      registration,
      permissions,
      client: clientOf(entry),
      keepCheck: (tool, isAvailable) => keepCheck(entry, tool, isAvailable),
    });
  }

  async function activateAll(): Promise<void> {
    const waiting = [...entries.values()].filter(({ state, indexed }) => state === "active" && !indexed);
    // Plugins load in the order of their keys, so that the same plugin always wins if two register the same tool.
    for (const entry of entries.values()) if (!waiting.includes(entry)) await activate(entry);
    if (waiting.length === 0) return;
    const queue = [...waiting];
    const work = async (): Promise<void> => {
      for (let entry = queue.shift(); entry; entry = queue.shift()) {
        await activate(entry);
        waiting.splice(waiting.indexOf(entry), 1);
      }
    };
    const stop = new AbortController();
    const all = Promise.all(Array.from({ length: maxRegistering }, work));
    await Promise.race([all, trySleep(startWaitMs, AbortSignal.any([stop.signal, signal]), clock)]);
    stop.abort();
    const keys = waiting.map(({ plugin }) => plugin.key).join(", ");
    if (keys !== "") say(`These plugins are still loading: ${keys}. Their tools appear when they are ready.`);
  }

  async function unload(entry: ShelfEntry): Promise<void> {
    const { loaded, client } = entry;
    entry.loaded = entry.client = undefined;
    await loaded?.[Symbol.asyncDispose]();
    await client?.[Symbol.asyncDispose]();
  }

  /** Runs changes one after another. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = changing.then(run);
    changing = next.catch(() => undefined);
    return next;
  }

  async function find(name: string): Promise<Result<ShelfEntry, string>> {
    const named = () => entries.get(name) ?? [...entries.values()].find(({ plugin }) => plugin.manifest.name === name);
    if (!named()) await search(true);
    const entry = named();
    if (entry) return ok(entry);
    const broken = problems.find(({ path }) => path.endsWith(`/${name}`));
    return err(broken?.message ?? `There is no plugin ${name}. ${didYouMean(name, [...entries.keys()])}`.trim());
  }

  async function save(entry: ShelfEntry, isEnabled: boolean): Promise<Result<void, string>> {
    const { key, manifest } = entry.plugin;
    const without = (list: readonly string[]) => list.filter((each) => each !== key && each !== manifest.name);
    const lists = [without(enabled), without(disabled)] as const;
    const [on, off] = isEnabled ? [[...lists[0], key], lists[1]] : [lists[0], [...lists[1], key]];
    const saved = await deps.saveLists(on, off);
    if (saved.ok) [enabled, disabled] = [on, off];
    return saved;
  }

  await search(false);
  return {
    list: () => Array.from(entries.values(), statusOf),
    get problems() {
      return problems;
    },
    saveIndex: () => index.save(),
    client: (key) => entries.get(key)?.client,
    join: (target) =>
      inTurn(async () => {
        load = target;
        for (const { message } of unknown) say(message);
        for (const { state, why } of entries.values()) if (why !== undefined && isNotable(state)) say(why);
        await activateAll();
      }),
    enable: (name) =>
      inTurn(async () => {
        const result = await find(name);
        if (!result.ok) return result;
        const entry = result.value;
        const pinned = await deps.acceptPin(entry.plugin);
        if (!pinned.ok) return err(pinned.error.message);
        const saved = await save(entry, true);
        if (!saved.ok) return saved;
        accept(entry.plugin);
        index.save();
        judge(entry);
        if (entry.state === "broken" && entry.indexed?.fault !== undefined)
          Object.assign(entry, { state: "active", why: undefined, indexed: undefined });
        await activate(entry);
        return ok(statusOf(entry));
      }),
    disable: (name) =>
      inTurn(async () => {
        const result = await find(name);
        if (!result.ok) return result;
        const saved = await save(result.value, false);
        if (!saved.ok) return saved;
        judge(result.value);
        await unload(result.value);
        return ok(statusOf(result.value));
      }),
    async tryRegistration(key) {
      const entry = entries.get(key);
      if (!entry) return err(`There is no plugin ${key}.`);
      await using client = await deps.createClient(
        entry.plugin,
        () => entry.permissions,
        () => {},
        () => watchFiles(entry),
      );
      const outcome = await deps.register(entry.plugin, client);
      return outcome.ok ? outcome : err(outcome.error.message);
    },
    forget: (key) =>
      inTurn(async () => {
        const entry = entries.get(key);
        if (!entry) return;
        entries.delete(key);
        await unload(entry);
        index.change((all) => withoutPlugin(all, entry.plugin));
      }),
    refresh: () =>
      inTurn(async () => {
        await search(true);
        for (const entry of entries.values()) {
          const isUsed = entry.state === "active" && entry.indexed !== undefined;
          if (entry.loaded && !isUsed) await unload(entry);
        }
        await activateAll();
      }),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(Array.from(entries.values(), unload));
      await index.written();
    },
  };
}
