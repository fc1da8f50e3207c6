import { systemClock } from "../../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { silentLog } from "../../../base/log/log.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { table } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["fallback", "list"],
    summary: "Show which models are asked when the first cannot answer",
    run: async (_input, ctx) => list(ctx),
  },
  {
    path: ["fallback", "add"],
    summary: "Put a model at the end of the list",
    args: [{ name: "model", summary: "provider/model" }],
    options: [
      { flags: "--provider <id>", summary: "the provider, when the name does not say" },
      { flags: "--base-url <url>", summary: "the address of a server" },
      { flags: "--key-env <name>", summary: "the variable with the key for that address" },
      { flags: "--first", summary: "put it at the beginning" },
    ],
    examples: ["hermes fallback add groq/openai/gpt-oss-120b"],
    async run(input, ctx) {
      const option = (name: string) => input.option(name);
      return add(input.arg("model"), option("provider"), option("baseUrl"), option("keyEnv"), input.flag("first"), ctx);
    },
  },
  {
    path: ["fallback", "remove"],
    summary: "Take a model out of the list",
    args: [{ name: "which", summary: "its number, or provider/model" }],
    run: async (input, ctx) => remove(input.arg("which"), ctx),
  },
  {
    path: ["fallback", "clear"],
    summary: "Take all models out of the list",
    async run(_input, ctx) {
      const { file } = await write([], ctx);
      return { data: { fallbacks: [], file }, text: `No model is asked in place of another.  ${ctx.paint.dim(file)}` };
    },
  },
];

interface Entry {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly key_env?: string | undefined;
  readonly [more: string]: JsonValue | undefined;
}

async function entries(ctx: CliContext): Promise<readonly Entry[]> {
  return (await ctx.config()).values.fallback_providers;
}

async function list(ctx: CliContext): Promise<Reply> {
  const { openModels } = await import("../../../runtime/models/models.ts");
  await using models = openModels(await ctx.config(), { clock: systemClock, log: silentLog });
  const known = await entries(ctx);
  const rows = known.map((entry, at) => {
    const { provider = "", model = "" } = entry;
    if (provider === "" || model === "")
      return { at, entry, name: `${provider}/${model}`, state: "ignored: it needs provider and model" };
    const { base_url = "", key_env = "" } = entry;
    const found = models.resolve({ provider, model, at: { base_url, key_env } });
    if (!found.ok) return { at, entry, name: `${provider}/${model}`, state: found.error.message };
    if (found.value === "offline")
      return { at, entry, name: "offline", state: "ignored: the built-in model is no fallback" };
    if (found.value.mixture)
      return { at, entry, name: `${provider}/${model}`, state: "ignored: a mixture is no fallback" };
    const hasKey = found.value.keys.keyless || models.pool.list(found.value).length > 0;
    return { at, entry, name: `${provider}/${model}`, state: hasKey ? "ready" : `no key. ${found.value.keys.advice}` };
  });
  return {
    data: { fallbacks: rows.map(({ entry, state }): JsonObject => ({ ...clean(entry), state })) },
    text:
      rows.length === 0
        ? "No model is asked in place of another. `hermes fallback add provider/model` names one."
        : table(
            rows.map(({ at, name, state }) => [
              String(at + 1),
              name,
              state === "ready" ? ctx.paint.good(state) : ctx.paint.warn(state),
            ]),
            ctx.io.columns,
          ),
  };
}

async function add(
  name: string,
  provider: string | undefined,
  baseUrl: string | undefined,
  keyEnv: string | undefined,
  first: boolean,
  ctx: CliContext,
): Promise<Reply> {
  const { openModels } = await import("../../../runtime/models/models.ts");
  await using models = openModels(await ctx.config(), { clock: systemClock, log: silentLog });
  const at = { ...(baseUrl !== undefined && { base_url: baseUrl }), ...(keyEnv !== undefined && { key_env: keyEnv }) };
  const asked = baseUrl !== undefined && provider === undefined ? "custom" : provider;
  const found = models.resolve({ model: name, ...(asked !== undefined && { provider: asked }), at });
  if (!found.ok) throw new CommandFailed(found.error.message);
  if (found.value === "offline") throw new CommandFailed("The built-in model cannot stand in for another.");
  if (found.value.mixture) throw new CommandFailed("A mixture of agents cannot stand in for another model.");
  const { providerId, model, keys } = found.value;
  const known = await entries(ctx);
  if (
    known.some(
      (entry) => entry.provider === providerId && entry.model === model && (entry.base_url ?? "") === (baseUrl ?? ""),
    )
  )
    throw new CommandFailed(`${providerId}/${model} is in the list already.`);
  const entry: JsonObject = { provider: providerId, model, ...at };
  const next = first ? [entry, ...known.map(clean)] : [...known.map(clean), entry];
  const { file } = await write(next, ctx);
  const hasKey = keys.keyless || models.pool.list(found.value).length > 0;
  const note = hasKey ? "" : `\n${ctx.paint.warn("note:")} There is no key yet. ${keys.advice}`;
  return {
    data: { fallbacks: next, file },
    text: `${providerId}/${model} is asked when those before it cannot answer.  ${ctx.paint.dim(file)}${note}`,
  };
}

async function remove(which: string, ctx: CliContext): Promise<Reply> {
  const known = await entries(ctx);
  const at = /^\d+$/u.test(which)
    ? Number(which) - 1
    : known.findIndex(({ provider, model }) => `${provider}/${model}` === which || model === which);
  const entry = known[at];
  if (!entry) throw new CommandFailed(`There is no fallback ${which}.`, "`hermes fallback list` shows them.");
  const next = known.toSpliced(at, 1).map(clean);
  const { file } = await write(next, ctx);
  return {
    data: { fallbacks: next, file },
    text: `Removed ${entry.provider}/${entry.model}.  ${ctx.paint.dim(file)}`,
  };
}

async function write(next: readonly JsonObject[], ctx: CliContext): Promise<{ readonly file: string }> {
  const { setValues } = await import("../../../config/write.ts");
  const { home } = await ctx.config();
  const change = { path: ["fallback_providers"], value: next.length === 0 ? undefined : next };
  return valueOf(await setValues(home, [change], { signal: ctx.signal, clock: systemClock }));
}

function clean(entry: Entry): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as JsonObject;
}
