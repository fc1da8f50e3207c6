import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { createNamedList, type NamedList } from "../../base/named-list.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles, tightenMode, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ModelClient, ModelError, ModelFacts, ModelSource } from "../../contracts/model/model.ts";
import type {
  AuxiliaryTaskContribution,
  ProviderContribution,
  ProviderProfile,
} from "../../contracts/plugin/plugin.ts";
import { createRouteMemory, createModelClient } from "../../providers/client/model-client.ts";
import { createSingleClient } from "../../providers/client/single-client.ts";
import { findAwsKeys } from "../../providers/credentials/aws/aws-keys.ts";
import {
  createCredentialPool,
  type Credential,
  type CredentialPool,
} from "../../providers/credentials/credential-pool.ts";
import { findExternalAccount } from "../../providers/credentials/external-account.ts";
import type { EndpointRow } from "../../providers/endpoints/endpoint-row.ts";
import { findRow } from "../../providers/endpoints/find-row.ts";
import { withCanonicalIds } from "../../providers/endpoints/known-ids.ts";
import { withBody, withRouting, withTemperature } from "../../providers/endpoints/provider-routing.ts";
import {
  type ModelSelection,
  resolveModel,
  type ResolvedModel,
  type ResolveContext,
} from "../../providers/endpoints/resolve-model.ts";
import { offlineId, type Route } from "../../providers/endpoints/route.ts";
import { rowOfProfile } from "../../providers/endpoints/row-of-profile.ts";
import {
  changeFacts,
  type FactsFile,
  type KnownFacts,
  type ListedModel,
  readFacts,
} from "../../providers/facts/facts-file.ts";
import { listedModel, modelFacts, publicModel, unknownModel, windowKey } from "../../providers/facts/model-facts.ts";
import { openPublicList, publicModels } from "../../providers/facts/public-list.ts";
import { offlineFacts } from "../../providers/offline/offline-provider.ts";
import { openHttp } from "../open-http.ts";
import { createAccountTokens } from "./account-tokens.ts";
import { openAgents } from "./agents.ts";
import { type AuxiliaryDeps, createAuxiliaryModel, openSeeing, openSlot, withTasks } from "./auxiliary-models.ts";
import { type BuiltinProviderContext, builtinProviders } from "./builtin-providers.ts";
import { createConnector, listOfProfile, missingProvider } from "./connect-provider.ts";
import { mixtureFacts, openMixtures } from "./open-mixture.ts";

export interface ModelsDeps {
  /** The start folder. Programs inside its project are never used as models. */
  readonly cwd?: string;
  /** Default: the built-in ones. */
  readonly providers?: Pick<NamedList<ProviderContribution>, "find">;
  /** Auxiliary tasks of plugins. Default: none. */
  readonly tasks?: NamedList<AuxiliaryTaskContribution>;
  /** Providers that plugins describe. Default: none. */
  readonly profiles?: NamedList<ProviderProfile>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  /** Reports settings with an unusable model, each once. */
  say?(sentence: string): void;
}

interface ClientOptions {
  /** True: without the fallbacks of the settings. */
  readonly isAlone?: boolean;
  readonly maxRetries?: number;
  readonly extraBody?: JsonObject;
  readonly temperature?: number;
}

/** The models of one runtime: routes, keys, connections. Sends nothing before the first request. */
export interface Models extends ModelSource, AsyncDisposable {
  readonly pool: CredentialPool;
  readonly http: Http;
  readonly scene: ResolveContext;
  resolve(wish?: ModelSelection): Result<ResolvedModel>;
  facts(route: ResolvedModel): ModelFacts;
  /** A warning about an unknown model. */
  doubtAbout(route: ResolvedModel): ReturnType<typeof unknownModel>;
  /** A client for a choice, with the fallbacks of the settings unless the choice excludes them. */
  client(
    wish?: ModelSelection,
    options?: Pick<ClientOptions, "isAlone" | "maxRetries" | "temperature">,
  ): Result<ModelClient>;
  /** The client of an auxiliary task. Undefined: the main model does it. */
  forTask(task: string, main: ModelFacts): Result<ModelClient> | undefined;
  /** The auxiliary model of a session. `refusal`: why no model may be called now. */
  auxiliary(of: Pick<AuxiliaryDeps, "main" | "book" | "refusal">): AuxiliaryModel;
  /** Fetches the model list of a route's endpoint and stores it. */
  refresh(route: Route, signal: AbortSignal): Promise<Result<readonly ListedModel[], ModelError>>;
  /** Fetches the list of the chosen model's provider if it is old or missing. Never rejects. */
  refreshStale(signal: AbortSignal): Promise<void>;
  /** The value to send for a key; for an account, its token. */
  sends(credential: Credential | undefined, route: Route, signal: AbortSignal): Promise<Result<Credential | undefined>>;
  /** Fetches the public list again, if the settings name an address. */
  refreshPublicList(signal: AbortSignal): Promise<Result<void>>;
  /** The models of a route's provider, from its endpoint or the public list. `at`: when the endpoint sent them. */
  listOf(route: Route): { readonly models: readonly ListedModel[]; readonly at?: number } | undefined;
}

export function openModels(config: LoadedConfig, deps: ModelsDeps): Models {
  const { clock, log, random = Math.random, providers = createNamedList(builtinProviders) } = deps;
  const profiles = deps.profiles ?? createNamedList();
  const { home, secrets } = config;
  const values = withCanonicalIds(config.values);
  const env = (name: string) => secrets.get(name);
  const factsPath = join(home.path, homeFiles.modelFacts);
  const held = new DisposableStack();
  const http = once(() => held.use(openHttp(config, clock)));
  const flushes: (() => Promise<void>)[] = [];
  const pool = once(() => {
    const loose = tightenMode(join(home.path, homeFiles.credentials), 0o600);
    if (loose !== undefined) log.warn("credentials.loose", { message: loose });
    const pool = createCredentialPool({
      file: join(home.path, homeFiles.credentials),
      env,
      awsKeys: once(() => findAwsKeys(env, user)),
      borrowed: (lender) => findExternalAccount(lender, env, user),
      strategies: values.credential_pool_strategies,
      clock,
      random,
      log,
    });
    flushes.push(pool.flush);
    return pool;
  });
  const user = userFolder(config.env);
  const tokens = once(() =>
    createAccountTokens({ file: join(home.path, homeFiles.credentials), env, userFolder: user, http, clock }),
  );
  const agents = openAgents(config, deps);
  const mixtures = openMixtures(config, {
    resolve: (wish) => resolveModel(wish, scene),
    client: (route, as, temperature) =>
      as === "aggregator"
        ? clientOf(route, { temperature })
        : clientOf(route, { isAlone: true, maxRetries: values.auxiliary.transient_retries, temperature }),
    clock,
    log,
  });
  const routeMemory = createRouteMemory();
  const notices = new Set<string>();
  const providerContext: BuiltinProviderContext = { http, agent: (endpoint) => agents.provider(endpoint), clock };
  const connect = createConnector(providers, profiles, providerContext);
  const publicList = openPublicList({
    source: values.model_catalog.source,
    folder: join(home.path, homeFiles.modelLists),
    user,
    http,
    clock,
    fault: (message) => tell(`model_catalog.source: ${message}`),
  });
  let factsFile: KnownFacts | undefined;
  let learning: Promise<unknown> = Promise.resolve();

  const knownFacts = (): KnownFacts => (factsFile ??= { ...readFacts(factsPath), publicList: publicList.read() });
  const hasKey = (row: EndpointRow) =>
    row.keyVars.some((name) => (secrets.get(name) ?? "") !== "") || pool().stores(row.id);
  const scene: ResolveContext = {
    settings: values,
    env,
    hasKey,
    get rows() {
      return profiles.list().map(rowOfProfile);
    },
    isListed: (route) => (listedModel(route, knownFacts()) ?? publicModel(route, knownFacts())) !== undefined,
  };
  /** Cached facts, until Hermes learns something new. */
  const workedOut = new WeakMap<Route, { readonly from: FactsFile; readonly facts: ModelFacts }>();
  const facts = (route: ResolvedModel): ModelFacts => {
    if (route === offlineId) return offlineFacts;
    if (route.mixture) {
      const aggregator = resolveModel(route.mixture.aggregator, scene);
      const isSingle = aggregator.ok && (aggregator.value === offlineId || !aggregator.value.mixture);
      return mixtureFacts(route.model, isSingle ? facts(aggregator.value) : modelFacts(route, values, knownFacts()));
    }
    const from = knownFacts();
    const before = workedOut.get(route);
    if (before?.from === from) return before.facts;
    const result = modelFacts(route, values, from);
    workedOut.set(route, { from, facts: result });
    return result;
  };

  const doubtAbout = (route: ResolvedModel) =>
    route === offlineId ? undefined : unknownModel(route, values, knownFacts());

  function learn(route: Route, tokens: number): void {
    const key = windowKey(route);
    if (tokens < minWindow || knownFacts().windows[key]?.tokens === tokens) return;
    keep((file) => ({ ...file, windows: { ...file.windows, [key]: { tokens, at: clock.now() } } }));
  }

  function keep(change: (file: FactsFile) => FactsFile): void {
    factsFile = { ...knownFacts(), ...change(knownFacts()) };
    learning = learning
      .then(() => changeFacts(factsPath, change, { clock, signal: new AbortController().signal }))
      .then((done) => (done.ok ? undefined : log.warn("facts.unwritten", { message: done.error.message })));
  }

  function tell(sentence: string): void {
    if (notices.has(sentence)) return;
    notices.add(sentence);
    log.warn("models.unusable", { message: sentence });
    deps.say?.(sentence);
  }

  /** The fallbacks without duplicates: the same model, URL and keys are used once. */
  function fallbackRoutes(first: Route): readonly Route[] {
    const routes = values.fallback_providers.flatMap(({ provider, model, base_url, key_env }) => {
      if (!provider || !model) {
        tell("fallback_providers: an entry without provider or model is ignored.");
        return [];
      }
      const endpoint = { base_url: base_url ?? "", key_env: key_env ?? "" };
      const route = resolveModel({ provider, model, at: endpoint }, scene);
      if (!route.ok) tell(`fallback_providers: ${provider}/${model} is ignored. ${route.error.message}`);
      return route.ok && route.value !== offlineId && !route.value.mixture ? [route.value] : [];
    });
    const requested = [first, ...routes].map(identityOf);
    return routes.filter((route, index) => requested.indexOf(identityOf(route)) === index + 1);
  }

  function client(wish: ModelSelection = {}, options: ClientOptions = {}): Result<ModelClient> {
    const own = ownClient(wish);
    if (own) return ok(own);
    const result = resolveModel(wish, scene);
    if (!result.ok) return result;
    if (result.value === offlineId && !providers.find(offlineId))
      return err({ message: `The provider ${offlineId} is not loaded.` });
    if (result.value !== offlineId && result.value.mixture)
      return mixtures.open(result.value.model, result.value.mixture);
    return ok(clientOf(result.value, options));
  }

  /** A client of a provider without endpoints: `NAME/MODEL`, or the provider and its model. */
  function ownClient({ provider, model = "" }: ModelSelection): ModelClient | undefined {
    const [name = "", ...rest] = provider === undefined ? model.split("/") : [provider, model];
    const contribution = providers.find(name);
    if (!contribution?.facts) return undefined;
    const endpoint = { providerId: name, protocol: name };
    return createSingleClient(contribution.connect(endpoint, providerContext), contribution.facts(rest.join("/")));
  }

  function clientOf(
    route: ResolvedModel,
    { isAlone = false, maxRetries = values.agent.api_max_retries, extraBody = {}, temperature }: ClientOptions,
  ): ModelClient {
    if (route === offlineId)
      return (
        ownClient({ provider: offlineId }) ??
        createSingleClient(missingProvider({ providerId: offlineId }), offlineFacts)
      );
    const first = withBody(withTemperature(route, temperature), extraBody);
    const { provider_routing: routing } = values;
    return createModelClient({
      routes: isAlone
        ? [first]
        : [withRouting(first, routing), ...fallbackRoutes(first).map((one) => withRouting(one, routing))],
      pool: pool(),
      connect,
      tokenOf: (credential, { providerId }, wasRefused, signal) =>
        tokens().tokenOf(credential, providerId, wasRefused, signal),
      facts,
      learn,
      routeMemory,
      maxRetries,
      ...(values.model.max_tokens > 0 && { maxTokens: values.model.max_tokens }),
      clock,
      random,
      log,
    });
  }

  const sends: Models["sends"] = async (credential, route, signal) => {
    if (!credential?.account) return ok(credential);
    const token = await tokens().tokenOf(credential, route.providerId, false, signal);
    return token.ok ? ok({ ...credential, key: token.value }) : token;
  };

  const refresh: Models["refresh"] = async (route, signal) => {
    const { fetchModels } = await import("../../providers/facts/fetch-models.ts");
    const sender = await sends(pool().order(route)[0]?.credential, route, signal);
    if (!sender.ok) return err({ kind: "auth", message: sender.error.message });
    const own = profiles.find(route.providerId)?.fetchModels;
    const fetched = own
      ? await listOfProfile(own, sender.value?.key, signal)
      : await fetchModels(route, sender.value, { http: http(), clock }, signal);
    if (fetched.ok)
      keep((file) => ({
        ...file,
        lists: { ...file.lists, [route.baseUrl]: { at: clock.now(), models: fetched.value } },
      }));
    return fetched;
  };

  const auxiliaryParts: Pick<AuxiliaryDeps, "settings" | "open" | "rowOf"> = {
    get settings() {
      return withTasks(values.auxiliary, deps.tasks?.list() ?? []);
    },
    rowOf: (provider) => findRow(provider, scene.rows),
    open(wish, options) {
      const opened = client(wish, { isAlone: true, ...options });
      return opened.ok ? ok(opened.value.beside ?? opened.value) : opened;
    },
  };

  const refreshPublicList: Models["refreshPublicList"] = async (signal) => {
    const fetched = await publicList.refresh(signal);
    if (fetched?.ok) factsFile = { ...knownFacts(), publicList: publicList.read() };
    return fetched?.ok === false ? err({ message: `model_catalog.source: ${fetched.error.message}` }) : ok(undefined);
  };

  return {
    sends,
    get pool() {
      return pool();
    },
    get http() {
      return http();
    },
    scene,
    resolve: (wish = {}) => resolveModel(wish, scene),
    facts,
    doubtAbout,
    client: (wish, options) => client(wish, options),
    forTask: (task, main) => openSlot(auxiliaryParts, task, main),
    describesImages: (main) => openSeeing(auxiliaryParts, main) !== undefined,
    auxiliary: (of) =>
      createAuxiliaryModel({
        ...of,
        ...auxiliaryParts,
        fellBack: (task, why) => tell(`auxiliary.${task}: ${why.replace(/\.$/u, "")}. The main model is used instead.`),
        clock,
      }),
    refresh,
    refreshPublicList,
    listOf(route) {
      const { lists, publicList: published } = knownFacts();
      // Public lists do not contain the models of a local server.
      const models = route.local ? [] : publicModels(route, published);
      const curated = findRow(route.providerId, scene.rows)?.curated?.map((id) => ({ id })) ?? [];
      const shown = models.length > 0 ? models : curated;
      return lists[route.baseUrl] ?? (shown.length > 0 ? { models: shown } : undefined);
    },
    async refreshStale(signal) {
      const chosen = resolveModel({}, scene);
      const mixture = chosen.ok && chosen.value !== offlineId ? chosen.value.mixture : undefined;
      const route = mixture ? resolveModel(mixture.aggregator, scene) : chosen;
      const { enabled, ttl_hours: hours } = values.model_catalog;
      const listed = enabled && publicList.isOlderThan(hours * 3_600_000) ? await refreshPublicList(signal) : undefined;
      if (listed?.ok === false) log.info("models.not_listed", { message: listed.error.message });
      if (!enabled || !route.ok || route.value === offlineId || route.value.modelsUrl === undefined) return;
      const listedAt = knownFacts().lists[route.value.baseUrl]?.at ?? 0;
      if (clock.now() - listedAt < hours * 3_600_000) return;
      const fetched = await refresh(route.value, signal);
      if (!fetched.ok) log.info("models.not_listed", { message: fetched.error.message });
    },
    async open(model, provider) {
      const wish = { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
      const opened = client(wish);
      const route = opened.ok ? resolveModel(wish, scene) : undefined;
      const doubt = route?.ok ? doubtAbout(route.value) : undefined;
      if (doubt !== undefined) tell(doubt.sentence);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([
        ...flushes.map((flush) => flush()),
        learning,
        agents[Symbol.asyncDispose](),
        mixtures[Symbol.asyncDispose](),
      ]);
      held.dispose();
    },
  };
}

function identityOf({ baseUrl, model, keys: { given } }: Route): string {
  return JSON.stringify([baseUrl, model, given]);
}

/** The minimum window to learn; smaller numbers in an error have another meaning. */
const minWindow = 2_048;
