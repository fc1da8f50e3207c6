import { isObject } from "../../base/json.ts";
import type { ContextEngine, FitOutcome, FitRequest } from "../../contracts/model/context.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { ContextEngineContribution } from "../../contracts/plugin/plugin.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import { inOriginalForm, originalMessages, readOriginalMessages } from "../original-messages.ts";
import { asJson, type PluginObject, pluginObject } from "./plugin-object.ts";

/** Compaction gets a long timeout because it may call a model. */
const fitTimeoutMs = 180_000;
const thresholdTimeoutMs = 5000;
/** The compaction threshold of Python Hermes, used until the plugin's engine returns its own. */
const defaultThresholdShare = 0.75;

/** The context engines of a plugin. They implement our methods (`fit`) or those of Python Hermes (`compress`). */
export function pluginEngines(
  { contextEngines }: PluginRegistration,
  client: PluginClient,
): readonly ContextEngineContribution[] {
  return contextEngines.map(({ id, name, methods }) => ({
    name,
    create: () => createEngine(name, pluginObject(client, id), methods),
  }));
}

function createEngine(name: string, object: PluginObject, methods: readonly string[]): ContextEngine {
  const thresholds = new Map<string, number>();
  const fit = methods.includes("fit") ? fitByOwn : fitByOriginal;

  async function learnThreshold(key: string, model: ModelFacts): Promise<void> {
    const limits = { signal: new AbortController().signal, timeoutMs: thresholdTimeoutMs };
    const answer = await object.call("threshold", [asJson(model)], limits);
    if (answer.ok && typeof answer.value === "number" && answer.value > 0) thresholds.set(key, answer.value);
  }

  return {
    name,
    threshold(model) {
      const key = `${model.provider}/${model.model} ${model.contextTokens}`;
      const threshold = thresholds.get(key);
      if (threshold !== undefined) return threshold;
      const assumed = model.contextTokens * defaultThresholdShare;
      thresholds.set(key, assumed);
      if (methods.includes("threshold")) void learnThreshold(key, model);
      return assumed;
    },
    async fit(request, signal) {
      const outcome = await fit(object, request, signal);
      return "failed" in outcome ? { failed: `The context engine ${name} failed: ${outcome.failed}` } : outcome;
    },
  };
}

async function fitByOwn(object: PluginObject, request: FitRequest, signal: AbortSignal): Promise<FitOutcome> {
  const answer = await object.call("fit", [asJson(request)], { signal, timeoutMs: fitTimeoutMs });
  if (!answer.ok) return { failed: answer.error.message };
  const { compaction, failed } = isObject(answer.value) ? answer.value : {};
  if (typeof failed === "string") return { failed };
  const { covers, messages, mechanical } = isObject(compaction) ? compaction : {};
  const read = readOriginalMessages(Array.isArray(messages) ? messages.map(inOriginalForm) : undefined);
  if (!read || !isCut(covers, request)) return { failed: "the answer of the engine is not a valid compaction" };
  return { compaction: { covers, messages: read, mechanical: mechanical === true } };
}

/** A tool call and its results are never separated. */
function isCut(covers: unknown, { history }: FitRequest): covers is number {
  if (!Number.isInteger(covers)) return false;
  const index = Number(covers);
  return index >= 1 && index <= history.length && history[index]?.message.role !== "tool";
}

async function fitByOriginal(object: PluginObject, request: FitRequest, signal: AbortSignal): Promise<FitOutcome> {
  const { history, size, focus } = request;
  const messages = originalMessages(history.map(({ message }) => message));
  const kwargs = { current_tokens: size.tokens, ...(focus !== undefined && { focus_topic: focus }) };
  const answer = await object.call("compress", [messages], { signal, timeoutMs: fitTimeoutMs, kwargs });
  if (!answer.ok) return { failed: answer.error.message };
  const read = readOriginalMessages(answer.value);
  if (!read || read.length === 0) return { failed: "the answer of the engine is not a list of messages" };
  return { compaction: { covers: history.length, messages: read, mechanical: false } };
}
