import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import { type ModelEvent, noUsage } from "../../contracts/model/model.ts";
import type { ProviderView } from "../../runtime/models/model-catalog.ts";
import type { Models } from "../../runtime/models/models.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { writeSettings } from "../settings/write-settings.ts";

const provider = optional(string("the provider, if the name does not include it"));
const name = string("provider/model, a model, an alias, or custom:NAME:MODEL");
const serverAddress = {
  baseUrl: optional(string("the address of a server")),
  keyEnv: optional(string("the variable with the key for that address")),
};

export const operations = {
  list: readOperation({
    summary: "List providers, keys and models, and show the current model",
    input: object({
      filter: optional(string("a provider, or part of a model name")),
      all: optional(flag("include providers without a key")),
      refresh: optional(flag("first fetch the models of the usable providers")),
    }),
    needs: ["config", "models"],
    async run({ filter, all = false, refresh = false }, { config, models }, { signal }) {
      const { providerViews } = await import("../../runtime/models/model-catalog.ts");
      const words = filter?.toLowerCase();
      const faults = refresh ? await refreshLists(providerViews(models, config), words, models, signal) : [];
      const views = providerViews(models, config);
      const active = models.resolve();
      const named = namedIn(views, words, all);
      const shown = named.length > 0 ? named : views.filter((view) => all || isShown(view));
      const matches = shown.flatMap((view) =>
        view.models.filter(
          (each) => words === undefined || named.length > 0 || each.name.toLowerCase().includes(words),
        ),
      );
      return ok({
        active: active.ok ? { ...models.facts(active.value), chosen: chosenOf(active.value) } : null,
        ...(active.ok ? {} : { fault: active.error.message }),
        providers: shown.map(providerData),
        /** True if the filter names providers, false if it is part of a model name. */
        namesProvider: named.length > 0,
        models: matches.map(({ name: each, facts }) => ({ name: each, ...facts })),
        faults,
      });
    },
  }),

  names: readOperation({
    summary: "List the names that can be used now: aliases, and models of usable providers",
    needs: ["config", "models"],
    async run(_input, { config, models }) {
      const { providerViews } = await import("../../runtime/models/model-catalog.ts");
      const { model, model_aliases: aliases } = config.values;
      const listed = providerViews(models, config).flatMap(({ isUsable, id, title, defaultModel, models: own }) => {
        if (!isUsable) return [];
        if (own.length > 0) return own.map((each) => ({ name: each.name, note: title }));
        return defaultModel === undefined ? [] : [{ name: `${id}/${defaultModel}`, note: title }];
      });
      return ok({
        names: [
          ...Object.entries(model.aliases).map(([alias, note]) => ({ name: alias, note })),
          ...Object.entries(aliases).map(([alias, { model: target, provider: id }]) => ({
            name: alias,
            note: id === "" ? target : `${id}/${target}`,
          })),
          ...listed,
        ],
      });
    },
  }),

  fetch: readOperation({
    summary: "Fetch the names of the models that a provider or a server offers now",
    input: object({ provider, ...serverAddress }),
    needs: ["models"],
    async run({ provider: named, baseUrl, keyEnv }, { models }, { signal }) {
      // Any model name works here, because the list does not depend on it.
      const resolved = models.resolve(selectionAt("any", named, baseUrl, keyEnv));
      if (!resolved.ok) return resolved;
      if (resolved.value === "offline") return ok({ models: ["rules"] });
      const fetched = await models.refresh(resolved.value, signal);
      if (!fetched.ok) return err({ message: fetched.error.message });
      return ok({ models: fetched.value.map(({ id }) => id) });
    },
  }),

  localServers: readOperation({
    summary: "Find model servers that run on this machine",
    needs: [],
    async run(_input, _services, { clock, signal }) {
      const { findLocalServers, describeServer } = await import("../../runtime/models/local-servers.ts");
      const servers = await findLocalServers({ clock }, signal);
      return ok({ servers, offers: servers.flatMap((server) => describeServer(server) ?? []) });
    },
  }),

  check: readOperation({
    summary: "Show whether a model is missing from the list that its provider sent",
    input: object({ model: name }),
    needs: ["models"],
    async run({ model }, { models }) {
      const resolved = models.resolve({ model });
      const doubt = resolved.ok ? models.doubtAbout(resolved.value) : undefined;
      return ok({ unlisted: doubt?.isUnlisted ? doubt.sentence : null });
    },
  }),

  use: writeOperation({
    summary: "Set the default model of new sessions",
    input: object({
      model: name,
      provider,
      ...serverAddress,
      force: optional(flag("also a model that is not in the list of its provider")),
    }),
    needs: ["config", "models"],
    async run({ model: requested, provider: named, baseUrl, keyEnv, force = false }, { config, models }, ctx) {
      const { defaultModelSettings } = await import("../../config/default-model.ts");
      const { missingProgram } = await import("../../runtime/models/missing-program.ts");
      const address = withoutUndefined({ base_url: baseUrl, key_env: keyEnv });
      const hasAddress = baseUrl !== undefined || keyEnv !== undefined;
      const id = baseUrl !== undefined && named === undefined ? "custom" : named;
      const resolved = models.resolve({
        model: requested,
        ...withoutUndefined({ provider: id }),
        ...(hasAddress && { at: address }),
      });
      if (!resolved.ok) return resolved;
      const route = resolved.value;
      const doubt = models.doubtAbout(route);
      if (doubt?.isUnlisted && !force)
        return err({
          message: doubt.sentence,
          hint: "`hermes model list --refresh` fetches the list again; --force uses the model anyway.",
        });
      const [providerId, model] = route === "offline" ? ["offline", "rules"] : [route.providerId, route.model];
      // Whether the new model is on the server that the settings name.
      const staysThere = !hasAddress && route !== "offline" && route.baseUrl === config.values.model.base_url;
      const changes = defaultModelSettings(providerId, model, staysThere ? undefined : address);
      const written = await writeSettings(config, changes, ctx);
      if (!written.ok) return written;
      const answers = route !== "offline" && route.mixture ? models.resolve(route.mixture.aggregator) : resolved;
      const missing = route === "offline" || !route.program ? undefined : missingProgram(route.program, config);
      const overriding = ["HERMES_INFERENCE_MODEL", "HERMES_INFERENCE_PROVIDER"].filter((each) =>
        config.secrets.get(each),
      );
      const notes = [
        ...[doubt?.sentence, missing].filter((note) => note !== undefined),
        ...(answers.ok ? [] : [answers.error.message]),
        ...(answers.ok ? keyNotes(answers.value, models) : []),
        ...overriding.map((each) => `${each} is set and takes precedence.`),
      ];
      return ok({ provider: providerId, model, file: written.value.file, facts: models.facts(route), notes });
    },
  }),

  test: writeOperation({
    summary: "Send a model one short question and report the outcome",
    input: object({ model: optional(name), provider, ...serverAddress }),
    needs: ["config", "models"],
    async run({ model, provider: named, baseUrl, keyEnv }, { config, models }, ctx) {
      const wish = selectionAt(model, named, baseUrl, keyEnv);
      const resolved = models.resolve(wish);
      if (!resolved.ok) return resolved;
      if (resolved.value === "offline") {
        const instant = { ms: 0, firstMs: null, usage: noUsage, answer: "", steps: [] };
        return ok({ ok: true as const, ...models.facts(resolved.value), ...instant });
      }
      // A test reports the first outcome, without retries.
      const isAlone = model !== undefined || named !== undefined;
      const client = models.client(wish, { isAlone, maxRetries: 0 });
      if (!client.ok) return client;
      const { whySpendIsRefused } = await import("../../runtime/session/spend-caps.ts");
      const refusal = await whySpendIsRefused(config, ctx.principal, (message) => ctx.report({ message }));
      if (refusal !== undefined) return err({ message: refusal, kind: "budget" });
      const messages = [{ role: "user", content: [{ type: "text", text: "Answer with the word ok." }] }] as const;
      const request = { system: [], messages, tools: [], maxTokens: 2_000 };
      const answer = await answerOf(client.value.stream(request, ctx.signal), ctx);
      // Also fetches the model list, which has the window and price, with a short timeout.
      if (answer.ok && answer.value.ok)
        await models.refresh(resolved.value, AbortSignal.any([ctx.signal, AbortSignal.timeout(3_000)]));
      return answer;
    },
  }),
};

function selectionAt(
  model: string | undefined,
  named: string | undefined,
  baseUrl: string | undefined,
  keyEnv: string | undefined,
): ModelSelection {
  const hasAddress = baseUrl !== undefined || keyEnv !== undefined;
  return {
    ...withoutUndefined({ model, provider: baseUrl !== undefined && named === undefined ? "custom" : named }),
    ...(hasAddress && { at: withoutUndefined({ base_url: baseUrl, key_env: keyEnv }) }),
  };
}

type ModelSelection = NonNullable<Parameters<Models["resolve"]>[0]>;

async function answerOf(events: AsyncIterable<ModelEvent>, { clock, report }: OperationContext) {
  const startedAt = clock.elapsed();
  const steps: string[] = [];
  let firstMs: number | undefined;
  const step = (label: string, text: string) => {
    steps.push(text);
    report({ message: `${label}: ${text}` });
  };
  for await (const event of events) {
    const ms = Math.round(clock.elapsed() - startedAt);
    if (event.type === "text" || event.type === "reasoning") firstMs ??= ms;
    if (event.type === "consulted" && event.error)
      step("reference", `${event.provider}/${event.model} did not answer: ${event.error.message}`);
    if (event.type === "failed") {
      const words = `${event.error.message} → ${event.how}`;
      // The caller reports the last failure as the result.
      if (event.next === "give_up") steps.push(words);
      else step(event.next, words);
    }
    if (event.type === "error") {
      const { kind, message } = event.error;
      return ok({ ok: false as const, kind, message, ms, steps });
    }
    if (event.type !== "finish") continue;
    const { usage, by, message } = event;
    const answer = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return ok({ ok: true as const, ...by, ms, firstMs: firstMs ?? null, usage, answer, steps });
  }
  return err({ message: "The model ended without an answer." });
}

async function refreshLists(
  views: readonly ProviderView[],
  words: string | undefined,
  models: Models,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const requested = views.filter((view) => isCalled(view, words));
  const selected = (requested.length > 0 ? requested : views).filter(
    ({ isUsable, route, isActive }) =>
      isUsable && route?.modelsUrl && (requested.length > 0 || !route.local || isActive),
  );
  const listed = await models.refreshPublicList(signal);
  const faults = await Promise.all(
    selected.map(async ({ id, route }) => {
      const done = route && (await models.refresh(route, signal));
      return done && !done.ok ? [`${id}: ${done.error.message}`] : [];
    }),
  );
  return [...(listed.ok ? [] : [listed.error.message]), ...faults.flat()];
}

/** The providers with this name. An alias that is also part of model names (`claude`) counts as a model name. */
function namedIn(views: readonly ProviderView[], words: string | undefined, all: boolean): readonly ProviderView[] {
  if (words === undefined) return [];
  const exact = views.filter((view) => isCalled(view, words));
  if (exact.length > 0) return exact;
  const hasModel = ({ models }: ProviderView) => models.some((each) => each.name.toLowerCase().includes(words));
  if (views.some((view) => (all || isShown(view)) && hasModel(view))) return [];
  return views.filter(({ aliases }) => aliases.includes(words));
}

function isCalled({ id, title }: ProviderView, words: string | undefined): boolean {
  return id === words || title.toLowerCase() === words;
}

/** Hides local servers until Hermes has contacted them. */
function isShown({ isUsable, isActive, keys, models }: ProviderView): boolean {
  return isActive || (isUsable && (keys.length > 0 || models.length > 0));
}

function chosenOf(route: "offline" | { readonly chosen: string }): string {
  return route === "offline" ? "built in: rule-based, no AI" : route.chosen;
}

function providerData(view: ProviderView) {
  const { id, title, aliases, route, keys, isUsable, isActive, defaultModel, note, models, listedAt, keyVariable } =
    view;
  return {
    id,
    title,
    aliases,
    active: isActive,
    usable: isUsable,
    ...(route && { baseUrl: route.baseUrl, protocol: route.protocol }),
    ...(route?.program && { program: route.program.command }),
    ...withoutUndefined({ defaultModel, keyVariable }),
    keys,
    ...(note !== "" && { note }),
    listed: models.length,
    ...withoutUndefined({ listedAt }),
  };
}

type Resolved = Extract<ReturnType<Models["resolve"]>, { ok: true }>["value"];

/** A note if the key is missing. */
function keyNotes(route: Resolved, models: Models): readonly string[] {
  return hasKey(route, models) || route === "offline" ? [] : [`There is no key yet. ${route.keys.advice}`];
}

export function hasKey(route: Resolved, models: Models): boolean {
  return route === "offline" || route.keys.keyless || models.pool.list(route).length > 0;
}
