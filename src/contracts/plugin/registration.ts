import type { JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";
import type { BackendKind } from "./backend.ts";
import type { UiRegistration } from "./ui.ts";

/**
 * The registrations of a plugin, as plain data: the response of its process to `load`, stored in the plugin index. Its
 * functions stay in the process; the host calls them by `id` or name. Every list may be empty.
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
  /** Environments for shell scripts: `object.stream` with the method `run`. */
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
  /** Parts of the full screen. */
  readonly ui: readonly UiRegistration[];
  /** Members of the original's `ctx` that it used and this host does not have. Shown by `hermes plugins doctor`. */
  readonly unsupported: readonly { readonly member: string; readonly detail: string }[];
  /** Mistakes that did not stop the registration: an unknown hook with the nearest name, a section that is too long. */
  readonly warnings: readonly string[];
}

export interface BackendRegistration {
  readonly id: string;
  readonly kind: BackendKind;
  readonly name: string;
  readonly title: string;
  /** True if it has a method `isAvailable`. */
  readonly hasCheck: boolean;
}

export interface ToolRegistration {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly emoji: string;
  readonly requiresEnv: readonly string[];
  /** Requests to replace a tool of the same name, which the operator must allow. */
  readonly overrides: boolean;
  /** The result of its own check at registration. Undefined: it has no check. Refreshed by `tool.check`. */
  readonly isAvailable?: boolean;
  /** True if it declares the effects of a call (TypeScript): `tool.effects`. They may not exceed the permissions. */
  readonly declaresEffects: boolean;
  /** Scripts of `execute_code` may call it. */
  readonly isForScripts?: boolean;
  readonly timeoutMs?: number;
  readonly maxResultChars?: number;
}

/** Used instead of a hook name: one function `handle(event_type, context)` for the events in the manifest. */
export const handlerHook = "handle";

export interface HookRegistration {
  readonly id: string;
  /** Our name (`beforeToolCall`), or `handlerHook`. */
  readonly hook: string;
  /** The original's name, if the plugin used it; it decides the format of arguments and answers. */
  readonly original?: string;
  /** A crash, a timeout or a malformed answer blocks the call. */
  readonly isPolicy: boolean;
  /** The callback may answer. False: it only observes, even for a hook that can answer. */
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

/** A provider profile of the original, or one that a TypeScript plugin contributes. */
export interface ProviderRegistration {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly signupUrl: string;
  /** `chat_completions`, `anthropic_messages`, `responses`, …: one of our protocols by the original's name. */
  readonly apiMode: string;
  readonly envVars: readonly string[];
  readonly baseUrl: string;
  readonly modelsUrl: string;
  readonly authType: string;
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /** The remaining fields of the profile, by the original's names: capabilities, quirks, model lists. */
  readonly fields: JsonObject;
  /** Names of the profile's hooks that the plugin overrides. The host calls them with `provider.hook`. */
  readonly hooks: readonly string[];
  /** The plugin answers requests itself: `provider.stream` (TypeScript). */
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
  /** Shown as `plugin:name`. */
  readonly name: string;
  /** The folder or SKILL.md, absolute, inside the plugin's folder. */
  readonly path: string;
  readonly description: string;
}

export interface PromptSectionRegistration {
  readonly id: string;
  readonly position: string;
  readonly maxChars: number;
  /** Undefined: a function creates the content: `section.render`. */
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
