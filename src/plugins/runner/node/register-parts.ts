import { isObject, type JsonObject, ownValue } from "../../../base/json.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { hookAliases, hookFacts, type HookName, originalHookNames } from "../../../contracts/host/hook.ts";
import type { MiddlewareName } from "../../../contracts/host/middleware.ts";
import {
  type Plugin,
  type PluginCliCommand,
  type PluginCommand,
  type PluginHook,
  type PluginParts,
  type PluginPromptSection,
  type PluginProvider,
} from "../../../contracts/plugin/author.ts";
import {
  handlerHook,
  type HookRegistration,
  type PluginRegistration,
  type ProviderRegistration,
  type ToolRegistration,
} from "../../../contracts/plugin/registration.ts";
import type { PluginUi, UiKind, UiRegistration } from "../../../contracts/plugin/ui.ts";
import type { LoadParams } from "../../../contracts/plugin/wire.ts";
import { isTool } from "../../../contracts/tool/define-tool.ts";
import type { Tool } from "../../../contracts/tool/tool.ts";
import { type Callable, checkParts, middlewareNames } from "./check-parts.ts";

/** The parts of a plugin: their data for the host, and their functions by the ids in that data. */
export interface RegisteredParts {
  readonly registration: PluginRegistration;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly hooks: ReadonlyMap<string, Callable>;
  readonly middleware: ReadonlyMap<string, Callable>;
  readonly commands: ReadonlyMap<string, PluginCommand>;
  readonly cliCommands: ReadonlyMap<string, PluginCliCommand>;
  readonly sections: ReadonlyMap<string, PluginPromptSection>;
  /**
   * All registered objects by id: providers, environments, platforms, policies, context engines, memory providers,
   * secret sources and backends.
   */
  readonly objects: ReadonlyMap<string, object>;
}

/** Registers the parts of a plugin. Throws a TypeError that explains the mistake and the correct form. */
export async function registerParts(plugin: Plugin, given: unknown, load: LoadParams): Promise<RegisteredParts> {
  const { parts, warnings } = checkParts(given);
  const hooks = new Map<string, Callable>();
  const middleware = new Map<string, Callable>();
  const objects = new Map<string, object>();

  function identify<T extends { readonly name: string }, R>(
    kind: string,
    list: readonly T[] = [],
    register: (identity: Identity, part: T) => R,
  ): R[] {
    return list.map((part, index) => {
      const id = `${kind}:${index}:${part.name}`;
      objects.set(id, part);
      return register({ id, name: part.name }, part);
    });
  }
  const alone = (identity: Identity) => identity;
  const withMethods = (identity: Identity, part: object) => ({ ...identity, methods: methodsOf(part) });

  const registration: PluginRegistration = {
    tools: await Promise.all((parts.tools ?? []).map((tool, index) => registerTool(tool, index, plugin, load))),
    toolsets: (parts.toolsets ?? []).map(({ name, description, tools }) => ({ name, description, tools })),
    hooks: hookList(parts.hooks).flatMap((hook, index) => {
      const registered = registerHook(hook, index, warnings);
      if (registered === undefined) return [];
      // The cast is safe: the type of the event follows from the hook's name.
      hooks.set(registered.id, hook.run as Callable);
      return [registered];
    }),
    middleware: Object.entries(parts.middleware ?? {}).map(([name, run]) => {
      const id = `middleware:0:${name}`;
      middleware.set(id, run.bind(parts.middleware) as Callable);
      // The cast is safe: `checkParts` rejects other names.
      return { id, kind: middlewareNames[name as MiddlewareName] };
    }),
    commands: (parts.commands ?? []).map(({ name, aliases = [], summary, args = "" }) => ({
      name,
      aliases,
      summary,
      args,
    })),
    cliCommands: (parts.cliCommands ?? []).map(({ name, summary, usage = "" }) => ({ name, summary, usage })),
    providers: identify("provider", parts.providers, registerProvider),
    environments: identify("environment", parts.environments, alone),
    platforms: identify("platform", parts.platforms, (identity, { label, limits, requiredEnv = [] }) => ({
      ...identity,
      label: label ?? identity.name,
      messageChars: limits.messageChars,
      edits: limits.edits,
      typing: limits.typing,
      requiredEnv,
    })),
    policies: identify("policy", parts.policies, alone),
    skills: (parts.skills ?? []).map(({ name, path, description = "" }) => ({ name, path, description })),
    promptSections: (parts.promptSections ?? []).map(({ id, position = "after_memory", maxChars = 4000, content }) => ({
      id,
      position,
      maxChars,
      ...(typeof content === "string" && { content }),
    })),
    contextEngines: identify("context-engine", parts.contextEngines, withMethods),
    memoryProviders: identify("memory-provider", parts.memoryProviders, withMethods),
    secretSources: identify("secret-source", parts.secretSources, alone),
    backends: (parts.backends ?? []).map((part) => {
      const { kind, name, title = name } = part;
      const id = `backends:${kind}:${name}`;
      objects.set(id, part);
      return { id, kind, name, title, hasCheck: part.isAvailable !== undefined };
    }),
    auxiliaryTasks: (parts.auxiliaryTasks ?? []).map(({ key, displayName = key, description = "", defaults = {} }) => ({
      key,
      displayName,
      description,
      defaults,
    })),
    ui: uiParts(parts.ui, objects),
    unsupported: [],
    warnings,
  };
  const byName = <T extends { readonly name: string }>(list: readonly T[] = []): ReadonlyMap<string, T> =>
    new Map(list.map((part) => [part.name, part]));
  return {
    registration,
    tools: byName(parts.tools),
    hooks,
    middleware,
    commands: byName(parts.commands),
    cliCommands: byName(parts.cliCommands),
    sections: new Map((parts.promptSections ?? []).map((section) => [section.id, section])),
    objects,
  };
}

/** The parts of the full-screen interface as data. Their functions stay in this process, by id. */
function uiParts(ui: PluginUi = {}, objects: Map<string, object>): readonly UiRegistration[] {
  const register = (kind: UiKind, part: object & { readonly name: string }, data: Partial<UiRegistration>) => {
    const id = `ui:${kind}:${part.name}`;
    objects.set(id, part);
    const defaults = { title: part.name, text: "", chord: "", everySeconds: 10, priority: 100, fields: [] };
    return { ...defaults, ...data, id, kind, name: part.name };
  };
  const { segments = [], keys = [], panels = [], dialogs = [] } = ui;
  return [
    ...segments.map((part) => {
      const { everySeconds = 10, priority = 100 } = part;
      return register("segment", part, { everySeconds, priority });
    }),
    ...keys.map((part) => register("key", part, { chord: part.chord, title: part.summary })),
    ...panels.map((part) => register("panel", part, { title: part.title })),
    ...dialogs.map((part) => {
      const { title, text = "", fields } = part;
      return register("dialog", part, { title, text, fields });
    }),
  ];
}

interface Identity {
  readonly id: string;
  readonly name: string;
}

async function registerTool(
  tool: Tool,
  index: number,
  { overrides = [] }: Plugin,
  { name: plugin }: LoadParams,
): Promise<ToolRegistration> {
  if (!isTool(tool)) {
    const label = isObject(tool) && typeof tool["name"] === "string" ? JSON.stringify(tool["name"]) : index + 1;
    throw new TypeError(
      `tool ${label} was not created with defineTool. Write: defineTool({ name, description, input: z.object({ … }), run(args, ctx) { … } })`,
    );
  }
  const foreign = tool.needs.filter((service) => service !== "call");
  if (foreign.length > 0) {
    throw new TypeError(
      `tool ${tool.name} needs ${foreign.join(", ")}, which exists only in Hermes' own process. A plugin can declare the need "call" and call tools: ctx.call("read_file", { … })`,
    );
  }
  const { timeoutMs, maxResultChars } = tool.traits;
  const isAvailable = await availability(tool);
  return {
    name: tool.name,
    toolset: tool.toolset || plugin,
    description: tool.description,
    inputSchema: tool.inputSchema,
    emoji: tool.emoji,
    requiresEnv: tool.requiresEnv,
    overrides: overrides.includes(tool.name),
    declaresEffects: tool.declaresEffects === true,
    ...(tool.traits.callers !== "model" && { isForScripts: true }),
    ...(isAvailable !== undefined && { isAvailable }),
    ...(isLimit(timeoutMs) && { timeoutMs }),
    ...(isLimit(maxResultChars) && { maxResultChars }),
  };
}

/** Undefined if the tool has no availability check. A tool whose check throws is unavailable. */
async function availability({ check }: Tool): Promise<boolean | undefined> {
  if (!check) return undefined;
  try {
    return await check(AbortSignal.timeout(maxCheckMs));
  } catch {
    return false;
  }
}

const maxCheckMs = 5_000;

function isLimit(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function hookList(hooks: PluginParts["hooks"] = []): readonly PluginHook[] {
  if (Array.isArray(hooks)) return hooks as readonly PluginHook[];
  // The cast is safe: the keys of the type are the names of hooks.
  return Object.entries(hooks).map(([name, run]) => ({ name, run }) as PluginHook);
}

function registerHook(
  { name, run, policy = false, timeoutMs }: PluginHook,
  index: number,
  warnings: string[],
): HookRegistration | undefined {
  if (typeof run !== "function") throw new TypeError(`hook ${name} must be a function: ${name}(event, signal) { … }`);
  if ((name as string) === handlerHook) {
    return { id: handlerHook, hook: handlerHook, original: handlerHook, isPolicy: false, mayAnswer: false };
  }
  const alias = ownValue<string>(hookAliases, name) ?? name;
  const renamed = ownValue<HookName>(originalHookNames, alias);
  // The cast is safe: the keys of `hookFacts` are the names of all hooks.
  const hook = renamed ?? (Object.hasOwn(hookFacts, name) ? (name as HookName) : undefined);
  if (hook === undefined) {
    const names = [...Object.keys(hookFacts), ...Object.keys(originalHookNames)];
    warnings.push(`There is no hook ${name}. ${didYouMean(name, names)}`.trim());
    return undefined;
  }
  return {
    id: `hook:${index}:${name}`,
    hook,
    ...(renamed && { original: alias }),
    isPolicy: policy,
    mayAnswer: hookFacts[hook].kind === "interceptor",
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function registerProvider(identity: Identity, provider: PluginProvider): ProviderRegistration {
  return {
    ...identity,
    aliases: provider.aliases ?? [],
    displayName: provider.displayName ?? provider.name,
    description: provider.description ?? "",
    signupUrl: provider.signupUrl ?? "",
    apiMode: provider.apiMode ?? "chat_completions",
    envVars: provider.envVars ?? [],
    baseUrl: provider.baseUrl ?? "",
    modelsUrl: provider.modelsUrl ?? "",
    authType: provider.authType ?? "api_key",
    defaultHeaders: provider.defaultHeaders ?? {},
    fields: provider.fields ?? {},
    hooks: Object.keys(provider.hooks ?? {}),
    streams: provider.stream !== undefined,
  };
}

/** The names of an object's functions, including those of its class. */
function methodsOf(object: object): readonly string[] {
  const names = new Set<string>();
  for (let level: object = object; level !== Object.prototype && level !== null; level = Object.getPrototypeOf(level))
    for (const name of Object.getOwnPropertyNames(level))
      if (name !== "constructor" && typeof (object as JsonObject)[name] === "function") names.add(name);
  return [...names].toSorted();
}
