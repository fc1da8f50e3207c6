import { systemClock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { silentLog } from "../../../base/log/log.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import type { ModelFacts } from "../../../contracts/model/model.ts";
import type { ProviderView } from "../../../runtime/models/model-catalog.ts";
import type { Models } from "../../../runtime/models/models.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { warningsOf } from "../input.ts";
import { table } from "../table.ts";
import { withoutControls } from "../without-controls.ts";

const nameArgument = { name: "model", summary: "provider/model, a model, an alias, or custom:NAME:MODEL" };

export const commands: readonly CliCommand[] = [
  {
    path: ["model", "list"],
    summary: "Show providers, keys and models, and which one answers",
    details:
      "Works without a network, from the shipped tables and from lists that were fetched before. With FILTER: the models whose name has it.",
    args: [{ name: "filter", summary: "a provider, or a part of a model's name", optional: true }],
    options: [
      { flags: "--all", summary: "also providers without a key" },
      { flags: "--refresh", summary: "ask the providers that can be used for their models first" },
    ],
    examples: ["hermes model list", "hermes model list openrouter --refresh", "hermes model list claude"],
    async run(input, ctx) {
      await using models = await open(ctx);
      return await list(
        models,
        await ctx.config(),
        input.optionalArg("filter"),
        input.flag("all"),
        input.flag("refresh"),
        ctx,
      );
    },
  },
  {
    path: ["model", "use"],
    summary: "Choose the model that answers from now on",
    details: "Writes `model` in config.yaml. With --base-url: a server of your own; its key is given with --key-env.",
    args: [nameArgument],
    options: [
      { flags: "--provider <id>", summary: "the provider, when the name does not say" },
      { flags: "--base-url <url>", summary: "the address of a server" },
      { flags: "--key-env <name>", summary: "the variable with the key for that address" },
    ],
    examples: [
      "hermes model use openrouter/anthropic/claude-opus-4.8",
      "hermes model use qwen3:8b --provider ollama",
      "hermes model use my-model --base-url http://10.0.0.5:8000/v1",
    ],
    async run(input, ctx) {
      await using models = await open(ctx);
      const option = (name: string) => input.option(name);
      return await use(models, input.arg("model"), option("provider"), option("baseUrl"), option("keyEnv"), ctx);
    },
  },
  {
    path: ["model", "test"],
    summary: "Ask a model one small question and tell how it went",
    details:
      "Makes one request, which may cost a fraction of a cent. A model that is named answers itself; without a name those of " +
      "`hermes fallback` stand behind it. Exit code 1 when no answer came, 3 when the budget allows no request.",
    args: [{ ...nameArgument, optional: true }],
    options: [{ flags: "--provider <id>", summary: "the provider, when the name does not say" }],
    async run(input, ctx) {
      await using models = await open(ctx);
      return await test(models, input.optionalArg("model"), input.option("provider"), ctx);
    },
  },
];

async function open(ctx: CliContext): Promise<Models> {
  const { openModels } = await import("../../../runtime/models/models.ts");
  return openModels(await ctx.config(), { cwd: ctx.cwd, clock: systemClock, log: silentLog });
}

async function list(
  models: Models,
  config: LoadedConfig,
  filter: string | undefined,
  all: boolean,
  refresh: boolean,
  ctx: CliContext,
): Promise<Reply> {
  const { providerViews } = await import("../../../runtime/models/model-catalog.ts");
  const words = filter?.toLowerCase();
  const faults: string[] = [];
  if (refresh) {
    const before = providerViews(models, config);
    const wanted = before.filter((view) => isCalled(view, words));
    const asked = (wanted.length > 0 ? wanted : before).filter(
      ({ isUsable, route, isActive }) =>
        isUsable && route?.modelsUrl && (wanted.length > 0 || !route.local || isActive),
    );
    await Promise.all(
      asked.map(async ({ id, route }) => {
        const done = route && (await models.refresh(route, ctx.signal));
        if (done && !done.ok) faults.push(`${id}: ${done.error.message}`);
      }),
    );
  }
  const views = providerViews(models, config);
  const active = models.resolve();
  const named = namedIn(views, words, all);
  const shown = named.length > 0 ? named : views.filter((view) => all || isShown(view));
  const found = shown.flatMap((view) =>
    view.models.filter(({ name }) => words === undefined || named.length > 0 || name.toLowerCase().includes(words)),
  );
  const activeFacts = active.ok ? models.facts(active.value) : undefined;
  const activeName = activeFacts && `${activeFacts.provider}/${activeFacts.model}`;
  return {
    data: {
      active: active.ok && activeFacts ? { ...factsData(activeFacts), chosen: chosenOf(active.value) } : null,
      ...(active.ok ? {} : { fault: active.error.message }),
      providers: shown.map(providerData),
      models: found.map(({ name, facts }) => ({ name, ...factsData(facts) })),
      faults,
    },
    text: [
      active.ok
        ? `${ctx.paint.bold(activeName ?? "")}  ${ctx.paint.dim(`${chosenOf(active.value)}; ${windowText(activeFacts)}`)}`
        : `${ctx.paint.bad("error:")} ${active.error.message}`,
      ...((words !== undefined && named.length === 0) || shown.length === 0
        ? []
        : [
            "",
            table(
              shown.map((view) => providerRow(view, ctx)),
              ctx.io.columns,
            ),
          ]),
      ...(found.length > 0 && filter !== undefined
        ? ["", table(found.slice(0, 200).map(modelRow), ctx.io.columns)]
        : []),
      ...(found.length > 200 ? [ctx.paint.dim(`and ${found.length - 200} more`)] : []),
      ...(filter !== undefined && found.length === 0 ? [ctx.paint.dim(unknownText(named))] : []),
      ...faults.map((fault) => `${ctx.paint.warn("warning:")} ${fault}`),
      ...(all || filter !== undefined
        ? []
        : ["", ctx.paint.dim("`--all` shows every provider, `hermes auth add PROVIDER` gives it a key.")]),
    ].join("\n"),
  };
}

/** The providers that these words name. An alias is often a part of a model's name, too (`claude`), which is meant then. */
function namedIn(views: readonly ProviderView[], words: string | undefined, all: boolean): readonly ProviderView[] {
  if (words === undefined) return [];
  const exact = views.filter((view) => isCalled(view, words));
  if (exact.length > 0) return exact;
  const hasModel = ({ models }: ProviderView) => models.some(({ name }) => name.toLowerCase().includes(words));
  if (views.some((view) => (all || isShown(view)) && hasModel(view))) return [];
  return views.filter(({ aliases }) => aliases.includes(words));
}

function isCalled({ id, title }: ProviderView, words: string | undefined): boolean {
  return id === words || title.toLowerCase() === words;
}

function unknownText([named]: readonly ProviderView[]): string {
  if (!named) return "No model of that name is known here; `--refresh` asks the providers that have a key.";
  return named.isUsable ? "Its models are not known yet; `--refresh` asks for them." : named.note;
}

async function use(
  models: Models,
  name: string,
  provider: string | undefined,
  baseUrl: string | undefined,
  keyEnv: string | undefined,
  ctx: CliContext,
): Promise<Reply> {
  const { setValues } = await import("../../../config/write.ts");
  const { keptModel } = await import("../../../config/kept-model.ts");
  const { missingProgram } = await import("../../../runtime/models/missing-program.ts");
  const at = { ...(baseUrl !== undefined && { base_url: baseUrl }), ...(keyEnv !== undefined && { key_env: keyEnv }) };
  const asked = baseUrl !== undefined && provider === undefined ? "custom" : provider;
  const isAt = baseUrl !== undefined || keyEnv !== undefined;
  const wish = { model: name, ...(asked !== undefined && { provider: asked }), ...(isAt && { at }) };
  const found = models.resolve(wish);
  if (!found.ok) throw new CommandFailed(found.error.message);
  const route = found.value;
  const [id, model] = route === "offline" ? ["offline", "rules"] : [route.providerId, route.model];
  const config = await ctx.config();
  // Another model of the server that the settings name.
  const staysThere = !isAt && route !== "offline" && route.baseUrl === config.values.model.base_url;
  const written = valueOf(
    await setValues(config.home, keptModel(id, model, staysThere ? undefined : at), {
      signal: ctx.signal,
      clock: systemClock,
    }),
  );
  const facts = models.facts(route);
  const answers = route !== "offline" && route.mixture ? models.resolve(route.mixture.aggregator) : found;
  const keyed = answers.ok && answers.value !== "offline" ? answers.value : undefined;
  const hasKey = keyed === undefined || keyed.keys.keyless || models.pool.list(keyed).length > 0;
  const beaten = ["HERMES_INFERENCE_MODEL", "HERMES_INFERENCE_PROVIDER"].filter((each) => config.secrets.get(each));
  const missing = route === "offline" || !route.program ? undefined : missingProgram(route.program, config);
  const notes = [
    ...(missing === undefined ? [] : [missing]),
    ...(answers.ok ? [] : [answers.error.message]),
    ...(hasKey ? [] : [`There is no key yet. ${keyed.keys.advice}`]),
    ...beaten.map((each) => `${each} is set and wins over it.`),
  ];
  return {
    data: { provider: id, model, file: written.file, facts: factsData(facts), notes },
    text: [
      `${ctx.paint.bold(`${id}/${model}`)} answers from now on (${windowText(facts)}).  ${ctx.paint.dim(written.file)}`,
      ...notes.map((note) => `${ctx.paint.warn("note:")} ${note}`),
    ].join("\n"),
  };
}

async function test(
  models: Models,
  name: string | undefined,
  provider: string | undefined,
  ctx: CliContext,
): Promise<Reply> {
  const wish = { ...(name !== undefined && { model: name }), ...(provider !== undefined && { provider }) };
  const found = models.resolve(wish);
  if (!found.ok) throw new CommandFailed(found.error.message);
  if (found.value === "offline") {
    const text = "offline/rules is built in and always answers. It is rule-based, no AI.";
    const hint = "A real model: `hermes auth add PROVIDER`, then `hermes model use PROVIDER/MODEL`.";
    return { data: { ok: true, ...factsData(models.facts(found.value)) }, text: `${text}\n${ctx.paint.dim(hint)}` };
  }
  // Whoever tries a model wants to know now, not after the retries.
  const client = models.client(wish, { isAlone: name !== undefined || provider !== undefined, maxRetries: 0 });
  if (!client.ok) throw new CommandFailed(client.error.message);
  const { refusalElsewhere } = await import("../../../runtime/session/spend-caps.ts");
  const refusal = await refusalElsewhere(await ctx.config(), ctx.principal, warningsOf(ctx));
  if (refusal !== undefined) throw new CommandFailed(refusal, undefined, 3);
  const startedAt = systemClock.elapsed();
  const since = () => Math.round(systemClock.elapsed() - startedAt);
  const steps: string[] = [];
  let firstMs: number | undefined;
  const messages = [{ role: "user", content: [{ type: "text", text: "Answer with the word ok." }] }] as const;
  for await (const event of client.value.stream({ system: [], messages, tools: [], maxTokens: 2_000 }, ctx.signal)) {
    const ms = since();
    if (event.type === "text" || event.type === "reasoning") firstMs ??= ms;
    if (event.type === "consulted" && event.error) {
      const step = `${event.provider}/${event.model} did not answer: ${event.error.message}`;
      steps.push(step);
      if (!ctx.json) ctx.io.warn(`${ctx.paint.warn("reference")}: ${withoutControls(step)}\n`);
    }
    if (event.type === "failed") {
      const step = `${event.error.message} → ${event.how}`;
      steps.push(step);
      // The last one is the answer of this command.
      if (!ctx.json && event.next !== "give_up")
        ctx.io.warn(`${ctx.paint.warn(event.next)}: ${withoutControls(step)}\n`);
    }
    if (event.type === "error") {
      const { kind, message } = event.error;
      return {
        data: { ok: false, kind, message, ms, steps },
        text: `${ctx.paint.bad("no answer:")} ${withoutControls(message)}`,
        exitCode: ctx.signal.aborted ? 130 : 1,
      };
    }
    if (event.type !== "finish") continue;
    const { usage, by, message } = event;
    // While we are at it; nobody waits long for it.
    await models.refresh(found.value, AbortSignal.any([ctx.signal, AbortSignal.timeout(3_000)]));
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const cost = usage.costUsd === undefined ? "price not known" : `$${usage.costUsd.toFixed(6)}`;
    const counted = `${usage.input} tokens in, ${usage.output} out${usage.estimated ? " (estimated)" : ""}, ${cost}`;
    return {
      data: {
        ok: true,
        ...factsData(by),
        ms,
        firstMs: firstMs ?? null,
        usage: { ...usage },
        answer: text,
        steps,
      },
      text: `${ctx.paint.good("answered:")} ${by.provider}/${by.model} in ${ms} ms (first word after ${firstMs ?? ms} ms), ${counted}`,
    };
  }
  throw new CommandFailed("The model ended without an answer.");
}

/** Servers that may or may not run here are not worth a line before they were asked. */
function isShown({ isUsable, isActive, keys, models }: ProviderView): boolean {
  return isActive || (isUsable && (keys.length > 0 || models.length > 0));
}

function chosenOf(route: "offline" | { readonly chosen: string }): string {
  return route === "offline" ? "built in: rule-based, no AI" : route.chosen;
}

function factsData({ price, ...facts }: ModelFacts): JsonObject {
  return { ...facts, ...(price && { price: { ...price } }) };
}

function providerData({
  id,
  title,
  aliases,
  route,
  keys,
  isUsable,
  isActive,
  defaultModel,
  note,
  models,
  listedAt,
}: ProviderView): JsonObject {
  return {
    id,
    title,
    aliases,
    active: isActive,
    usable: isUsable,
    ...(route && { baseUrl: route.baseUrl, protocol: route.protocol }),
    ...(defaultModel !== undefined && { defaultModel }),
    keys: keys.map((key) => ({ ...key })),
    ...(note !== "" && { note }),
    listed: models.length,
    ...(listedAt !== undefined && { listedAt }),
  };
}

function providerRow(view: ProviderView, { paint }: CliContext): readonly string[] {
  const resting = view.keys.filter(({ status }) => status !== "ok").length;
  const labels = view.keys.map(({ label }) => label).join(", ");
  const none = view.route?.program ? "not here" : "no key";
  const keys = view.keys.length === 0 ? (view.isUsable ? "no key needed" : none) : labels;
  const rest = resting > 0 ? `, ${resting} resting` : "";
  const also = view.aliases.length === 0 ? "" : paint.dim(` (or ${view.aliases.join(", ")})`);
  const needs = view.route && view.keyVariable !== undefined ? `${view.keyVariable}${also}` : view.note;
  return [
    view.isActive ? paint.good("●") : " ",
    view.id,
    view.isUsable ? `${keys}${rest}` : paint.dim(`${keys}${rest}`),
    view.models.length > 0 ? `${view.models.length} models` : "",
    view.isUsable ? `${view.defaultModel ?? view.note}${also}` : paint.dim(needs),
  ];
}

function modelRow({ name, facts }: ProviderView["models"][number]): readonly string[] {
  return [name, windowText(facts)];
}

function windowText(facts: ModelFacts | undefined): string {
  if (!facts) return "";
  const { contextTokens, contextSource, price, vision } = facts;
  const size = contextTokens >= 1_000_000 ? `${Number((contextTokens / 1_000_000).toFixed(1))}M` : undefined;
  const window = `${size ?? `${Math.round(contextTokens / 1000)}K`}${contextSource === "assumed" ? " assumed" : ""}`;
  const cost =
    price === undefined ? "" : price.input + price.output === 0 ? ", free" : `, $${price.input}/$${price.output} per M`;
  return `${window}${vision ? ", sees pictures" : ""}${cost}`;
}
