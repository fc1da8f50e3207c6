import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import type { AttemptEvent, ModelError, ModelProvider, ModelRequest } from "../../contracts/model/model.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";
import type { ProviderContribution, ProviderProfile, RewriteBody } from "../../contracts/plugin/plugin.ts";
import type { PluginRegistration, ProviderRegistration } from "../../contracts/plugin/registration.ts";
import { inOriginalForm, readOriginalMessages } from "../original-messages.ts";
import { asJson, type PluginObject, pluginObject } from "./plugin-object.ts";

const hookTimeoutMs = 5000;
/** The time limit for listing models. Python Hermes allows 8 s. */
const listTimeoutMs = 10_000;
const assumedWindow = 128_000;

/** Providers that describe a model server: the host sends the requests, and the plugin's hooks change them. */
export function pluginProfiles(
  { providers }: PluginRegistration,
  client: PluginClient,
  report: (sentence: string) => void,
): readonly ProviderProfile[] {
  return providers
    .filter(({ streams }) => !streams)
    .flatMap((provider) => {
      const { name, baseUrl, authType, apiMode } = provider;
      const fault =
        baseUrl === ""
          ? "the profile has no base_url"
          : authType !== "api_key" && authType !== "none"
            ? `auth_type ${authType} is not supported for providers that plugins describe`
            : apiModes.includes(apiMode)
              ? undefined
              : `api_mode ${apiMode} is not supported; use one of ${apiModes.join(", ")}`;
      if (fault !== undefined) report(`The provider ${name} of the plugin ${client.key} is not loaded: ${fault}`);
      return fault === undefined ? [profileOf(provider, pluginObject(client, provider.id))] : [];
    });
}

const apiModes = ["chat_completions", "anthropic_messages", "codex_responses", "responses", "gemini"];

function profileOf(provider: ProviderRegistration, object: PluginObject): ProviderProfile {
  const { name, aliases, displayName, signupUrl, apiMode, baseUrl, modelsUrl, envVars, defaultHeaders, hooks } =
    provider;
  const { fields, authType } = provider;
  const models = asTexts(fields["fallback_models"]);
  const defaultModel = fields["default_model"];
  const auxModel = fields["default_aux_model"];
  const temperature = fields["fixed_temperature"];
  const has = (hook: string) => hooks.includes(hook);
  const changesBody = bodyHooks.some(has) || typeof fields["default_max_tokens"] === "number";
  return {
    name,
    aliases,
    title: displayName || name,
    signUpUrl: signupUrl,
    apiMode,
    baseUrl,
    modelsUrl,
    keyVars: authType === "none" ? [] : envVars,
    headers: defaultHeaders,
    hasImagesInResults: fields["supports_vision_tool_messages"] !== false,
    hasCacheKey: fields["supports_prompt_cache_key"] === true,
    models: typeof defaultModel === "string" ? [...new Set([defaultModel, ...models])] : models,
    ...(typeof temperature === "number" && { temperature }),
    ...(fields["supports_vision"] === true && { vision: true }),
    ...(typeof auxModel === "string" && auxModel !== "" && { auxModel }),
    ...(changesBody && { rewriteBody: bodyRewriter(provider, object) }),
    ...(has("fetch_models") && {
      fetchModels: async (key, signal) => {
        const kwargs = { api_key: key ?? null, timeout: 8 };
        const answer = await object.call("fetch_models", [], { signal, timeoutMs: listTimeoutMs, kwargs });
        if (!answer.ok) return err({ message: answer.error.message });
        return answer.value === null ? ok(models) : ok(asTexts(answer.value));
      },
    }),
  };
}

const bodyHooks = [
  "prepare_messages",
  "build_extra_body",
  "build_api_kwargs_extras",
  "get_max_tokens",
  "supported_reasoning_efforts",
];

/**
 * Runs the hooks of the provider profile in the order of Python Hermes. A failed hook fails the request, because the
 * request body would be wrong.
 */
function bodyRewriter({ name, hooks, fields, baseUrl }: ProviderRegistration, object: PluginObject): RewriteBody {
  return async (given, { model, reasoning, conversation }, signal) => {
    const context: JsonObject = {
      session_id: conversation ?? null,
      model,
      base_url: baseUrl,
      reasoning_config: reasoning === undefined ? null : reasoningConfig(reasoning),
    };
    let body = given;
    let fault: string | undefined;
    const run = async (hook: string, args: readonly JsonValue[], kwargs?: JsonObject): Promise<unknown> => {
      if (fault !== undefined || !hooks.includes(hook)) return undefined;
      const answer = await object.call(hook, args, { signal, timeoutMs: hookTimeoutMs, ...(kwargs && { kwargs }) });
      if (!answer.ok) fault = answer.error.message;
      return answer.ok ? answer.value : undefined;
    };
    const merge = (more: unknown) => {
      // The cast is safe: the answer of a plugin was validated as JSON.
      if (isObject(more)) body = { ...body, ...(more as JsonObject) };
    };
    const { messages } = body;
    if (Array.isArray(messages)) {
      const prepared = await run("prepare_messages", [messages as JsonValue]);
      if (prepared !== undefined && prepared !== null) {
        if (!Array.isArray(prepared) || !prepared.every(isObject)) fault ??= "prepare_messages must return a list";
        else body = { ...body, messages: prepared as JsonValue };
      }
    }
    merge(await run("build_extra_body", [], context));
    const extras = await run("build_api_kwargs_extras", [], context);
    for (const part of Array.isArray(extras) ? (extras as readonly unknown[]) : [extras]) {
      // Options of the OpenAI library. The body of a request does not contain them; `extra_body` is merged into it.
      const { extra_body: inner, extra_headers: _, ...rest } = isObject(part) ? part : {};
      merge(rest);
      merge(inner);
    }
    const limit = (await run("get_max_tokens", [model])) ?? fields["default_max_tokens"];
    if (typeof limit === "number" && limit > 0 && !maxTokensFields.some((field) => field in body)) {
      body = { ...body, max_tokens: limit };
    }
    body = withEffort(body, await run("supported_reasoning_efforts", [model]));
    return fault === undefined ? ok(body) : err({ message: `Provider ${name}: ${fault}` });
  };
}

const maxTokensFields = ["max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig"];

function reasoningConfig(effort: string): JsonObject {
  return effort === "off" ? { enabled: false, effort: "none" } : { enabled: true, effort };
}

/**
 * Removes the reasoning effort if the model supports none. Otherwise replaces an unsupported effort by the next lower
 * supported one, or by the lowest.
 */
function withEffort(body: JsonObject, supported: unknown): JsonObject {
  const { reasoning_effort: effort, ...rest } = body;
  if (!Array.isArray(supported) || typeof effort !== "string" || supported.includes(effort)) return body;
  const usable = efforts.filter((each) => supported.includes(each));
  const below = usable.filter((each) => efforts.indexOf(each) <= efforts.indexOf(effort));
  const nearest = below.at(-1) ?? usable[0];
  return nearest === undefined ? rest : { ...body, reasoning_effort: nearest };
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Providers that answer model requests in the plugin's process. Users select them as `NAME/MODEL`. */
export function pluginProviders(
  { providers }: PluginRegistration,
  client: PluginClient,
): readonly ProviderContribution[] {
  return providers
    .filter(({ streams }) => streams)
    .map(({ id, name, fields }) => ({
      name,
      connect: (_endpoint) => streamingProvider(name, pluginObject(client, id)),
      facts: (model) => ({
        provider: name,
        model,
        contextTokens: positive(fields["context_length"]) ?? assumedWindow,
        contextSource: positive(fields["context_length"]) === undefined ? "assumed" : "config",
        vision: fields["supports_vision"] === true,
      }),
    }));
}

function streamingProvider(name: string, object: PluginObject): ModelProvider {
  return {
    id: name,
    async *stream(request, signal) {
      const broken = (message: string): AttemptEvent => ({ type: "error", error: { kind: "malformed", message } });
      for await (const streamed of object.stream("stream", [asJson(request)], signal)) {
        if ("result" in streamed) break;
        const event = "fault" in streamed ? faultEvent(streamed.fault) : readEvent(streamed.item, request);
        yield event ?? broken(`the provider ${name} sent an invalid event`);
        if (!event || event.type === "finish" || event.type === "error") return;
      }
      yield broken(`the provider ${name} ended without an answer`);
    },
  };
}

function faultEvent({ kind, message }: PluginFault): AttemptEvent {
  const kinds: Readonly<Record<PluginFault["kind"], ModelError["kind"]>> = {
    unavailable: "invalid_request",
    refused: "invalid_request",
    failed: "server",
    crashed: "network",
    timeout: "stalled",
    aborted: "aborted",
  };
  return { type: "error", error: { kind: kinds[kind], message } };
}

function readEvent(item: unknown, request: Pick<ModelRequest, "model">): AttemptEvent | undefined {
  if (!isObject(item)) return undefined;
  const { type, delta } = item;
  if ((type === "text" || type === "reasoning") && typeof delta === "string") return { type, delta };
  if (type === "call" && typeof delta === "string" && Number.isInteger(item["index"])) {
    const name = item["name"];
    return { type, index: Number(item["index"]), delta, ...(typeof name === "string" && { name }) };
  }
  if (type === "error") {
    const { kind, message } = isObject(item["error"]) ? item["error"] : {};
    const text = typeof message === "string" ? message : `${request.model} failed`;
    return { type, error: { kind: errorKinds.find((each) => each === kind) ?? "server", message: text } };
  }
  return type === "finish" ? readFinish(item) : undefined;
}

const errorKinds = [
  "rate_limited",
  "overloaded",
  "server",
  "auth",
  "billing",
  "not_found",
  "content_policy",
  "context_overflow",
  "invalid_request",
  "network",
  "aborted",
] as const;

/** Reads the answer in our format or in the format of Python Hermes. */
function readFinish({ message, usage }: Record<string, unknown>): AttemptEvent | undefined {
  if (!isObject(message)) return undefined;
  const { reasoning, stop } = message;
  const [read] = readOriginalMessages([inOriginalForm({ ...message, role: "assistant" })]) ?? [];
  if (read?.role !== "assistant") return undefined;
  const stops = ["end", "calls", "length", "refused"] as const;
  return {
    type: "finish",
    message: {
      ...read,
      stop: stops.find((each) => each === stop) ?? read.stop,
      ...(typeof reasoning === "string" && reasoning !== "" && { reasoning }),
    },
    usage: readUsage(usage),
  };
}

function readUsage(usage: unknown) {
  if (!isObject(usage)) return undefined;
  const count = (field: string) => positive(usage[field]) ?? 0;
  return {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    reasoning: count("reasoning"),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

function asTexts(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === "string" && each !== "" && !/\s/u.test(each))
    : [];
}
