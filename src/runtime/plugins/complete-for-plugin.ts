import { checkJson, isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelClient, ModelRequest, Usage } from "../../contracts/model/model.ts";
import type { CompletionParams, CompletionResult } from "../../contracts/plugin/wire.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import type { Models } from "../models/models.ts";
import type { LiveSession } from "../session/session-deps.ts";

/** The choices that a plugin has for its model requests: the setting `plugins.entries.<id>.llm`. */
export type CompletionGrants = LoadedConfig["values"]["plugins"]["entries"][string]["llm"];

export interface CompletionDeps {
  readonly plugin: string;
  readonly grants: CompletionGrants | undefined;
  /** Auxiliary tasks that the plugin itself registered. */
  readonly ownTasks: readonly string[];
  /** Undefined: the embedding program provides the models. */
  readonly models: () => Promise<Models | undefined>;
}

const maxMessages = 1000;
const maxChars = 2_000_000;
const defaultMaxTokens = 4096;

/** One answer of a model with the user's credentials, within the budget of the session. Never rejects. */
export async function completeForPlugin(
  given: Readonly<Record<string, unknown>>,
  live: LiveSession,
  deps: CompletionDeps,
  signal: AbortSignal,
): Promise<Result<CompletionResult, string>> {
  const params = readParams(given);
  if (!params.ok) return params;
  const refused = missingGrant(params.value, deps);
  if (refused !== undefined) return err(refused);
  const client = await clientFor(params.value, live, deps);
  if (!client.ok) return err(client.error.message);
  const { schema, task = "", purpose = "", maxTokens = defaultMaxTokens } = params.value;
  const request = { ...conversation(params.value), tools: [], maxTokens };
  const first = await ask(client.value, request, live, deps, signal);
  if (!first.ok) return first;
  const audit = { plugin: deps.plugin, session: live.session.id, task, purpose };
  if (schema === undefined) return ok({ ...first.value, audit });
  const read = await readStructured(first.value.text, schema);
  if (read.ok) return ok({ ...first.value, data: read.value, audit });
  // Asks the model once more, with the reason.
  const complaint = `That does not fit the schema: ${read.error}. Answer again with JSON alone.`;
  const again = { ...request, messages: [...request.messages, reply(first.value.text), prompt(complaint)] };
  const second = await ask(client.value, again, live, deps, signal);
  if (!second.ok) return second;
  const corrected = await readStructured(second.value.text, schema);
  if (!corrected.ok) return err(`The model did not answer with JSON that fits the schema: ${corrected.error}`);
  const usage = addUp(first.value.usage, second.value.usage);
  return ok({ ...second.value, usage, data: corrected.value, audit });
}

function readParams(given: Readonly<Record<string, unknown>>): Result<CompletionParams, string> {
  const checked = checkJson(given, { maxChars, maxDepth: 100 });
  if (!checked.ok) return err(`The request cannot be used: ${checked.error}`);
  const { messages, schema, ...rest } = checked.value as JsonObject;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > maxMessages) {
    return err(`messages must be a list of 1 to ${maxMessages} messages`);
  }
  const isMessage = (message: unknown) =>
    isObject(message) && typeof message["role"] === "string" && typeof message["content"] === "string";
  if (!messages.every(isMessage)) return err("every message needs a role and a content, both as text");
  if (schema !== undefined && schema !== null && !isObject(schema)) return err("schema must be a JSON Schema object");
  const texts = ["provider", "model", "task", "purpose", "sessionId"] as const;
  const numbers = ["maxTokens", "temperature"] as const;
  const kept = [
    ...texts.filter((name) => typeof rest[name] === "string" && rest[name] !== ""),
    ...numbers.filter((name) => typeof rest[name] === "number" && rest[name] >= 0),
  ].map((name) => [name, rest[name]] as const);
  // The cast is safe: each field was checked above.
  const read = { messages, ...Object.fromEntries(kept), ...(isObject(schema) && { schema }) };
  return ok(read as unknown as CompletionParams);
}

/** A sentence about a permission that the request needs but the plugin does not have. Undefined: none is missing. */
function missingGrant(params: CompletionParams, { plugin, grants, ownTasks }: CompletionDeps): string | undefined {
  const { provider, model, task } = params;
  const lacks = (what: string, key: string) =>
    `The plugin ${plugin} may not choose the ${what}. The person can allow it: hermes config set plugins.entries.${plugin}.llm.${key} true`;
  const outside = (what: string, value: string, key: string) =>
    `The plugin ${plugin} may not use the ${what} ${value}: plugins.entries.${plugin}.llm.${key} does not list it`;
  if (provider !== undefined) {
    if (!grants?.allow_provider_override) return lacks("provider", "allow_provider_override");
    if (!covers(grants.allowed_providers, provider)) return outside("provider", provider, "allowed_providers");
  }
  if (model !== undefined) {
    if (!grants?.allow_model_override) return lacks("model", "allow_model_override");
    if (!covers(grants.allowed_models, model)) return outside("model", model, "allowed_models");
    // `provider/model` names a provider, too.
    const [head = "", ...rest] = model.split("/");
    if (rest.length > 0 && provider === undefined && !grants.allow_provider_override)
      return lacks(`provider ${head}`, "allow_provider_override");
  }
  if (task !== undefined && !ownTasks.includes(task) && !grants?.allow_task_override) {
    return lacks("task", "allow_task_override");
  }
  return undefined;
}

function covers(list: readonly string[], value: string): boolean {
  return list.length === 0 || list.includes("*") || list.includes(value);
}

async function clientFor(
  { provider, model, task, temperature }: CompletionParams,
  live: LiveSession,
  { models: open }: CompletionDeps,
): Promise<Result<ModelClient>> {
  const main = live.model();
  if (provider === undefined && model === undefined && task === undefined && temperature === undefined) return ok(main);
  const models = await open();
  if (!models) return ok(main);
  const options = { isAlone: true, ...(temperature !== undefined && { temperature }) };
  if (provider !== undefined || model !== undefined) {
    const wish = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
    return models.client(wish, options);
  }
  const slot = task === undefined ? undefined : models.forTask(task, main.facts());
  if (slot) return slot;
  const { provider: own, model: name, offline } = main.facts();
  if (temperature === undefined || offline) return ok(main);
  const tempered = models.client({ provider: own, model: name }, options);
  return tempered.ok ? tempered : ok(main);
}

function conversation({ messages, schema }: CompletionParams): Pick<ModelRequest, "system" | "messages"> {
  const system = messages.flatMap(({ role, content }) => (role === "system" ? [{ text: content }] : []));
  const rest = messages.flatMap(({ role, content }): readonly Message[] => {
    if (role === "system") return [];
    return [role === "assistant" ? reply(content) : prompt(content)];
  });
  const rule = schema && [prompt(`Answer with JSON alone that fits this schema:\n${JSON.stringify(schema)}`)];
  return { system, messages: [...rest, ...(rule ?? [])] };
}

function prompt(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function reply(text: string): Message {
  return { role: "assistant", content: [{ type: "text", text }], calls: [], stop: "end" };
}

type Answered = Omit<CompletionResult, "audit" | "data">;

async function ask(
  client: ModelClient,
  request: Omit<ModelRequest, "model">,
  live: LiveSession,
  { plugin }: CompletionDeps,
  signal: AbortSignal,
): Promise<Result<Answered, string>> {
  const refused = await live.refusal();
  if (refused !== undefined) return err(refused);
  for await (const event of client.stream(request, signal)) {
    if (event.type === "error") return err(event.error.message);
    if (event.type !== "finish") continue;
    const { usage, by, message } = event;
    const { provider, model } = by;
    await live.book({ provider, model, task: `plugin:${plugin}`, usage });
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return ok({ text, provider, model, usage: shownUsage(usage) });
  }
  return err("The model ended without an answer");
}

function shownUsage({ input, output, costUsd }: Usage): CompletionResult["usage"] {
  return { input, output, ...(costUsd !== undefined && { costUsd }) };
}

function addUp(a: CompletionResult["usage"], b: CompletionResult["usage"]): CompletionResult["usage"] {
  const cost = a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd;
  return { input: a.input + b.input, output: a.output + b.output, ...(cost !== undefined && { costUsd: cost }) };
}

/** The JSON of an answer, which models often put between fences, if it matches the schema. */
async function readStructured(text: string, schema: JsonObject): Promise<Result<JsonValue, string>> {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/u.exec(text)?.[1];
  const parsed = parseJson(fenced ?? text.trim(), { maxChars, maxDepth: 100 });
  if (!parsed.ok) return parsed;
  try {
    const verdict = await fromJsonSchema(schema)["~standard"].validate(parsed.value);
    if (!verdict.issues) return parsed;
    const [issue] = verdict.issues;
    return err(`${(issue?.path ?? []).map(String).join(".")}: ${issue?.message ?? "it does not match the schema"}`);
  } catch {
    return err("the schema is not valid");
  }
}
