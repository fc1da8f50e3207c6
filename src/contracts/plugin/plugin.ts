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
  /** Facts for a provider without endpoints, which is selected as `NAME/MODEL`. */
  facts?(model: string): ModelFacts;
}

/**
 * A server that uses a built-in protocol, selected as `NAME/MODEL` like a built-in provider: with keys, retries,
 * fallbacks and model lists. A built-in provider of the same name wins.
 */
export interface ProviderProfile {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly signUpUrl: string;
  /** A value of the setting `api_mode`. */
  readonly apiMode: string;
  readonly baseUrl: string;
  /** Empty: below the base address. */
  readonly modelsUrl: string;
  /** Variables with a key; the first one set wins. Empty: it needs no key. */
  readonly keyVars: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly temperature?: number;
  /** Tool results may contain images. */
  readonly hasImagesInResults: boolean;
  /** It routes requests by `prompt_cache_key`. */
  readonly hasCacheKey: boolean;
  /** True if its models accept images. Undefined: depends on the known facts of the model. */
  readonly vision?: boolean;
  /** Shown until its endpoint has listed its models. The first one is the default. */
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
  /** Loads the code; starts and connects nothing. */
  open(context: EnvironmentContext): Promise<Result<EnvironmentFactory, EnvironmentError>>;
}

export interface EnvironmentContext {
  readonly startedIn: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shows a sentence to the person. */
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
  /** Unique: the plugin and the id. */
  readonly name: string;
  readonly id: string;
  readonly plugin: string;
  /** `after_memory`, or another position in the prompt. */
  readonly position: string;
  /** The text for a new session. Empty: none. Never rejects. */
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

/** Supplies values of environment variables from elsewhere. */
export interface SecretSourceContribution {
  readonly name: string;
  /** The values that it has, by variable. Never rejects. */
  fetch(names: readonly string[], signal: AbortSignal): Promise<Result<Readonly<Record<string, string>>>>;
}

/** A model slot that the settings can fill: `auxiliary.<name>`. */
export interface AuxiliaryTaskContribution {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  /** Defaults of the slot, by the names of the settings. */
  readonly defaults: JsonObject;
}

/** Its name is a value of `context.engine`. */
export interface ContextEngineContribution {
  readonly name: string;
  create(session: {
    readonly model: AuxiliaryModel;
    readonly redactor: Redactor;
    readonly clock: Clock;
  }): ContextEngine;
}

/** Its name is a value of `memory.provider`. */
export interface MemoryProviderContribution {
  readonly name: string;
  /** Undefined: the settings are incomplete. */
  create(context: { readonly clock: Clock; readonly log: Logger }): MemoryProvider | undefined;
}
