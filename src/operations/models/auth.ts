import { err, ok, type Result } from "../../base/result.ts";
import { findByPrefix } from "../../base/text/find-by-prefix.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { plural } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { ProviderView } from "../../runtime/models/model-catalog.ts";
import type { Models } from "../../runtime/models/models.ts";
import { readOperation, writeOperation } from "../operation.ts";

const provider = string("id or alias of the provider, or custom:NAME");

export const operations = {
  find: readOperation({
    summary: "Find a provider that accepts keys",
    input: object({ provider }),
    needs: ["config", "models"],
    async run({ provider: name }, { config, models }) {
      const view = await findProvider(name, models, config);
      const keyless = view.ok ? keylessFault(view.value) : view;
      if (keyless) return keyless;
      return view.ok ? ok(summaryOf(view.value)) : view;
    },
  }),

  add: writeOperation({
    summary: "Store a key for a provider",
    input: object({
      provider,
      key: string("the key"),
      label: optional(string("label in lists")),
      baseUrl: optional(string("the address that this key is for")),
    }),
    needs: ["config", "models", "keys"],
    async run({ provider: name, key, label, baseUrl }, { config, models, keys }, { signal }) {
      const view = await findProvider(name, models, config);
      if (!view.ok) return view;
      const keyless = keylessFault(view.value);
      if (keyless) return keyless;
      if (baseUrl !== undefined && !isServerAddress(baseUrl))
        return err({ message: `${baseUrl} is not the address of a server.`, hint: "Write it as https://host/path." });
      const added = await keys.add(view.value.id, { key, label, baseUrl }, signal);
      return added.ok ? ok({ ...summaryOf(view.value), ...added.value }) : added;
    },
  }),

  signIn: writeOperation({
    summary: "Sign in at a provider with a browser",
    input: object({ provider, label: optional(string("label in lists")) }),
    needs: ["config", "models"],
    async run({ provider: name, label }, { config, models }, { readLine, report, clock, signal }) {
      const view = await findProvider(name, models, config);
      if (!view.ok) return view;
      const { signInToProvider } = await import("../../runtime/models/sign-in.ts");
      const paste = "If the browser runs on another machine, paste the final address here.";
      const talk = {
        show: (url: string) =>
          report({
            message: `Open this page in your browser and sign in:\n\n  ${url}\n\n${readLine ? `${paste} ` : ""}Waiting …`,
          }),
        showCode: ({ url, code, minutes }: { url: string; code: string; minutes: number }) =>
          report({ message: `Open ${url}\nand enter the code ${code} within ${plural(minutes, "minute")}. Waiting …` }),
        ...(readLine && { paste: readLine }),
      };
      const done = await signInToProvider(view.value.id, label, talk, { config, models, clock }, signal);
      return done.ok ? ok({ ...summaryOf(view.value), ...done.value }) : done;
    },
  }),

  list: readOperation({
    summary: "List the keys and their state; shows only the end of each key",
    input: object({ provider: optional(provider) }),
    needs: ["config", "models"],
    async run({ provider: name }, { config, models }) {
      if (models.pool.fault !== undefined) return err({ message: models.pool.fault });
      const views = await chosenViews(name, models, config);
      if (!views.ok) return views;
      const keys = views.value.flatMap(({ id, keys: own }) =>
        own.map((key, index) => ({ provider: id, number: index + 1, ...key })),
      );
      const [only] = views.value;
      return ok({ keys, ...(name !== undefined && only && { note: `There is no key for ${only.id}. ${only.note}` }) });
    },
  }),

  remove: writeOperation({
    summary: "Remove a stored key",
    input: object({ provider, key: string("number, id, its beginning, or label from the list") }),
    needs: ["config", "models", "keys"],
    async run({ provider: name, key: which }, { config, models, keys }, { signal }) {
      const view = await findProvider(name, models, config);
      if (!view.ok) return view;
      const { id: providerId, keys: own } = view.value;
      const numbered = /^\d+$/u.test(which) ? own[Number(which) - 1] : undefined;
      const stored = findByPrefix(which, withIds(own), "key");
      const key = numbered ?? own.find(({ label }) => label === which) ?? (stored.ok ? stored.value : undefined);
      if (key && key.from !== "stored") {
        const isVariable = key.from === "environment";
        const hint = isVariable
          ? `\`hermes config unset ${key.label}\` removes it from .env.`
          : "It is in config.yaml.";
        return err({ message: `${key.label} is not stored here.`, hint });
      }
      const removed = await keys.remove(providerId, key?.id ?? which, signal);
      if (!removed.ok) return err({ ...removed.error, hint: "`hermes auth list` shows the keys." });
      return ok({ provider: providerId, ...removed.value });
    },
  }),

  reset: writeOperation({
    summary: "Re-enable keys that Hermes paused after the provider refused them",
    input: object({ provider, key: optional(string("number, id, its beginning, or label of the key; default: all")) }),
    needs: ["config", "models", "keys"],
    async run({ provider: name, key: which }, { config, models, keys }, { signal }) {
      const view = await findProvider(name, models, config);
      if (!view.ok) return view;
      const { id: providerId, route } = view.value;
      const own = route === undefined ? [] : models.pool.list(route);
      const named = own.filter(
        ({ id, label }, index) => which === undefined || [id, label, String(index + 1)].includes(which),
      );
      const byBeginning = findByPrefix(which ?? "", withIds(own), "key");
      const chosen = named.length === 0 && byBeginning.ok ? [byBeginning.value] : named;
      if (chosen.length === 0)
        return err({ message: `There is no key ${which === undefined ? "" : `${which} `}for ${providerId}.` });
      const reset = await keys.reset(
        chosen.map(({ key }) => key),
        signal,
      );
      return reset.ok ? ok({ provider: providerId, reset: reset.value }) : reset;
    },
  }),

  test: readOperation({
    summary: "Test whether the provider accepts each key",
    input: object({ provider: optional(provider) }),
    needs: ["config", "models"],
    async run({ provider: name }, { config, models }, { clock, signal }) {
      const { fetchModels } = await import("../../providers/facts/fetch-models.ts");
      const views = await chosenViews(name, models, config);
      if (!views.ok) return views;
      const [only] = views.value;
      if (name !== undefined && only) {
        const keyless = keylessFault(only);
        if (keyless) return keyless;
        if (only.keys.length === 0) return err({ message: `There is no key for ${only.id}.`, hint: only.note });
      }
      const tests = views.value.flatMap(({ id, route }) =>
        route === undefined ? [] : models.pool.list(route).map((key) => ({ id, route, key })),
      );
      const keys = await Promise.all(
        tests.map(async ({ id, route, key }) => {
          const about = { provider: id, label: key.label };
          if (route.modelsUrl === undefined)
            return {
              ...about,
              ok: null,
              message: `the provider has no model list to fetch: \`hermes model test ${id}\``,
            };
          const address = { ...route, baseUrl: key.baseUrl, modelsUrl: `${key.baseUrl}/models` };
          const sender = await models.sends(key, route, signal);
          if (!sender.ok) return { ...about, ok: false, message: sender.error.message };
          const endpoint = key.baseUrl === route.baseUrl ? route : address;
          const done = await fetchModels(endpoint, sender.value, { http: models.http, clock }, signal);
          if (done.ok) return { ...about, ok: true, message: plural(done.value.length, "model") };
          const isRefused = done.error.kind === "auth" || done.error.kind === "billing";
          return { ...about, ok: isRefused ? false : null, message: done.error.message };
        }),
      );
      return ok({ keys });
    },
  }),
};

function isServerAddress(url: string): boolean {
  return /^https?:\/\/[^\s@]+$/u.test(url);
}

function summaryOf({ id, title, defaultModel }: ProviderView) {
  return { provider: id, title, ...withoutUndefined({ defaultModel }) };
}

async function viewsOf(models: Models, config: LoadedConfig): Promise<readonly ProviderView[]> {
  const { providerViews } = await import("../../runtime/models/model-catalog.ts");
  return providerViews(models, config);
}

/** The named provider, or all providers that have keys. */
async function chosenViews(
  name: string | undefined,
  models: Models,
  config: LoadedConfig,
): Promise<Result<readonly ProviderView[], OperationFault>> {
  if (name === undefined) return ok((await viewsOf(models, config)).filter(({ keys }) => keys.length > 0));
  const view = await findProvider(name, models, config);
  return view.ok ? ok([view.value]) : view;
}

async function findProvider(
  name: string,
  models: Models,
  config: LoadedConfig,
): Promise<Result<ProviderView, OperationFault>> {
  const { findRow } = await import("../../providers/endpoints/find-row.ts");
  const views = await viewsOf(models, config);
  const id = findRow(name)?.id ?? name;
  const match = views.find((view) => view.id === id || view.id.toLowerCase() === name.toLowerCase());
  if (match) return ok(match);
  const near = didYouMean(
    name,
    views.map((view) => view.id),
  );
  return err({
    message: `There is no provider ${name}. ${near}`.trim(),
    hint: "`hermes model list --all` shows all providers.",
  });
}

function keylessFault({ id, route }: ProviderView) {
  if (route?.mixture)
    return err({
      message: `${id} needs no key, because its models have their own keys.`,
      hint: "`hermes moa list` shows them.",
    });
  if (!route?.program) return undefined;
  const { command, signIn } = route.program;
  const message = `${id} needs no key: ${command} signs in by itself, with \`${signIn}\`.`;
  return err({ message, hint: `\`hermes model test ${id}\` tests it.` });
}

function withIds<T extends { readonly id?: string | undefined }>(keys: readonly T[]): (T & { readonly id: string })[] {
  return keys.flatMap((each) => (each.id === undefined ? [] : [{ ...each, id: each.id }]));
}
