import { err, ok, type Result } from "../../base/result.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { endpointRows, findRow, nearestRows } from "./find-row.ts";
import { type RouteFault, routeOfRow, routeOfServer, type RouteScene } from "./make-route.ts";
import type { CustomProvider, GivenAddress } from "./model-settings.ts";
import { offlineId, type Route } from "./route.ts";

export interface ResolveScene extends RouteScene {
  /** Is there a key for this provider, in a variable or stored? */
  hasKey(row: EndpointRow): boolean;
}

export interface ModelWish {
  /** `provider/model`, a model, an alias, `custom:NAME[:MODEL]` or a provider. Left out: what the settings say. */
  readonly model?: string;
  readonly provider?: string;
  readonly at?: Partial<GivenAddress>;
}

export type Resolved = Route | typeof offlineId;

/** What is asked for, else the settings, else a provider whose key is there, else the built-in model. */
export function resolveModel(wish: ModelWish, scene: ResolveScene): Result<Resolved, RouteFault> {
  const { model } = scene.settings;
  const provider = meant(wish.provider);
  const name = meant(wish.model);
  if (name !== undefined && /\s/u.test(name)) return err({ message: `${JSON.stringify(name)} is no name of a model.` });
  if (provider !== undefined) {
    const isOwn = provider === meant(model.provider) || findRow(provider)?.id === "custom";
    return ofProvider(provider, name ?? "", wish.at ?? (isOwn ? ownAddress(scene) : undefined), "as asked", scene);
  }
  if (name !== undefined) return ofName(name, wish.at, "as asked", scene);
  const chosen = "by the settings";
  const at = model.base_url === "" && model.api_key === "" && model.key_env === "" ? undefined : model;
  const ownProvider = meant(model.provider);
  const ownName = meant(model.default);
  if (ownProvider !== undefined) return ofProvider(ownProvider, ownName ?? "", at, chosen, scene);
  if (model.base_url !== "") return ofProvider("custom", ownName ?? "", at, chosen, scene);
  if (ownName !== undefined) return ofName(ownName, at, chosen, scene);
  return detected(scene);
}

/** The first provider whose key is there; keys that other programs use too do not count. */
function detected(scene: ResolveScene): Result<Resolved, RouteFault> {
  const row = endpointRows.find((one) => one.defaultModel !== undefined && one.shy !== true && scene.hasKey(one));
  if (row?.defaultModel === undefined) return ok(offlineId);
  return routeOfRow(row, { model: row.defaultModel, chosen: `a key for ${row.id} is there` }, scene);
}

function ofProvider(
  provider: string,
  model: string,
  at: ModelWish["at"],
  chosen: string,
  scene: ResolveScene,
): Result<Resolved, RouteFault> {
  if (provider === offlineId) return ok(offlineId);
  const mixtures = findRow(provider);
  if (mixtures?.mixture) return routeOfRow(mixtures, { model: stripped(model, mixtures), chosen }, scene);
  const alias = aliasOf(model, scene);
  if (alias !== undefined) return ofName(model, at, chosen, scene);
  const custom = /^custom:([^:/]+)(?:[:/](.+))?$/u.exec(provider);
  if (custom) return ofServer(custom[1] ?? "", model || (custom[2] ?? ""), chosen, scene);
  const named = scene.settings.providers[provider];
  const row = findRow(provider);
  if (row?.id === "custom" || (!row && at?.base_url)) return ofAddress(provider, model, at, chosen, scene);
  if (!row && named?.base_url) {
    if (model === "") return err({ message: noModel(provider) });
    return routeOfServer(provider, { ...named, name: provider }, { model, chosen }, scene);
  }
  if (!row) {
    const server = serverNamed(provider, scene);
    return server ? ofServer(provider, model, chosen, scene) : err({ message: unknownProvider(provider) });
  }
  const wanted = stripped(model, row) || row.defaultModel;
  if (wanted === undefined) return err({ message: noModel(row.id) });
  return routeOfRow(row, { model: wanted, chosen, ...(at && { at }) }, scene);
}

function ofAddress(
  provider: string,
  model: string,
  at: ModelWish["at"],
  chosen: string,
  scene: ResolveScene,
): Result<Resolved, RouteFault> {
  if (!at?.base_url)
    return err({ message: "A server of your own needs an address: hermes config set model.base_url http://…" });
  if (model === "") return err({ message: noModel(provider) });
  return routeOfServer(provider, at, { model, chosen }, scene);
}

function ofServer(name: string, model: string, chosen: string, scene: ResolveScene): Result<Resolved, RouteFault> {
  const server = serverNamed(name, scene);
  if (!server) {
    const known = scene.settings.custom_providers.flatMap((one) => (one.name ? [one.name] : []));
    const list = known.length === 0 ? "custom_providers is empty" : `there are: ${known.join(", ")}`;
    return err({ message: `There is no custom provider ${name}; ${list}.` });
  }
  const wanted = model || server.model || "";
  if (wanted === "") return err({ message: noModel(`custom:${name}`) });
  return routeOfServer(`custom:${server.name ?? name}`, server, { model: wanted, chosen }, scene);
}

function serverNamed(name: string, { settings }: ResolveScene): CustomProvider | undefined {
  const wanted = name.toLowerCase();
  return settings.custom_providers.find((one) => one.name?.toLowerCase() === wanted && one.base_url);
}

function ofName(
  name: string,
  at: ModelWish["at"],
  chosen: string,
  scene: ResolveScene,
  depth = 0,
): Result<Resolved, RouteFault> {
  const alias = depth < maxAliases ? aliasOf(name, scene) : undefined;
  if (alias !== undefined) {
    const how = `${chosen}, alias ${name}`;
    if (typeof alias === "string") return ofName(alias, at, how, scene, depth + 1);
    const address = alias.base_url === "" ? at : { ...at, base_url: alias.base_url };
    return alias.provider === ""
      ? ofName(alias.model, address, how, scene, maxAliases)
      : ofProvider(alias.provider, alias.model, address, how, scene);
  }
  if (name === offlineId || name.startsWith(`${offlineId}/`)) return ok(offlineId);
  if (name.startsWith("custom:")) return ofProvider(name, "", at, chosen, scene);
  const slash = name.indexOf("/");
  const head = slash < 0 ? "" : name.slice(0, slash);
  const rest = name.slice(slash + 1);
  if (head !== "" && (scene.settings.providers[head]?.base_url || serverNamed(head, scene)))
    return ofProvider(head, rest, at, chosen, scene);
  const row = head === "" ? undefined : findRow(head);
  if (row?.id === "custom") return ofAddress("custom", rest, at ?? ownAddress(scene), chosen, scene);
  if (row) return ofRowOrRouter(row, name, rest, at, chosen, scene);
  if (slash < 0 && findRow(name)) return ofProvider(name, "", at, chosen, scene);
  return ofBareModel(name, at, chosen, scene);
}

/** `anthropic/claude-…` is a model of Anthropic, and also the name of one at a router: who has a key decides. */
function ofRowOrRouter(
  row: EndpointRow,
  name: string,
  rest: string,
  at: ModelWish["at"],
  chosen: string,
  scene: ResolveScene,
): Result<Resolved, RouteFault> {
  const direct = () => routeOfRow(row, { model: rest, chosen, ...(at && { at }) }, scene);
  if (row.keyless === true || scene.hasKey(row) || at?.base_url || scene.settings.providers[row.id]) return direct();
  const isVendor = vendors.has(name.slice(0, name.indexOf("/")));
  const router = isVendor ? routers.map(findRow).find((one) => one && scene.hasKey(one)) : undefined;
  if (!router) return direct();
  return routeOfRow(router, { model: name, chosen: `${chosen}, by ${router.id}, which has a key` }, scene);
}

function ofBareModel(
  name: string,
  at: ModelWish["at"],
  chosen: string,
  scene: ResolveScene,
): Result<Resolved, RouteFault> {
  const own = meant(scene.settings.model.provider);
  if (own !== undefined) return ofProvider(own, name, at ?? ownAddress(scene), chosen, scene);
  if (at?.base_url) return ofAddress("custom", name, at, chosen, scene);
  const maker = makers.find(([pattern]) => pattern.test(name))?.[1];
  const row = maker === undefined ? undefined : findRow(maker);
  if (row && scene.hasKey(row)) return routeOfRow(row, { model: name, chosen }, scene);
  const router = name.includes("/") ? routers.map(findRow).find((one) => one && scene.hasKey(one)) : undefined;
  if (router) return routeOfRow(router, { model: name, chosen }, scene);
  if (row) return routeOfRow(row, { model: name, chosen }, scene);
  const slash = name.indexOf("/");
  const [close] = slash < 1 ? [] : nearestRows(name.slice(0, slash));
  const advice =
    close === undefined
      ? `say provider/model, as in openrouter/${name}.`
      : `did you mean ${close}${name.slice(slash)}?`;
  return err({ message: `It is not clear who serves ${name}: ${advice} \`hermes model list\` shows what is there.` });
}

function ownAddress({ settings: { model } }: ResolveScene): Partial<GivenAddress> | undefined {
  return model.base_url === "" ? undefined : model;
}

function aliasOf(
  name: string,
  { settings }: ResolveScene,
): string | { readonly model: string; readonly provider: string; readonly base_url: string } | undefined {
  const wanted = name.toLowerCase();
  const short = Object.entries(settings.model.aliases).find(([alias]) => alias.toLowerCase() === wanted)?.[1];
  if (short !== undefined) return short;
  return Object.entries(settings.model_aliases).find(([alias]) => alias.toLowerCase() === wanted)?.[1];
}

function meant(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === undefined || trimmed === "" || trimmed.toLowerCase() === "auto" ? undefined : trimmed;
}

/** `openrouter/anthropic/claude` of the provider openrouter is anthropic/claude. */
function stripped(model: string, { id, aliases = [] }: EndpointRow): string {
  const prefix = [id, ...aliases].find((name) => model.toLowerCase().startsWith(`${name}/`));
  return prefix === undefined || (routers.includes(id) && prefix !== id) ? model : model.slice(prefix.length + 1);
}

function noModel(provider: string): string {
  return `Which model of ${provider}? Say ${provider}/MODEL, or: hermes config set model.default MODEL.`;
}

function unknownProvider(name: string): string {
  const close = nearestRows(name);
  return `There is no provider ${name}${close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "."} \`hermes model list --all\` shows all.`;
}

const maxAliases = 5;
/** Their models are named maker/model. */
const routers = ["openrouter", "nous", "kilocode"];
/** Makers as routers call them. */
const vendors: ReadonlySet<string> = new Set(
  "anthropic openai google x-ai deepseek qwen mistralai moonshotai z-ai minimax nvidia xiaomi arcee-ai stepfun upstage".split(
    " ",
  ),
);
const makers: readonly (readonly [RegExp, string])[] = [
  [/^claude/iu, "anthropic"],
  [/^(?:gpt-|o[134](?:-|$)|chatgpt|codex)/iu, "openai-api"],
  [/^gemini/iu, "gemini"],
  [/^grok/iu, "xai"],
  [/^deepseek/iu, "deepseek"],
  [/^glm/iu, "zai"],
  [/^(?:kimi|moonshot)/iu, "kimi-coding"],
  [/^minimax/iu, "minimax"],
  [/^qw/iu, "alibaba"],
  [/^(?:mistral|codestral|devstral|magistral|ministral)/iu, "mistral"],
  [/^step-/iu, "stepfun"],
  [/^mimo/iu, "xiaomi"],
  [/^solar/iu, "upstage"],
];
