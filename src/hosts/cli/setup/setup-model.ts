import type { OutputOf } from "../../../operations/catalog.ts";
import { type CliContext, CommandFailed } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import type { SetupOutcome, SetupScene } from "./setup-answers.ts";
import type { SetupDialog } from "./setup-dialog.ts";

/** The model that the person or the options chose. */
interface ChosenModel {
  readonly provider?: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
}

type Providers = OutputOf<"model.list">["providers"];

/** Chooses a model, tries it with a real request, and saves it. */
export async function setUpModel(scene: SetupScene): Promise<SetupOutcome> {
  const { answers, dialog } = scene;
  if (answers.provider !== undefined || answers.model !== undefined || answers.baseUrl !== undefined)
    return byOptions(scene);
  if (!dialog) return { section: "model", isChanged: false, result: "unchanged" };
  return byQuestions(scene, dialog);
}

async function byOptions({ ctx, answers, say }: SetupScene): Promise<SetupOutcome> {
  const { provider, model, baseUrl, keyEnv } = answers;
  if (provider === "offline") return save({ model: "offline/rules" }, ctx);
  const address = { ...(baseUrl !== undefined && { baseUrl }), ...(keyEnv !== undefined && { keyEnv }) };
  const name = model ?? (await defaultModelOf(provider, address, ctx));
  const chosen: ChosenModel = { model: name, ...(provider !== undefined && { provider }), ...address };
  if (!answers.isTested) return save(chosen, ctx);
  say(`Asking ${nameOf(chosen)} …`);
  const outcome = await test(chosen, ctx, ctx.signal);
  if (outcome !== undefined)
    throw new CommandFailed(
      `${nameOf(chosen)} did not answer: ${outcome}`,
      "Nothing was saved. --no-test saves it without a request.",
    );
  return save(chosen, ctx);
}

async function defaultModelOf(
  provider: string | undefined,
  address: { readonly baseUrl?: string; readonly keyEnv?: string },
  ctx: CliContext,
): Promise<string> {
  const listed = provider === undefined ? undefined : await ctx.run("model.list", { filter: provider, all: true });
  const byTable = listed?.namesProvider ? listed.providers[0]?.defaultModel : undefined;
  if (byTable !== undefined && address.baseUrl === undefined) return byTable;
  const { models } = await ctx.run("model.fetch", { provider, ...address });
  const [first] = models;
  if (first === undefined) throw new CommandFailed("The server lists no models.", "Name one with --model.", 2);
  return first;
}

async function byQuestions(scene: SetupScene, dialog: SetupDialog): Promise<SetupOutcome> {
  const { ctx, say } = scene;
  for (;;) {
    const source = await chooseSource(scene, dialog);
    if (source === "keep") return { section: "model", isChanged: false, result: "unchanged" };
    if (source === "offline") return save({ model: "offline/rules" }, ctx.renewed());
    const place = source === "address" ? await askAddress(scene, dialog) : await askKey(source, scene, dialog);
    if (place === undefined) continue;
    const chosen = await triedModel(place, scene, dialog).catch(async (thrown: unknown) => {
      // If the user exits now, no model was chosen: the key that was typed for it is removed too.
      await place.forget?.();
      throw thrown;
    });
    if (chosen === undefined) {
      await place.forget?.();
      continue;
    }
    const saved = await save(chosen, ctx.renewed());
    say(`${ctx.paint.good("✓")} ${saved.result}`);
    return saved;
  }
}

/**
 * A model that answered, or that the user accepts anyway. The choice of the user. Undefined: return to the choice of
 * providers.
 */
async function triedModel(place: ModelPlace, scene: SetupScene, dialog: SetupDialog): Promise<ChosenModel | undefined> {
  const chosen = await chooseModel(place, dialog);
  return chosen && (await tryModel(chosen, scene, dialog)) === "save" ? chosen : undefined;
}

/** The provider of a model, with a key that was stored for it. */
interface ModelPlace {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly models: readonly string[];
  readonly preferred?: string;
  /** Removes the key that was typed: it was not accepted, or another model was chosen. */
  forget?(): Promise<void>;
}

/** Providers that are shown first, in this order; the others are one choice further. */
const wellKnown = ["openrouter", "anthropic", "openai-api", "gemini", "nous", "deepseek", "xai", "mistral", "groq"];

type Source =
  | "keep"
  | "offline"
  | "address"
  | { readonly provider: Providers[number]; readonly models?: readonly string[] };

async function chooseSource({ ctx }: SetupScene, dialog: SetupDialog): Promise<Source> {
  const run = ctx.renewed();
  const [{ active, fault, providers }, { servers }] = await dialog.during(async () =>
    Promise.all([run.run("model.list", { all: true }), run.run("model.localServers", {})]),
  );
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const isOffline = active === null || active.provider === "offline";
  const local = servers.flatMap(({ provider, title, models }) => {
    const row = byId.get(provider);
    const about = models.length === 0 ? "runs here, but has no model" : `runs here: ${models.slice(0, 3).join(", ")}`;
    return row ? [{ label: title, description: about, source: { provider: row, models } }] : [];
  });
  const here = new Set(servers.map(({ provider }) => provider));
  const row = (provider: Providers[number]) => ({
    label: provider.title,
    ...(provider.keys.length > 0 && { description: `has a key (${provider.keys[0]?.hint})` }),
    source: { provider } as Source,
  });
  const withKeys = providers.filter(({ keys }) => keys.length > 0);
  const famous = wellKnown.flatMap((id) => byId.get(id) ?? []).filter((each) => !withKeys.includes(each));
  const shown = [...withKeys, ...famous].filter(({ id }) => !here.has(id));
  const others = providers.filter((each) => !shown.includes(each) && !here.has(each.id) && each.id !== "offline");
  const noModel = "a built-in one answers by fixed rules; it is not an AI";
  const kept = active ? `${active.provider}/${active.model}` : (fault ?? "");
  const choices = [
    isOffline && fault === undefined
      ? { label: "No model for now", description: noModel, source: "keep" as Source }
      : { label: "Keep", description: kept, source: "keep" as Source },
    ...local,
    ...shown.map(row),
    { label: `Another provider (${others.length} more)`, source: undefined },
    { label: "A server of your own", source: "address" as Source },
    ...(isOffline ? [] : [{ label: "No model", description: noModel, source: "offline" as Source }]),
  ];
  const picked = await dialog.choose({
    title: "Which model should answer?",
    text: "You can change it at any time: hermes model",
    choices,
    initial: isOffline && local.length + withKeys.length > 0 ? 1 : 0,
  });
  const source = typeof picked === "number" ? choices[picked]?.source : undefined;
  if (source !== undefined) return source;
  const more = await dialog.choose({
    title: "Which provider?",
    choices: others.map(({ title, note }) => ({ label: title, description: note ?? "" })),
  });
  const provider = typeof more === "number" ? others[more] : undefined;
  return provider ? { provider } : "keep";
}

/** The choice of the user. Undefined: return to the choice of providers. */
async function askKey(
  source: Exclude<Source, string>,
  scene: SetupScene,
  dialog: SetupDialog,
): Promise<ModelPlace | undefined> {
  const { ctx, say } = scene;
  const { provider } = source;
  const preferred = provider.defaultModel === undefined ? {} : { preferred: provider.defaultModel };
  if (source.models) return { provider: provider.id, models: source.models, ...preferred };
  let forget: (() => Promise<void>) | undefined;
  if (!provider.usable && provider.program === undefined) {
    if (provider.note !== undefined) say(withoutControls(provider.note));
    const key = await dialog.secret(`Key for ${provider.title} (not shown; Enter alone goes back)`);
    if (key === "") return undefined;
    const added = await ctx.renewed().run("auth.add", { provider: provider.id, key });
    forget = async () => void (await ctx.renewed().run("auth.remove", { provider: provider.id, key: added.label }));
  }
  const listed = await dialog.during(async () =>
    attempt(() => ctx.renewed().run("model.fetch", { provider: provider.id })),
  );
  const models = "value" in listed ? listed.value.models : [];
  if (!("value" in listed))
    say(ctx.paint.dim(`The list of models could not be fetched: ${withoutControls(listed.fault)}`));
  return { provider: provider.id, models, ...preferred, ...(forget && { forget }) };
}

const serverKeyVariable = "CUSTOM_API_KEY";

async function askAddress(scene: SetupScene, dialog: SetupDialog): Promise<ModelPlace | undefined> {
  const { ctx, say } = scene;
  const baseUrl = await dialog.line("Address of the server, such as http://127.0.0.1:8000/v1 (Enter alone goes back)");
  if (baseUrl === "") return undefined;
  const key = await dialog.secret("Its key, if it needs one (not shown; Enter alone: none)");
  if (key !== "") await ctx.renewed().run("config.set", { key: serverKeyVariable, value: key });
  const address = { baseUrl, ...(key !== "" && { keyEnv: serverKeyVariable }) };
  const listed = await dialog.during(async () => attempt(() => ctx.renewed().run("model.fetch", address)));
  if (!("value" in listed)) say(ctx.paint.warn(`The server did not list its models: ${withoutControls(listed.fault)}`));
  const forget = async () => void (await ctx.renewed().run("config.unset", { key: serverKeyVariable }));
  return { ...address, models: "value" in listed ? listed.value.models : [], ...(key !== "" && { forget }) };
}

const maxListed = 60;

/** The choice of the user. Undefined: return to the choice of providers. */
async function chooseModel(place: ModelPlace, dialog: SetupDialog): Promise<ChosenModel | undefined> {
  const { provider, baseUrl, keyEnv, preferred, models } = place;
  const as = (model: string): ChosenModel => ({
    model,
    ...(provider !== undefined && { provider }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(keyEnv !== undefined && { keyEnv }),
  });
  const all = preferred === undefined || models.includes(preferred) ? models : [preferred, ...models];
  if (all.length === 0) {
    const typed = await dialog.line("Name of the model (Enter alone goes back)");
    return typed === "" ? undefined : as(typed);
  }
  for (let shown = all; ;) {
    const first = shown.slice(0, maxListed);
    const more =
      shown.length > first.length ? `${shown.length - first.length} more; type a part of the name to find one. ` : "";
    const picked = await dialog.choose({
      title: "Which model?",
      text: `${more}A name that is not listed works too.`,
      choices: [...first.map((label) => ({ label })), { label: "Back", description: "choose another provider" }],
      initial: Math.max(0, preferred === undefined ? 0 : first.indexOf(preferred)),
      allowsText: true,
    });
    if (typeof picked === "number") return first[picked] === undefined ? undefined : as(first[picked]);
    const matches = all.filter((name) => name.toLowerCase().includes(picked.toLowerCase()));
    if (matches.length === 0 || matches.includes(picked)) return as(picked);
    shown = matches;
  }
}

async function tryModel(chosen: ChosenModel, scene: SetupScene, dialog: SetupDialog): Promise<"save" | "back"> {
  const { ctx, say, answers } = scene;
  if (!answers.isTested) return "save";
  for (;;) {
    say(`Asking ${nameOf(chosen)} one short question …`);
    const fault = await dialog.during((signal) => test(chosen, ctx.renewed(), signal));
    if (fault === undefined) {
      say(`${ctx.paint.good("✓")} It answered.`);
      return "save";
    }
    say(`${ctx.paint.bad("✗")} ${withoutControls(fault)}`);
    const next = await dialog.choose({
      title: "The model did not answer. What now?",
      choices: [
        { label: "Try again" },
        { label: "Choose another", description: "a typed key is forgotten" },
        { label: "Save it anyway", description: "for a server that is not running yet" },
      ],
    });
    if (next === 1) return "back";
    if (next === 2) return "save";
  }
}

/** Tests a model. Undefined: it answered. Otherwise the reason why not, as text for the user. */
async function test(chosen: ChosenModel, ctx: CliContext, signal: AbortSignal): Promise<string | undefined> {
  const { provider, model, baseUrl, keyEnv } = chosen;
  const tested = await attempt(() => ctx.run("model.test", { model, provider, baseUrl, keyEnv }));
  signal.throwIfAborted();
  if (!("value" in tested)) return tested.fault;
  return "message" in tested.value ? tested.value.message : undefined;
}

async function save({ provider, model, baseUrl, keyEnv }: ChosenModel, ctx: CliContext): Promise<SetupOutcome> {
  const used = await ctx.run("model.use", { model, provider, baseUrl, keyEnv, force: true });
  return { section: "model", isChanged: true, result: `New sessions use ${used.provider}/${used.model}.` };
}

function nameOf({ provider, model, baseUrl }: ChosenModel): string {
  return withoutControls(
    provider === undefined ? `${model}${baseUrl === undefined ? "" : ` at ${baseUrl}`}` : `${provider}/${model}`,
  );
}

async function attempt<T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly fault: string }> {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (!(thrown instanceof CommandFailed) || thrown.exitCode === 130) throw thrown;
    return { fault: thrown.hint === undefined ? thrown.message : `${thrown.message} ${thrown.hint}` };
  }
}
