import type { ModelFacts } from "../../../../contracts/model/model.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, type Reply } from "../../command.ts";
import { table } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

const nameArgument = { name: "model", summary: "provider/model, a model, an alias, or custom:NAME:MODEL" };
const providerOption = { flags: "--provider <id>", summary: "the provider, if the name does not include it" };
const maxShown = 200;

export const commands: readonly CliCommand[] = [
  {
    path: ["model", "list"],
    summary: "List providers, keys and models, and show the current model",
    details:
      "Works offline, with the built-in tables and cached lists. With FILTER: the models whose name contains it.",
    args: [{ name: "filter", summary: "a provider, or part of a model name", optional: true }],
    options: [
      { flags: "--all", summary: "include providers without a key" },
      { flags: "--refresh", summary: "first fetch the models of the usable providers" },
    ],
    examples: ["hermes model list", "hermes model list openrouter --refresh", "hermes model list claude"],
    run: list,
  },
  {
    path: ["model", "use"],
    summary: "Set the default model",
    details:
      "Writes `model` in config.yaml. With --base-url: a server of your own; --key-env names the variable with its key.",
    args: [nameArgument],
    options: [
      providerOption,
      { flags: "--base-url <url>", summary: "the address of a server" },
      { flags: "--key-env <name>", summary: "the variable with the key for that address" },
      { flags: "--force", summary: "also a model that is not in the list of its provider" },
    ],
    examples: [
      "hermes model use openrouter/anthropic/claude-opus-4.8",
      "hermes model use qwen3:8b --provider ollama",
      "hermes model use my-model --base-url http://10.0.0.5:8000/v1",
    ],
    async run(input, ctx) {
      const used = await ctx.run("model.use", {
        model: input.arg("model"),
        provider: input.option("provider"),
        baseUrl: input.option("baseUrl"),
        keyEnv: input.option("keyEnv"),
        force: input.flag("force"),
      });
      const { provider, model, file, facts, notes } = used;
      return {
        data: used,
        text: [
          `Now using ${ctx.paint.bold(`${provider}/${model}`)} (${windowText(facts)}).  ${ctx.paint.dim(file)}`,
          ...notes.map((note) => `${ctx.paint.warn("note:")} ${note}`),
        ].join("\n"),
      };
    },
  },
  {
    path: ["model", "test"],
    summary: "Send a model one short question and report the outcome",
    details:
      "Makes one request, which may cost a fraction of a cent. With a name, only that model is tried; without one, the models of " +
      "`hermes fallback` are tried when it fails. Exit codes: 1 without an answer, 3 when the budget allows no request.",
    args: [{ ...nameArgument, optional: true }],
    options: [providerOption],
    async run(input, ctx) {
      const tested = await ctx.run("model.test", {
        model: input.optionalArg("model"),
        provider: input.option("provider"),
      });
      return { data: tested, ...testedText(tested, ctx) };
    },
  },
  {
    path: ["model"],
    summary: "Choose the model at a terminal; without a terminal, list the models",
    details: "Asks for the provider, a key if it needs one, and the model; tries it with one request, then saves it.",
    options: [
      { flags: "--refresh", summary: "without a terminal: first fetch the models of the usable providers" },
      { flags: "--no-test", summary: "save the model without a test request" },
    ],
    async run(input, ctx) {
      const { runSetupSection } = await import("../../setup/run-setup.ts");
      return (await runSetupSection("model", input, ctx)) ?? list(input, ctx);
    },
  },
];

async function list(input: CliInput, ctx: CliContext): Promise<Reply> {
  const filter = input.optionalArg("filter");
  const all = input.flag("all");
  const listed = await ctx.run("model.list", { filter, all, refresh: input.flag("refresh") });
  const { active, fault, providers, namesProvider, models, faults } = listed;
  const showsProviders = providers.length > 0 && (filter === undefined || namesProvider);
  return {
    data: listed,
    text: [
      active
        ? `${ctx.paint.bold(`${active.provider}/${active.model}`)}  ${ctx.paint.dim(`${active.chosen}; ${windowText(active)}`)}`
        : `${ctx.paint.bad("error:")} ${fault}`,
      ...(showsProviders
        ? [
            "",
            table(
              providers.map((each) => providerRow(each, ctx)),
              ctx.io.columns,
            ),
          ]
        : []),
      ...(models.length > 0 && filter !== undefined
        ? [
            "",
            table(
              models.slice(0, maxShown).map((each) => [each.name, windowText(each)]),
              ctx.io.columns,
            ),
          ]
        : []),
      ...(models.length > maxShown ? [ctx.paint.dim(`and ${models.length - maxShown} more`)] : []),
      ...(filter !== undefined && models.length === 0
        ? [ctx.paint.dim(noModelsText(namesProvider ? providers[0] : undefined))]
        : []),
      ...faults.map((each) => `${ctx.paint.warn("warning:")} ${each}`),
      ...(all || filter !== undefined
        ? []
        : ["", ctx.paint.dim("`--all` shows every provider, `hermes auth add PROVIDER` stores a key for it.")]),
    ].join("\n"),
  };
}

type Provider = OutputOf<"model.list">["providers"][number];

function noModelsText(provider: Provider | undefined): string {
  if (!provider) return "No known model has that name; `--refresh` fetches the lists of providers that have a key.";
  return provider.usable ? "Its models have not been fetched yet; run with `--refresh`." : (provider.note ?? "");
}

function testedText(tested: OutputOf<"model.test">, ctx: CliContext): Reply {
  if ("message" in tested)
    return {
      text: `${ctx.paint.bad("no answer:")} ${withoutControls(tested.message)}`,
      exitCode: ctx.signal.aborted ? 130 : 1,
    };
  if (tested.offline) {
    const text = "offline/rules is built in and always answers. It is rule-based, not an AI.";
    const hint = "For a real model: `hermes auth add PROVIDER`, then `hermes model use PROVIDER/MODEL`.";
    return { text: `${text}\n${ctx.paint.dim(hint)}` };
  }
  const { usage, provider, model, ms, firstMs } = tested;
  const cost = usage.costUsd === undefined ? "unknown price" : `$${usage.costUsd.toFixed(6)}`;
  const counted = `${usage.input} tokens in, ${usage.output} out${usage.estimated ? " (estimated)" : ""}, ${cost}`;
  return {
    text: `${ctx.paint.good("answered:")} ${provider}/${model} in ${ms} ms (first word after ${firstMs ?? ms} ms), ${counted}`,
  };
}

function providerRow(provider: Provider, { paint }: CliContext): readonly string[] {
  const {
    id,
    active,
    usable,
    keys,
    program,
    aliases,
    keyVariable,
    baseUrl,
    defaultModel,
    note = "",
    listed,
  } = provider;
  const resting = keys.filter(({ status }) => status !== "unrefused").length;
  const none = usable ? "no key needed" : program === undefined ? "no key" : "not here";
  const labels = keys.length === 0 ? none : keys.map(({ label }) => label).join(", ");
  const state = `${labels}${resting > 0 ? `, ${resting} resting` : ""}`;
  const also = aliases.length === 0 ? "" : paint.dim(` (or ${aliases.join(", ")})`);
  const needs = baseUrl !== undefined && keyVariable !== undefined ? `${keyVariable}${also}` : note;
  return [
    active ? paint.good("●") : " ",
    id,
    usable ? state : paint.dim(state),
    listed > 0 ? `${listed} models` : "",
    usable ? `${defaultModel ?? note}${also}` : paint.dim(needs),
  ];
}

function windowText({ contextTokens, contextSource, price, vision }: ModelFacts): string {
  const size = contextTokens >= 1_000_000 ? `${Number((contextTokens / 1_000_000).toFixed(1))}M` : undefined;
  const window = `${size ?? `${Math.round(contextTokens / 1000)}K`}${contextSource === "assumed" ? " assumed" : ""}`;
  const cost =
    price === undefined ? "" : price.input + price.output === 0 ? ", free" : `, $${price.input}/$${price.output} per M`;
  return `${window}${vision ? ", vision" : ""}${cost}`;
}
