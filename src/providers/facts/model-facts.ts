import { isObject, ownValue } from "../../base/json.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { ModelFacts, Price } from "../../contracts/model/model.ts";
import { findRow } from "../endpoints/find-row.ts";
import type { ModelOverride, ModelSettings } from "../endpoints/model-settings.ts";
import { type Route, routeName } from "../endpoints/route.ts";
import type { FactsFile, KnownFacts, ListedModel } from "./facts-file.ts";
import { modelFamilies, type ModelFamily } from "./families.ts";
import { publicModels } from "./public-list.ts";

/** The key of a learned context window. */
export function windowKey({ baseUrl, model }: Pick<Route, "baseUrl" | "model">): string {
  return `${baseUrl} ${model}`;
}

/**
 * Returns facts about a model from the first source that has them: the settings, facts learned from its endpoint, its
 * model list, a public list, the built-in table, defaults. Sends no request.
 */
export function modelFacts(route: Route, settings: ModelSettings, file: KnownFacts): ModelFacts {
  const override = overrideOf(route, settings);
  const own = ownFacts(route, settings);
  const listed = listedModel(route, file);
  const published = publicModel(route, file);
  const family = familyOf(route.model);
  const learned = file.windows[windowKey(route)]?.tokens;
  const [contextTokens, contextSource] = firstWindow([
    [override?.context_length, "config"],
    [own.contextTokens, "config"],
    [learned, "learned"],
    [listed?.contextTokens, "endpoint"],
    [published?.contextTokens, "list"],
    [family && Math.min(family.contextTokens, route.maxContextTokens ?? Infinity), "table"],
  ]);
  const maxOutputTokens =
    override?.max_output_tokens || listed?.maxOutputTokens || published?.maxOutputTokens || family?.maxOutputTokens;
  const vision =
    yesNo(override?.supports_vision) ??
    own.vision ??
    listed?.vision ??
    published?.vision ??
    route.vision ??
    family?.vision ??
    false;
  const price = priceOf(route, override, listed?.price ?? published?.price, family);
  return {
    provider: route.providerId,
    model: route.model,
    contextTokens,
    contextSource,
    ...(maxOutputTokens !== undefined && { maxOutputTokens: Math.min(maxOutputTokens, contextTokens) }),
    vision,
    ...(vision && (route.protocol === "gemini" || route.quirks.videos === true) && { video: true }),
    ...(price && { price }),
  };
}

/** The entry of the model in the last list of its endpoint. */
export function listedModel(
  { baseUrl, model }: Pick<Route, "baseUrl" | "model">,
  file: FactsFile,
): ListedModel | undefined {
  return file.lists[baseUrl]?.models.find(({ id }) => id === model || id === `models/${model}`);
}

/** The entry of the model in the public list. */
export function publicModel(route: Route, { publicList }: KnownFacts): ListedModel | undefined {
  return publicModels(route, publicList).find(({ id }) => id === route.model);
}

interface UnknownModel {
  readonly sentence: string;
  /** True: the provider sent a list of its models, and the model is not in it. */
  readonly isUnlisted: boolean;
}

/** Describes a model that is neither in the settings, nor in its provider's list, nor in the built-in table. */
export function unknownModel(route: Route, settings: ModelSettings, file: KnownFacts): UnknownModel | undefined {
  const { model, providerId, baseUrl } = route;
  const row = findRow(providerId);
  if (!row || route.program || route.mixture || overrideOf(route, settings)) return undefined;
  if (listedModel(route, file) || publicModel(route, file)) return undefined;
  const isOwn = ownValue(ownValue(settings.providers, providerId)?.models, model) !== undefined;
  if (isOwn || model === row.defaultModel || model === row.auxModel) return undefined;
  const list = file.lists[baseUrl]?.models.map(({ id }) => id) ?? [];
  // Without a list, only models of vendors are checked, because hosts and local servers offer too many models.
  const isMaker = !row.local && row.defaultModel !== undefined && !row.defaultModel.includes("/");
  if (list.length === 0 && (!isMaker || isOfFamily(model))) return undefined;
  const isUnlisted = list.length > 0;
  const close = didYouMean(model, isUnlisted ? list : [row.defaultModel ?? "", row.auxModel ?? ""]);
  const few = list.length <= maxNamed ? ` (${list.join(", ")})` : "";
  const why = isUnlisted
    ? `is not in the model list of ${providerId}${few}, so its server will probably refuse it.`
    : "is not a model that Hermes knows: its price is unknown.";
  return { isUnlisted, sentence: `${routeName(route)} ${why}${close === "" ? "" : ` ${close}`}` };
}

/** A list of at most this many models is shown. */
const maxNamed = 8;

/**
 * Returns whether the built-in table contains exactly this model, possibly with a date or a preview suffix: `gpt-5.55`
 * is not `gpt-5.5`.
 */
function isOfFamily(model: string): boolean {
  const name = model.replace(/^models\//u, "").toLowerCase();
  const match = familyOf(model)?.match.exec(name);
  if (!match || /[a-z0-9]$/u.test(name.slice(0, match.index))) return false;
  return sameModel.test(name.slice(match.index + match[0].length));
}

/** Suffixes for dates, previews and revisions do not change the model. */
const sameModel = new RegExp(
  String.raw`^(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|\d{3,4}|\d{6}|\d{8}|latest|preview|exp|beta|default|instruct` +
    String.raw`|thinking|(?:non-)?reasoning|v\d+(?::\d+)?))*(?::(?:free|nitro|floor|online|thinking|extended|beta))?$`,
  "u",
);

export function familyOf(model: string): ModelFamily | undefined {
  const name = model.replace(/^models\//u, "").toLowerCase();
  return modelFamilies.find(({ match }) => match.test(name));
}

function firstWindow(candidates: readonly (readonly [number | undefined, string])[]): readonly [number, string] {
  const match = candidates.find(([tokens]) => tokens !== undefined && tokens > 0);
  return match?.[0] === undefined ? [assumedWindow, "assumed"] : [match[0], match[1]];
}

function overrideOf(route: Route, { model_overrides }: ModelSettings): ModelOverride | undefined {
  return ownValue(model_overrides, routeName(route)) ?? ownValue(model_overrides, route.model);
}

/** Settings for the configured model, for single models of a provider, and for a custom server. */
function ownFacts(
  route: Route,
  settings: ModelSettings,
): { readonly contextTokens?: number; readonly vision?: boolean } {
  const { model, providers, custom_providers } = settings;
  const isChosen = route.chosen.startsWith("by the settings");
  const single = ownValue(ownValue(providers, route.providerId)?.models, route.model);
  const server = custom_providers.find(({ name }) => `custom:${name}` === route.providerId);
  const entry = isObject(server?.["models"]) ? server["models"][route.model] : undefined;
  const listed = isObject(entry) ? entry : {};
  const window = Number(listed["context_length"]) || single?.context_length || (isChosen ? model.context_length : 0);
  const vision =
    typeof listed["supports_vision"] === "boolean"
      ? listed["supports_vision"]
      : (yesNo(single?.supports_vision) ?? (isChosen ? yesNo(model.supports_vision) : undefined));
  return { ...(window > 0 && { contextTokens: window }), ...(vision !== undefined && { vision }) };
}

function priceOf(
  { providerId, model, subscription, local }: Route,
  override: ModelOverride | undefined,
  listed: Price | undefined,
  family: ModelFamily | undefined,
): Price | undefined {
  if (override && override.price_input !== null && override.price_output !== null) {
    const { price_input: input, price_output: output, price_cache_read, price_cache_write } = override;
    return {
      input,
      output,
      ...(price_cache_read !== null && { cacheRead: price_cache_read }),
      ...(price_cache_write !== null && { cacheWrite: price_cache_write }),
    };
  }
  if (subscription || local) return free;
  if (listed) return listed;
  // The prices of custom servers are unknown.
  return providerId.startsWith("custom") || !isOfFamily(model) ? undefined : family?.price;
}

function yesNo(word: "auto" | "yes" | "no" | undefined): boolean | undefined {
  return word === undefined || word === "auto" ? undefined : word === "yes";
}

const assumedWindow = 128_000;
const free: Price = { input: 0, output: 0 };
