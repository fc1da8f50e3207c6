import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Result } from "../../base/result.ts";
import type { EnvironmentError, EnvironmentFactory } from "../environment/environment.ts";
import type { AuxiliaryModel } from "../host/ports.ts";
import type { MemoryProvider } from "../knowledge/memory.ts";
import type { ContextEngine } from "../model/context.ts";
import type { ModelFacts, ModelProvider, ModelRequest } from "../model/model.ts";
import type { Redactor } from "../tool/dispatch.ts";

/** Connects to models. Its name is the protocol of endpoints (`openai-chat`), or a provider without endpoints (`offline`). */
export interface ProviderContribution {
  readonly name: string;
  connect(endpoint: ProviderEndpoint, context: ProviderContext): ModelProvider;
  /** Returns facts about a model. Only for a provider without endpoints, which is selected as `NAME/MODEL`. */
  facts?(model: string): ModelFacts;
}

/**
 * A model provider that uses a built-in protocol. It is selected as `NAME/MODEL` like a built-in provider, with keys,
 * retries, fallbacks and model lists. A built-in provider of the same name takes precedence.
 */
export interface ProviderProfile {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly signUpUrl: string;
  /** A value of the setting `api_mode`. */
  readonly apiMode: string;
  readonly baseUrl: string;
  /** The address of the model list. Empty: a path below the base address. */
  readonly modelsUrl: string;
  /** Environment variables that contain a key; the first one that is set is used. Empty: the provider needs no key. */
  readonly keyVars: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly temperature?: number;
  /** True if tool results may contain images. */
  readonly hasImagesInResults: boolean;
  /** True if the provider routes requests by `prompt_cache_key`. */
  readonly hasCacheKey: boolean;
  /** True if the provider's models accept images. Undefined: decided by the known facts of the model. */
  readonly vision?: boolean;
  /** Models that are shown until the endpoint has listed its models. The first one is the default. */
  readonly models: readonly string[];
  /** A cheap model for auxiliary tasks. */
  readonly auxModel?: string;
  /** Changes the body of a request before it is sent. Never rejects. */
  readonly rewriteBody?: RewriteBody;
  /** Lists its models. Never rejects. */
  readonly fetchModels?: (key: string | undefined, signal: AbortSignal) => Promise<Result<readonly string[]>>;
}

export type RewriteBody = (
  body: JsonObject,
  request: Pick<ModelRequest, "model" | "reasoning" | "conversation">,
  signal: AbortSignal,
) => Promise<Result<JsonObject>>;

/** The location of a model. Each protocol adds its own fields. */
export interface ProviderEndpoint {
  readonly providerId: string;
  readonly protocol: string;
}

export interface ProviderContext {
  readonly clock: Clock;
}

/**
 * An environment for commands. Its name is a value of `terminal.backend`, or of `terminal.plugin_environment` for
 * plugins.
 */
export interface EnvironmentContribution {
  readonly name: string;
  /** Loads the code of the backend. Neither starts nor connects anything. */
  open(context: EnvironmentContext): Promise<Result<EnvironmentFactory, EnvironmentError>>;
}

export interface EnvironmentContext {
  readonly startedIn: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shows a sentence to the user. */
  readonly say: (sentence: string) => void;
}

/** A command of the command line: `hermes NAME`. */
export interface CliCommandContribution {
  readonly name: string;
  readonly summary: string;
  /** Arguments, as `--help` prints them after the name. */
  readonly usage: string;
  /** The command handles `--help` itself. */
  readonly hasOwnHelp: boolean;
  readonly plugin: string;
  /** Returns the exit code. Never rejects. */
  run(args: readonly string[], host: CliCommandHost): Promise<number>;
}

export interface CliCommandHost {
  /** Width of the terminal. */
  readonly columns: number;
  print(text: string, isError: boolean): void;
  readonly signal: AbortSignal;
}

/** A part of the system prompt. */
export interface PromptSectionContribution {
  /** A unique name: the plugin and the id of the section. */
  readonly name: string;
  readonly id: string;
  readonly plugin: string;
  /** `after_memory`, or another position in the prompt. */
  readonly position: string;
  /** Returns the text for a new session. Empty: no section. Never rejects. */
  render(info: JsonObject, signal: AbortSignal): Promise<string>;
}

/** A skill in the folder of a plugin. */
export interface SkillContribution {
  /** `plugin:name`. */
  readonly name: string;
  /** The folder or its SKILL.md, absolute. */
  readonly path: string;
  readonly description: string;
}

/** Supplies values of environment variables from another source, such as a password manager. */
export interface SecretSourceContribution {
  readonly name: string;
  /** Returns the values that the source has, by variable name. Never rejects. */
  fetch(names: readonly string[], signal: AbortSignal): Promise<Result<Readonly<Record<string, string>>>>;
}

/** A model slot that the settings can fill: `auxiliary.<name>`. */
export interface AuxiliaryTaskContribution {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** The defaults of the slot, with the keys of the settings. */
  readonly defaults: JsonObject;
}

/** The name of the engine, used as a value of `context.engine`. */
export interface ContextEngineContribution {
  readonly name: string;
  create(session: {
    readonly model: AuxiliaryModel;
    readonly redactor: Redactor;
    readonly clock: Clock;
  }): ContextEngine;
}

/** The name of the provider, used as a value of `memory.provider`. */
export interface MemoryProviderContribution {
  readonly name: string;
  /** Opens the provider. Undefined if its settings are incomplete. */
  create(context: { readonly clock: Clock; readonly log: Logger }): MemoryProvider | undefined;
}
