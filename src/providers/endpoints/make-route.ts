import type { HttpTimeouts } from "../../base/http/http-timeouts.ts";
import { isLocalAddress } from "../../base/http/local-address.ts";
import { isObject, type JsonObject, ownValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Lookup } from "../endpoint.ts";
import type { Protocol, Quirks } from "../endpoint.ts";
import type { EndpointRow, KeyKind, ProgramRow } from "./endpoint-row.ts";
import { endpointRows } from "./find-row.ts";
import type { ApiMode, CustomProvider, GivenAddress, ModelSettings, MixtureSettings } from "./model-settings.ts";
import { type KeyPolicy, originOf, type Route } from "./route.ts";

export interface RouteContext {
  readonly settings: ModelSettings;
  readonly env: Lookup;
}

/** Options of one model selection. They override the provider's settings. */
export interface RouteOptions {
  readonly model: string;
  readonly chosen: string;
  readonly at?: Partial<GivenAddress>;
}

/** Builds the route to a model of a built-in provider. */
export function routeFromRow(row: EndpointRow, wish: RouteOptions, context: RouteContext): Result<Route> {
  if (row.mixture) return routeOfPreset(row, wish, context.settings.moa);
  if (row.program) return routeOfProgram(row, row.program, wish, context);
  const own = context.settings.providers[row.id];
  const rule = row.models?.find(({ match }) => new RegExp(match, "iu").test(wish.model));
  const defaultUrl = (rule?.baseUrl ?? row.baseUrl) === "" ? "" : filled(rule?.baseUrl ?? row.baseUrl, context);
  const named = row.baseUrlVar === undefined ? "" : (context.env(row.baseUrlVar)?.trim() ?? "");
  const given = [wish.at, own].find((address) => address?.base_url !== undefined && address.base_url !== "");
  const baseUrl = given?.base_url ?? (named || defaultUrl);
  if (baseUrl === "") return err({ message: noAddress(row) });
  const checked = checkAddress(baseUrl, row.id);
  if (!checked.ok) return checked;
  const places = [row.baseUrl, row.modelsUrl ?? "", ...(row.models ?? []).map((one) => one.baseUrl ?? "")];
  const home = [defaultUrl, named, ...places.map((place) => filled(place, context))].map(originOf).filter(Boolean);
  const isHome = home.includes(originOf(baseUrl));
  const local = row.local === true || isLocalAddress(baseUrl);
  const mode = [wish.at?.api_mode, own?.api_mode].find((one) => one !== undefined && one !== "auto");
  const ruled = mode === undefined ? rule : undefined;
  return ok({
    providerId: row.id,
    model: wish.model,
    protocol: protocolOf(mode) ?? ruled?.protocol ?? row.protocol ?? protocolAt(baseUrl),
    baseUrl,
    headers: { ...(isHome && row.headers), ...own?.headers },
    quirks: withRegion(withBody({ ...row.quirks, ...ruled?.quirks }, own?.extra_body), context),
    timeouts: timeoutsOf(row.id, wish.model, local, context),
    keys: {
      given: givenKeys(...(given === undefined ? [wish.at, own] : [given])),
      variables: isHome ? row.keyVars : [],
      ...(isHome && row.accountVars && { accounts: row.accountVars }),
      ...(isHome && row.externalProgram && { externalProgram: row.externalProgram }),
      ...(isHome && row.signs && { signs: true }),
      ...(row.keyKinds && { kinds: baseUrl === defaultUrl ? row.keyKinds : row.keyKinds.map(withoutAddress) }),
      ...(row.refusedKeys && { refused: row.refusedKeys }),
      home,
      keyless: row.keyless === true || (local && !isHome),
      advice: isHome ? adviceFor(row) : adviceElsewhere(row, baseUrl),
      ...(isHome && row.keyNote !== undefined && { note: row.keyNote }),
    },
    ...(row.modelsUrl !== "none" && {
      modelsUrl: isHome && named === "" && row.modelsUrl ? filled(row.modelsUrl, context) : modelListUrl(baseUrl),
    }),
    ...(row.windowsPath !== undefined && { windowsPath: row.windowsPath }),
    local,
    subscription: row.subscription === true,
    ...(row.maxContextTokens !== undefined && { maxContextTokens: row.maxContextTokens }),
    ...(row.vision !== undefined && { vision: row.vision }),
    chosen: wish.chosen,
  });
}

function routeOfProgram(
  row: EndpointRow,
  { argsVar, ...defaults }: ProgramRow,
  wish: RouteOptions,
  context: RouteContext,
): Result<Route> {
  const given = wish.at?.base_url || context.settings.providers[row.id]?.base_url || row.baseUrl;
  if (given !== row.baseUrl)
    return err({ message: `${row.id} is a program on this machine and has no other address: remove base_url.` });
  const command = defaults.commandVars.map((name) => context.env(name)?.trim()).find(Boolean) ?? defaults.command;
  const words = context.env(argsVar)?.trim();
  return ok({
    providerId: row.id,
    model: wish.model,
    protocol: "acp",
    program: { ...defaults, command, ...(words && { args: wordsOf(words) }) },
    baseUrl: row.baseUrl,
    headers: {},
    quirks: { ...row.quirks },
    timeouts: timeoutsOf(row.id, wish.model, false, context),
    keys: { given: [], variables: [], home: [], keyless: true, advice: "" },
    local: false,
    subscription: row.subscription === true,
    chosen: wish.chosen,
  });
}

/** Splits a command line into words; quotes group words. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/gu) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/gu, "$1$2"));
}

/** Builds the route to a custom server. It inherits the quirks of a built-in provider at the same address. */
export function routeFromServer(
  id: string,
  server: CustomProvider,
  wish: RouteOptions,
  context: RouteContext,
): Result<Route> {
  const baseUrl = server.base_url ?? "";
  const checked = checkAddress(baseUrl, id);
  if (!checked.ok) return checked;
  const origin = originOf(baseUrl);
  const kin = endpointRows.find((row) => row.baseUrl === origin || row.baseUrl.startsWith(`${origin}/`));
  const local = isLocalAddress(baseUrl);
  const extra = isObject(server["extra_body"]) ? server["extra_body"] : undefined;
  const rule = kin?.models?.find(({ match }) => new RegExp(match, "iu").test(wish.model));
  return ok({
    providerId: id,
    model: wish.model,
    protocol: protocolOf(server.api_mode) ?? rule?.protocol ?? kin?.protocol ?? protocolAt(baseUrl),
    baseUrl,
    headers: { ...kin?.headers },
    quirks: withBody({ ...kin?.quirks, ...rule?.quirks }, extra),
    timeouts: timeoutsOf(id, wish.model, local, context),
    keys: {
      given: givenKeys(server),
      variables: kin?.keyVars ?? [],
      home: [origin],
      // Custom servers often need no key; a server that needs one rejects the request.
      keyless: true,
      advice: `Add its key: \`hermes auth add ${id}\`, or set key_env next to base_url.`,
    },
    modelsUrl: modelListUrl(baseUrl),
    local,
    subscription: false,
    chosen: wish.chosen,
  });
}

/** An address that the user set takes precedence over the address for this kind of key. */
function withoutAddress({ baseUrl: _theirs, ...kind }: KeyKind): KeyKind {
  return kind;
}

function checkAddress(baseUrl: string, id: string): Result<void> {
  const url = URL.parse(baseUrl);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return err({ message: `The base URL of ${id} is not a server address: ${JSON.stringify(baseUrl)}.` });
  if (url.username !== "" || url.password !== "")
    return err({ message: `The base URL of ${id} contains a password; set the key with key_env instead.` });
  return ok(undefined);
}

function givenKeys(
  ...places: readonly (Pick<CustomProvider, "api_key" | "key_env"> | undefined)[]
): KeyPolicy["given"] {
  return places.flatMap((place) => [
    ...(place?.api_key ? [{ key: place.api_key }] : []),
    ...(place?.key_env ? [{ variable: place.key_env }] : []),
  ]);
}

export function protocolOf(mode: ApiMode | undefined): Protocol | undefined {
  switch (mode) {
    case "chat_completions":
      return "openai-chat";
    case "codex_responses":
      return "openai-responses";
    case "anthropic_messages":
      return "anthropic-messages";
    case "gemini":
      return "gemini";
    default:
      return undefined;
  }
}

function protocolAt(baseUrl: string): Protocol {
  const { pathname = "", hostname = "" } = URL.parse(baseUrl) ?? {};
  if (/\/anthropic(?:\/v1)?\/?$/u.test(pathname) || hostname === "api.anthropic.com") return "anthropic-messages";
  return hostname.startsWith("generativelanguage.") && !pathname.includes("openai") ? "gemini" : "openai-chat";
}

/** The address of the model list of a server. */
export function modelListUrl(baseUrl: string): string {
  const url = new URL(baseUrl);
  const below = /\/anthropic\/?$/u.test(url.pathname) || url.pathname === "/" ? "/v1/models" : "/models";
  url.pathname = `${url.pathname.replace(/\/+$/u, "")}${below}`;
  return url.href;
}

function withBody(quirks: Quirks, extra: JsonObject | undefined): Quirks {
  if (extra === undefined || Object.keys(extra).length === 0) return quirks;
  return { ...quirks, body: { ...quirks.body, ...extra } };
}

function withRegion(quirks: Quirks, context: RouteContext): Quirks {
  const { aws } = quirks;
  return aws ? { ...quirks, aws: { ...aws, region: filled(aws.region, context) } } : quirks;
}

/** A local server may need minutes to load a model before it answers. */
function timeoutsOf(id: string, model: string, local: boolean, { settings, env }: RouteContext): Partial<HttpTimeouts> {
  const named = ownValue(settings.providers, id);
  const all = Number(env("HERMES_API_TIMEOUT") ?? "") * 1000;
  const seconds = ownValue(named?.models, model)?.timeout_seconds || named?.request_timeout_seconds || 0;
  const stale = named?.stale_timeout_seconds ?? 0;
  const totalMs = seconds > 0 ? seconds * 1000 : all > 0 ? all : undefined;
  const silent = stale > 0 ? stale * 1000 : local ? 1_800_000 : undefined;
  return {
    ...(totalMs !== undefined && { totalMs }),
    ...(silent !== undefined && { stallMs: silent, headMs: silent, contentMs: silent }),
  };
}

function filled(template: string, { settings: { bedrock, vertex }, env }: RouteContext): string {
  if (!template.includes("{")) return template;
  const isVertex = template.includes("{project}");
  const region = isVertex
    ? vertex.region || env("VERTEX_REGION") || env("GOOGLE_CLOUD_LOCATION") || "global"
    : bedrock.region || env("AWS_REGION") || env("AWS_DEFAULT_REGION") || "us-east-1";
  const host = region === "global" ? "aiplatform.googleapis.com" : `${region}-aiplatform.googleapis.com`;
  const project = vertex.project_id || env("VERTEX_PROJECT_ID") || env("GOOGLE_CLOUD_PROJECT") || "";
  if (isVertex && project === "") return "";
  return template.replaceAll("{host}", host).replaceAll("{region}", region).replaceAll("{project}", project);
}

function noAddress(row: EndpointRow): string {
  const isOpen = row.baseUrl === "" && row.baseUrlVar !== undefined;
  const how = isOpen ? `: hermes config set ${row.baseUrlVar} https://…` : "";
  return `${row.title} needs an address${how}.${row.keyNote === undefined ? "" : ` ${row.keyNote}`}`;
}

function adviceFor({ id, keyVars, signUpUrl, keyNote }: EndpointRow): string {
  const variable = keyVars[0] === undefined ? "" : `, or set ${keyVars[0]}`;
  const where = signUpUrl === undefined ? "" : ` Create keys at ${signUpUrl}.`;
  return `Add one with \`hermes auth add ${id}\`${variable}.${where}${keyNote === undefined ? "" : ` ${keyNote}`}`;
}

function adviceElsewhere({ id }: EndpointRow, baseUrl: string): string {
  return `Keys of ${id} are not sent to ${originOf(baseUrl)}. Add one for it: \`hermes auth add ${id} --base-url ${baseUrl}\`, or providers.${id}.key_env.`;
}

/** Builds the route to a mixture of agents. Its models are resolved when it is opened. */
function routeOfPreset(
  row: EndpointRow,
  { model, chosen }: { readonly model: string; readonly chosen: string },
  settings: MixtureSettings,
): Result<Route> {
  const name = model === "" ? settings.default_preset : model;
  const mixture = Object.hasOwn(settings.presets, name) ? settings.presets[name] : undefined;
  if (!mixture) return err({ message: unknownPreset(name, Object.keys(settings.presets)) });
  const inner = [...mixture.reference_models, mixture.aggregator].find(({ provider }) => isRow(provider, row));
  if (inner)
    return err({
      message: `moa/${name} names moa/${inner.model}: a mixture cannot contain another mixture. Name a single model.`,
    });
  return ok({
    providerId: row.id,
    model: name,
    protocol: "moa",
    mixture,
    baseUrl: row.baseUrl,
    headers: {},
    quirks: {},
    timeouts: {},
    keys: { given: [], variables: [], home: [], keyless: true, advice: "" },
    local: false,
    subscription: false,
    chosen,
  });
}

function isRow(provider: string, { id }: EndpointRow): boolean {
  return provider.trim().toLowerCase() === id;
}

function unknownPreset(name: string, presets: readonly string[]): string {
  return `moa has no preset ${name}; available: ${presets.join(", ")}. Create it with \`hermes moa configure ${name}\`.`;
}
