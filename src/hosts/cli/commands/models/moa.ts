import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { askLine } from "../../questions/ask-line.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["moa", "list"],
    summary: "List the mixtures of agents with their references and aggregators",
    run: list,
  },
  {
    path: ["moa", "configure"],
    summary: "Create or change a mixture of agents",
    details:
      "Before every answer, Hermes queries the references in parallel, without tools; then the aggregator answers. Every query costs. Options that you omit stay unchanged. Without options, asks at the terminal.",
    args: [{ name: "name", summary: "the preset; default: the default preset", optional: true }],
    options: [
      { flags: "--reference <model>...", summary: "provider/model to query first; repeatable" },
      { flags: "--aggregator <model>", summary: "provider/model that writes the answer" },
      { flags: "--reference-temperature <number>", summary: "temperature of the references, 0 to 2" },
      { flags: "--aggregator-temperature <number>", summary: "temperature of the aggregator, 0 to 2" },
      { flags: "--max-tokens <number>", summary: "maximum number of tokens in a reference's answer" },
      { flags: "--enable", summary: "query the references" },
      { flags: "--disable", summary: "query only the aggregator" },
      { flags: "--default", summary: "make it the default preset" },
    ],
    examples: [
      "hermes moa configure fast --reference groq/openai/gpt-oss-120b --reference gemini/gemini-3-flash --aggregator anthropic/claude-opus-4-8",
      "hermes moa configure fast --default",
    ],
    run: configure,
  },
  {
    path: ["moa", "delete"],
    summary: "Delete a mixture, or reset the built-in one",
    args: [{ name: "name", summary: "the preset" }],
    async run(input, ctx) {
      const outcome = await ctx.run("moa.delete", { name: input.arg("name") });
      const { deleted, file, notes } = outcome;
      const done = deleted === "default" ? "moa/default has its built-in models again." : `Deleted moa/${deleted}.`;
      return { data: outcome, text: [`${done}  ${ctx.paint.dim(file)}`, ...noteLines(notes, ctx)].join("\n") };
    },
  },
];

async function list(_input: CliInput, ctx: CliContext): Promise<Reply> {
  const listed = await ctx.run("moa.list", {});
  const { default: defaultName, presets } = listed;
  const rows = presets.flatMap(({ name, enabled, reference_models: references, aggregator }) => [
    [
      name === defaultName ? ctx.paint.good("●") : " ",
      ctx.paint.bold(`moa/${name}`),
      "answers",
      ...modelCells(aggregator, ctx),
    ],
    ...references.map((each) => [" ", "", enabled ? "queried first" : "not queried", ...modelCells(each, ctx)]),
  ]);
  const isMissing = !presets.some(({ name }) => name === defaultName);
  return {
    data: listed,
    text: [
      table(rows, ctx.io.columns),
      ...(isMissing ? [`${ctx.paint.warn("warning:")} The default preset ${defaultName} does not exist.`] : []),
      ctx.paint.dim("`hermes model use moa/NAME` makes one the default model, `/moa` uses one in a session."),
    ].join("\n"),
  };
}

type Model = OutputOf<"moa.list">["presets"][number]["aggregator"];

function modelCells({ provider, model, state }: Model, { paint }: CliContext): string[] {
  return [`${provider}/${model}`, state === "ready" ? paint.good(state) : paint.warn(state)];
}

async function configure(input: CliInput, ctx: CliContext): Promise<Reply> {
  if (input.flag("enable") && input.flag("disable"))
    throw new CommandFailed("Use --enable or --disable, not both.", undefined, 2);
  const name = input.optionalArg("name");
  const given = {
    references: input.list("reference").length > 0 ? input.list("reference") : undefined,
    aggregator: input.option("aggregator"),
    referenceTemperature: numberIn(input, "referenceTemperature"),
    aggregatorTemperature: numberIn(input, "aggregatorTemperature"),
    maxTokens: numberIn(input, "maxTokens"),
    enabled: input.flag("enable") || input.flag("disable") ? input.flag("enable") : undefined,
    makeDefault: input.flag("default") || undefined,
  };
  const isGiven = Object.values(given).some((value) => value !== undefined);
  const changes = isGiven ? given : await askChanges(name, ctx);
  const { isNew, ...data } = await ctx.run("moa.configure", { name, ...changes });
  return {
    data,
    text: [
      `${isNew ? "Saved" : "Unchanged:"} ${ctx.paint.bold(`moa/${data.name}`)}.  ${ctx.paint.dim(data.file)}`,
      ...noteLines(data.notes, ctx),
      ctx.paint.dim(`\`hermes model test moa/${data.name}\` queries all of its models once.`),
    ].join("\n"),
  };
}

function numberIn(input: CliInput, option: string): number | undefined {
  const text = input.option(option);
  if (text === undefined) return undefined;
  if (text.trim() === "" || !Number.isFinite(Number(text)))
    throw new CommandFailed(`${text} is not a number.`, undefined, 2);
  return Number(text);
}

/** An empty line leaves a field unchanged. */
async function askChanges(requested: string | undefined, ctx: CliContext) {
  const { io, signal } = ctx;
  if (!io.stdinIsTerminal)
    throw new CommandFailed(
      "Nothing to change.",
      "Pass --reference, --aggregator or others; `hermes moa configure --help` lists them.",
      2,
    );
  const { default: defaultName, presets } = await ctx.run("moa.list", {});
  const name = requested ?? defaultName;
  const before = presets.find((preset) => preset.name === name);
  const now = (models: readonly Model[]) =>
    models.length === 0 ? "" : ` [${models.map(({ provider, model }) => `${provider}/${model}`).join(", ")}]`;
  const first = await askLine(
    io,
    `References of moa/${name}, provider/model separated by commas${now(before?.reference_models ?? [])}: `,
    signal,
  );
  const aggregator = await askLine(io, `Aggregator, provider/model${now(before ? [before.aggregator] : [])}: `, signal);
  const references = first
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return {
    references: references.length > 0 ? references : undefined,
    aggregator: aggregator === "" ? undefined : aggregator,
  };
}

function noteLines(notes: readonly string[], { paint }: CliContext): readonly string[] {
  return notes.map((note) => `${paint.warn("note:")} ${note}`);
}
