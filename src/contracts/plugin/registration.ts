import type { JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";
import type { BackendKind } from "./backend.ts";
import type { UiRegistration } from "./ui.ts";

/**
 * The contributions that a plugin registered, as plain data. It is the response of the plugin's process to `load`, and
 * is stored in the plugin index. The functions stay in the process; the host calls them by `id` or name. Every list may
 * be empty.
 */
export interface PluginRegistration {
  readonly tools: readonly ToolRegistration[];
  readonly toolsets: readonly {
    readonly name: string;
    readonly description: string;
    readonly tools: readonly string[];
  }[];
  readonly hooks: readonly HookRegistration[];
  readonly middleware: readonly { readonly id: string; readonly kind: MiddlewareKind }[];
  /** Slash commands. */
  readonly commands: readonly CommandRegistration[];
  /** `hermes NAME` commands. */
  readonly cliCommands: readonly { readonly name: string; readonly summary: string; readonly usage: string }[];
  readonly providers: readonly ProviderRegistration[];
  /** Environments that run shell scripts: the request `object.stream` with the method `run`. */
  readonly environments: readonly { readonly id: string; readonly name: string }[];
  readonly platforms: readonly PlatformRegistration[];
  readonly policies: readonly { readonly id: string; readonly name: string }[];
  readonly skills: readonly SkillRegistration[];
  readonly promptSections: readonly PromptSectionRegistration[];
  readonly contextEngines: readonly {
    readonly id: string;
    readonly name: string;
    readonly methods: readonly string[];
  }[];
  readonly memoryProviders: readonly {
    readonly id: string;
    readonly name: string;
    readonly methods: readonly string[];
  }[];
  readonly secretSources: readonly { readonly id: string; readonly name: string }[];
  readonly backends: readonly BackendRegistration[];
  readonly auxiliaryTasks: readonly AuxiliaryTaskRegistration[];
  /** Elements of the full-screen chat. */
  readonly ui: readonly UiRegistration[];
  /**
   * Members of the Python version's `ctx` that the plugin used and that this host does not support. `hermes plugins
   * doctor` shows them.
   */
  readonly unsupported: readonly { readonly member: string; readonly detail: string }[];
  /**
   * Mistakes that did not stop the registration, such as an unknown hook (with the most similar name) or a section that
   * is too long.
   */
  readonly warnings: readonly string[];
}

export interface BackendRegistration {
  readonly id: string;
  readonly kind: BackendKind;
  readonly name: string;
  readonly title: string;
  /** True if the object has a method `isAvailable`. */
  readonly hasCheck: boolean;
}

export interface ToolRegistration {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly emoji: string;
  readonly requiresEnv: readonly string[];
  /** True if the tool should replace a tool of the same name. The operator must allow it. */
  readonly overrides: boolean;
  /**
   * The result of the tool's own availability check at registration. Undefined: the tool has no check. Refreshed by
   * `tool.check`.
   */
  readonly isAvailable?: boolean;
  /**
   * True if the tool declares the effects of a call (TypeScript): the request `tool.effects`. The effects may not
   * exceed the permissions.
   */
  readonly declaresEffects: boolean;
  /** True if scripts of `execute_code` may call the tool. */
  readonly isForScripts?: boolean;
  readonly timeoutMs?: number;
  readonly maxResultChars?: number;
}

/** Registered instead of a hook name: one function `handle(event_type, context)` for the events in the manifest. */
export const handlerHook = "handle";

export interface HookRegistration {
  readonly id: string;
  /** The hook name of Hermes (`beforeToolCall`), or `handlerHook`. */
  readonly hook: string;
  /** The hook name of the Python version, if the plugin used it. It determines the format of arguments and answers. */
  readonly original?: string;
  /** True if a crash, a timeout or a malformed answer of the hook blocks the call. */
  readonly isPolicy: boolean;
  /** True if the callback may answer. False: it only observes, even for a hook that accepts answers. */
  readonly mayAnswer: boolean;
  readonly timeoutMs?: number;
}

export const middlewareKinds = ["tool_request", "tool_execution", "llm_request", "llm_execution"] as const;
export type MiddlewareKind = (typeof middlewareKinds)[number];

export interface CommandRegistration {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** The arguments as help shows them: `[city]`. Empty: none. */
  readonly args: string;
}

/** A provider profile of the Python version, or of a TypeScript plugin. */
export interface ProviderRegistration {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly signupUrl: string;
  /** The protocol, named as in the Python version: `chat_completions`, `anthropic_messages`, `responses`, … */
  readonly apiMode: string;
  readonly envVars: readonly string[];
  readonly baseUrl: string;
  readonly modelsUrl: string;
  readonly authType: string;
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /** The remaining fields of the profile, named as in the Python version: capabilities, quirks, model lists. */
  readonly fields: JsonObject;
  /** Names of the profile's hooks that the plugin overrides. The host calls them with `provider.hook`. */
  readonly hooks: readonly string[];
  /** True if the plugin answers requests itself with `provider.stream` (TypeScript). */
  readonly streams: boolean;
}

export interface PlatformRegistration {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly messageChars: number;
  readonly edits: boolean;
  readonly typing: boolean;
  readonly requiredEnv: readonly string[];
}

export interface SkillRegistration {
  /** The name of the skill, shown as `plugin:name`. */
  readonly name: string;
  /** The absolute path of the folder or SKILL.md, inside the plugin's folder. */
  readonly path: string;
  readonly description: string;
}

export interface PromptSectionRegistration {
  readonly id: string;
  readonly position: string;
  readonly maxChars: number;
  /** The text of the section. Undefined: a function of the plugin creates it (`section.render`). */
  readonly content?: string;
}

export interface AuxiliaryTaskRegistration {
  readonly key: string;
  readonly displayName: string;
  readonly description: string;
  readonly defaults: JsonObject;
}

export const emptyRegistration: PluginRegistration = {
  tools: [],
  toolsets: [],
  hooks: [],
  middleware: [],
  commands: [],
  cliCommands: [],
  providers: [],
  environments: [],
  platforms: [],
  policies: [],
  skills: [],
  promptSections: [],
  contextEngines: [],
  memoryProviders: [],
  secretSources: [],
  backends: [],
  auxiliaryTasks: [],
  ui: [],
  unsupported: [],
  warnings: [],
};
