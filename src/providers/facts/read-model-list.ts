import { isObject } from "../../base/json.ts";
import type { Price } from "../../contracts/model/model.ts";
import type { ListedModel } from "./facts-file.ts";

/** Parses a model list in any format that endpoints use, or in that of models.dev. Skips invalid entries. */
export function readModelList(answer: unknown): readonly ListedModel[] {
  return entriesOf(answer)
    .flatMap(readModel)
    .slice(0, max)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Parses context windows by model id, from local servers. The empty id stands for the loaded model. */
export function readWindows(answer: unknown): ReadonlyMap<string, number> {
  const windows = new Map<string, number>();
  for (const entry of entriesOf(answer)) {
    const id = textOf(entry["id"]) ?? textOf(entry["name"]) ?? textOf(entry["model"]);
    const tokens = countOf(entry["loaded_context_length"]) ?? countOf(entry["context_length"]);
    if (id !== undefined && tokens !== undefined) windows.set(id, tokens);
  }
  const settings = isObject(answer) ? answer["default_generation_settings"] : undefined;
  const loaded = isObject(settings) ? countOf(settings["n_ctx"]) : undefined;
  if (loaded !== undefined) windows.set("", loaded);
  return windows;
}

function entriesOf(answer: unknown): readonly Record<string, unknown>[] {
  const list: unknown = Array.isArray(answer) ? answer : isObject(answer) ? (answer["data"] ?? answer["models"]) : [];
  if (Array.isArray(list)) return list.filter(isObject);
  // The format of models.dev: the models by their ids.
  return isObject(list) ? Object.entries(list).flatMap(([id, each]) => (isObject(each) ? [{ id, ...each }] : [])) : [];
}

function readModel(entry: Record<string, unknown>): ListedModel[] {
  const id = (textOf(entry["id"]) ?? textOf(entry["name"]) ?? "").replace(/^models\//u, "");
  if (id === "" || id.length > 300) return [];
  const provider = isObject(entry["top_provider"]) ? entry["top_provider"] : {};
  const meta = isObject(entry["meta"]) ? entry["meta"] : {};
  const limit = isObject(entry["limit"]) ? entry["limit"] : {};
  const limits =
    isObject(entry["capabilities"]) && isObject(entry["capabilities"]["limits"]) ? entry["capabilities"]["limits"] : {};
  const contextTokens = first([
    entry["context_length"],
    entry["context_window"],
    entry["max_model_len"],
    entry["max_context_length"],
    entry["inputTokenLimit"],
    entry["max_input_tokens"],
    limits["max_context_window_tokens"],
    provider["context_length"],
    meta["n_ctx_train"],
    limit["context"],
  ]);
  const maxOutputTokens = first([
    provider["max_completion_tokens"],
    entry["outputTokenLimit"],
    entry["max_output_tokens"],
    entry["max_completion_tokens"],
    entry["max_output_length"],
    limits["max_output_tokens"],
    limit["output"],
  ]);
  const vision = visionOf(entry);
  const price = priceOf(entry["pricing"]) ?? costOf(entry["cost"]);
  return [
    {
      id,
      ...(contextTokens !== undefined && { contextTokens }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(vision !== undefined && { vision }),
      ...(price && { price }),
    },
  ];
}

function visionOf(entry: Record<string, unknown>): boolean | undefined {
  const { architecture, input_modalities: own, modalities: byKind } = entry;
  const modalities = isObject(architecture)
    ? architecture["input_modalities"]
    : (own ?? (isObject(byKind) ? byKind["input"] : undefined));
  return Array.isArray(modalities) ? modalities.includes("image") : undefined;
}

/** The format of OpenRouter: US dollars per token, as text. */
function priceOf(pricing: unknown): Price | undefined {
  if (!isObject(pricing)) return undefined;
  const million = (name: string) => {
    const value = pricing[name];
    const each = typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
    return Number.isFinite(each) && each >= 0 ? Number((each * 1e6).toPrecision(6)) : undefined;
  };
  const input = million("prompt");
  const output = million("completion");
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = million("input_cache_read");
  const cacheWrite = million("input_cache_write");
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

/** The format of models.dev: US dollars per million tokens, as numbers. */
function costOf(cost: unknown): Price | undefined {
  if (!isObject(cost)) return undefined;
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite, context_over_200k: long } = cost;
  if (!isAmount(input) || !isAmount(output)) return undefined;
  return {
    input,
    output,
    ...(isAmount(cacheRead) && { cacheRead }),
    ...(isAmount(cacheWrite) && { cacheWrite }),
    ...(isObject(long) &&
      isAmount(long["input"]) &&
      isAmount(long["output"]) && {
        long: {
          above: 200_000,
          input: long["input"],
          output: long["output"],
          cacheRead: isAmount(long["cache_read"]) ? long["cache_read"] : long["input"],
        },
      }),
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function first(values: readonly unknown[]): number | undefined {
  return values.map(countOf).find((value) => value !== undefined);
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 256 ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The maximum number of models. Longer lists are truncated, because nobody reads them. */
const max = 5_000;
