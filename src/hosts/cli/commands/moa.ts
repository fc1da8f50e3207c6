import { systemClock } from "../../../base/clock.ts";
import type { JsonValue } from "../../../base/json.ts";
import { silentLog } from "../../../base/log/log.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import type { Models } from "../../../runtime/models/models.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { table } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["moa", "list"],
    summary: "Show the mixtures: who is asked first, and who answers",
    run: async (_input, ctx) => list(ctx),
  },
  {
    path: ["moa", "configure"],
    summary: "Make or change a mixture",
    details:
      "References are asked side by side before every answer, without tools; the aggregator answers. Each is paid for. What is not named stays as it is. Without options it asks at a terminal.",
    args: [{ name: "name", summary: "the preset; left out: the usual one", optional: true }],
    options: [
      { flags: "--reference <model>...", summary: "provider/model to ask first; may be given several times" },
      { flags: "--aggregator <model>", summary: "provider/model that answers" },
      { flags: "--reference-temperature <number>", summary: "how freely the references answer, 0 to 2" },
      { flags: "--aggregator-temperature <number>", summary: "how freely the aggregator answers, 0 to 2" },
      { flags: "--max-tokens <number>", summary: "most tokens that a reference answers" },
      { flags: "--enable", summary: "ask the references" },
      { flags: "--disable", summary: "ask the aggregator alone" },
      { flags: "--default", summary: "make it the usual one" },
    ],
    examples: [
      "hermes moa configure fast --reference groq/openai/gpt-oss-120b --reference gemini/gemini-3-flash --aggregator anthropic/claude-opus-4-8",
      "hermes moa configure fast --default",
    ],
    run: configure,
  },
  {
    path: ["moa", "delete"],
    summary: "Delete a mixture; the built-in one gets its own models back",
    args: [{ name: "name", summary: "the preset" }],
    run: async (input, ctx) => remove(input.arg("name"), ctx),
  },
];

type Preset = LoadedConfig["values"]["moa"]["presets"][string];
type Named = Preset["aggregator"];

async function open(ctx: CliContext): Promise<Models> {
  const { openModels } = await import("../../../runtime/models/models.ts");
  return openModels(await ctx.config(), { cwd: ctx.cwd, clock: systemClock, log: silentLog });
}

async function list(ctx: CliContext): Promise<Reply> {
  const { presets, default_preset: usual } = (await ctx.config()).values.moa;
  await using models = await open(ctx);
  const shown = Object.entries(presets).map(([name, preset]) => ({
    name,
    preset,
    references: preset.reference_models.map((each) => ({ ...each, state: stateOf(each, models) })),
    aggregator: { ...preset.aggregator, state: stateOf(preset.aggregator, models) },
  }));
  const missing = Object.hasOwn(presets, usual) ? [] : [`The usual preset ${usual} is not there.`];
  const rows = shown.flatMap(({ name, preset: { enabled }, references, aggregator }) => [
    [
      name === usual ? ctx.paint.good("●") : " ",
      ctx.paint.bold(`moa/${name}`),
      "answers",
      ...modelCells(aggregator, ctx),
    ],
    ...references.map((each) => [" ", "", enabled ? "asked first" : "not asked", ...modelCells(each, ctx)]),
  ]);
  return {
    data: {
      default: usual,
      presets: shown.map(({ name, preset, references, aggregator }) => ({
        name,
        ...preset,
        reference_models: references,
        aggregator,
      })),
    },
    text: [
      table(rows, ctx.io.columns),
      ...missing.map((each) => `${ctx.paint.warn("warning:")} ${each}`),
      ctx.paint.dim("`hermes model use moa/NAME` makes it the model, `/moa` uses it in one conversation."),
    ].join("\n"),
  };
}

function modelCells({ provider, model, state }: Named & { readonly state: string }, { paint }: CliContext): string[] {
  return [`${provider}/${model}`, state === "ready" ? paint.good(state) : paint.warn(state)];
}

function stateOf({ provider, model }: Named, models: Models): string {
  const found = models.resolve({ provider, model });
  if (!found.ok) return found.error.message;
  if (found.value === "offline") return "ready";
  if (found.value.mixture) return "a mixture asks no other mixture";
  const hasKey = found.value.keys.keyless || models.pool.list(found.value).length > 0;
  return hasKey ? "ready" : `no key: hermes auth add ${found.value.providerId}`;
}

async function configure(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { moa } = (await ctx.config()).values;
  const name = input.optionalArg("name") ?? moa.default_preset;
  const before = Object.hasOwn(moa.presets, name) ? moa.presets[name] : undefined;
  if (input.flag("enable") && input.flag("disable"))
    throw new CommandFailed("Enable or disable? Name one of both.", undefined, 2);
  await using models = await open(ctx);
  const isDefault = input.flag("default");
  const given = changesIn(input, models);
  const changes = given.length > 0 || isDefault ? given : await askedChanges(name, before, models, ctx);
  if (!before && changes.length === 0)
    throw new CommandFailed(`There is no preset ${name}.`, "--reference and --aggregator say what it is.");
  const { setValues } = await import("../../../config/write.ts");
  const { home } = await ctx.config();
  const written = valueOf(
    await setValues(
      home,
      [
        ...changes.map(([key, value]) => ({ path: ["moa", "presets", name, key], value })),
        ...(isDefault ? [{ path: ["moa", "default_preset"], value: name }] : []),
      ],
      { signal: ctx.signal, clock: systemClock },
    ),
  );
  const notes = notesOf(changes, models);
  const now = written.changed ? "" : ", as before";
  return {
    data: {
      name,
      default: isDefault || name === moa.default_preset,
      changed: Object.fromEntries(changes.map(([key, value]) => [key, value])),
      file: written.file,
      notes,
    },
    text: [
      `${ctx.paint.bold(`moa/${name}`)} is there${now}.  ${ctx.paint.dim(written.file)}`,
      ...notes.map((note) => `${ctx.paint.warn("note:")} ${note}`),
      ctx.paint.dim(`\`hermes model test moa/${name}\` asks all of them once.`),
    ].join("\n"),
  };
}

type Change = readonly [key: string, value: JsonValue, named?: readonly Named[]];

function changesIn(input: CliInput, models: Models): readonly Change[] {
  const references = input.list("reference").map((each) => namedModel(each, models));
  const aggregator = input.option("aggregator");
  const number = (option: string, key: string): readonly Change[] => {
    const text = input.option(option);
    if (text === undefined) return [];
    if (text.trim() === "" || !Number.isFinite(Number(text)))
      throw new CommandFailed(`${text} is no number.`, undefined, 2);
    return [[key, Number(text)]];
  };
  return [
    ...modelChanges(references, aggregator === undefined ? undefined : namedModel(aggregator, models)),
    ...number("referenceTemperature", "reference_temperature"),
    ...number("aggregatorTemperature", "aggregator_temperature"),
    ...number("maxTokens", "max_tokens"),
    ...(input.flag("enable") || input.flag("disable") ? [["enabled", input.flag("enable")] as const] : []),
  ];
}

/** Nothing typed leaves things as they are. */
async function askedChanges(
  name: string,
  before: Preset | undefined,
  models: Models,
  { io, signal }: CliContext,
): Promise<readonly Change[]> {
  if (!io.stdinIsTerminal)
    throw new CommandFailed(
      "What should be changed?",
      "--reference, --aggregator and others say it; `hermes moa configure --help` lists them.",
      2,
    );
  const { askLine } = await import("../ask-line.ts");
  const now = (models: readonly Named[]) => (models.length === 0 ? "" : ` [${models.map(textOf).join(", ")}]`);
  const first = await askLine(
    io,
    `Asked first by moa/${name}, provider/model with commas between${now(before?.reference_models ?? [])}: `,
    signal,
  );
  const last = await askLine(io, `Answers, provider/model${now(before ? [before.aggregator] : [])}: `, signal);
  const references = first
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return modelChanges(
    references.map((each) => namedModel(each, models)),
    last === "" ? undefined : namedModel(last, models),
  );
}

function modelChanges(references: readonly Named[], aggregator: Named | undefined): readonly Change[] {
  return [
    ...(references.length > 0
      ? [["reference_models", references.map((each) => ({ ...each })), references] as const]
      : []),
    ...(aggregator ? [["aggregator", { ...aggregator }, [aggregator]] as const] : []),
  ];
}

/** As any command takes a model: `provider/model`, an alias, `custom:NAME:MODEL`. */
function namedModel(text: string, models: Models): Named {
  const found = models.resolve({ model: text.trim() });
  if (!found.ok) throw new CommandFailed(found.error.message);
  if (found.value === "offline") throw new CommandFailed("The built-in model is no AI and has nothing to add.");
  if (found.value.mixture) throw new CommandFailed(`${text} is a mixture itself.`, "Name a single model.");
  return { provider: found.value.providerId, model: found.value.model };
}

function notesOf(changes: readonly Change[], models: Models): readonly string[] {
  const named = changes.flatMap(([, , models = []]) => models);
  return named.flatMap((each) => {
    const state = stateOf(each, models);
    return state === "ready" ? [] : [`${textOf(each)}: ${state}`];
  });
}

function textOf({ provider, model }: Named): string {
  return `${provider}/${model}`;
}

async function remove(name: string, ctx: CliContext): Promise<Reply> {
  const config = await ctx.config();
  const { moa, model } = config.values;
  if (!Object.hasOwn(moa.presets, name))
    throw new CommandFailed(`There is no preset ${name}; there are: ${Object.keys(moa.presets).join(", ")}.`);
  const isBuiltIn = name === "default";
  const isChanged = Array.from(config.origins).some(
    ([key, { from }]) => key.startsWith("moa.presets.default.") && from !== "default",
  );
  if (isBuiltIn && !isChanged)
    throw new CommandFailed(
      "The preset default is built in and stays.",
      "`hermes moa configure default` changes its models.",
    );
  const isUsual = name === moa.default_preset && !isBuiltIn;
  const { setValues } = await import("../../../config/write.ts");
  const written = valueOf(
    await setValues(
      config.home,
      [
        { path: ["moa", "presets", name], value: undefined },
        ...(isUsual ? [{ path: ["moa", "default_preset"], value: undefined }] : []),
      ],
      { signal: ctx.signal, clock: systemClock },
    ),
  );
  const isModel = model.provider === "moa" ? model.default === name : model.default === `moa/${name}`;
  const notes = [
    ...(isUsual ? ["It was the usual one: default is, from now on."] : []),
    ...(isModel && !isBuiltIn ? ["The settings name it as the model: choose another with `hermes model use`."] : []),
  ];
  const done = isBuiltIn ? "moa/default has its built-in models again." : `moa/${name} is gone.`;
  return {
    data: { deleted: name, file: written.file, notes },
    text: [
      `${done}  ${ctx.paint.dim(written.file)}`,
      ...notes.map((note) => `${ctx.paint.warn("note:")} ${note}`),
    ].join("\n"),
  };
}
