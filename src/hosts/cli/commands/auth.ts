import { systemClock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { silentLog } from "../../../base/log/log.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { plural } from "../../../base/text/text.ts";
import type { KeyView, ProviderView } from "../../../runtime/models/model-catalog.ts";
import type { Models } from "../../../runtime/models/models.ts";
import { askLine } from "../ask-line.ts";
import { secretAskerAt } from "../ask-secret.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { readStdin } from "../stdin-text.ts";
import { table } from "../table.ts";

const providerArgument = { name: "provider", summary: "its id or alias, or custom:NAME" };

export const commands: readonly CliCommand[] = [
  {
    path: ["auth", "add"],
    summary: "Keep a key for a provider",
    details:
      "The key is asked for without showing it, or read from standard input; it is never an argument. It goes to credentials.json in the " +
      "home, for your eyes only, and is sent to the provider's own address alone, or to the one of --base-url.",
    args: [providerArgument],
    options: [
      { flags: "--label <name>", summary: "how to call it" },
      { flags: "--base-url <url>", summary: "the address that this key is for" },
      { flags: "--oauth", summary: "sign in with a browser instead of giving a key" },
    ],
    examples: [
      "hermes auth add openrouter",
      "hermes auth add anthropic --label work < key.txt",
      "hermes auth add nous --oauth",
    ],
    run: async (input, ctx) => {
      const [provider, label, baseUrl] = [input.arg("provider"), input.option("label"), input.option("baseUrl")];
      if (!input.flag("oauth")) return add(provider, label, baseUrl, ctx);
      if (baseUrl !== undefined)
        throw new CommandFailed(
          "Who signs in gets a token for the provider's own address; --base-url has no place here.",
        );
      return signIn(provider, label, ctx);
    },
  },
  {
    path: ["auth", "list"],
    summary: "Show which keys there are and how they do",
    details: "Of a key only its end is shown. Keys of variables are used where they are and not copied.",
    args: [{ ...providerArgument, optional: true }],
    run: async (input, ctx) => list(input.optionalArg("provider"), ctx),
  },
  {
    path: ["auth", "remove"],
    summary: "Take a stored key out",
    args: [providerArgument, { name: "key", summary: "its number, id or label, as the list shows it" }],
    run: async (input, ctx) => remove(input.arg("provider"), input.arg("key"), ctx),
  },
  {
    path: ["auth", "reset"],
    summary: "Use keys again that rest after a refusal",
    args: [providerArgument, { name: "key", summary: "its number, id or label; left out: all", optional: true }],
    run: async (input, ctx) => reset(input.arg("provider"), input.optionalArg("key"), ctx),
  },
  {
    path: ["auth", "test"],
    summary: "Ask each key's provider whether it takes the key",
    details: "Fetches the list of models, which costs nothing. Exit code 1 when a key is refused.",
    args: [{ ...providerArgument, optional: true }],
    run: async (input, ctx) => test(input.optionalArg("provider"), ctx),
  },
];

async function open(ctx: CliContext): Promise<Models> {
  const { openModels } = await import("../../../runtime/models/models.ts");
  return openModels(await ctx.config(), { clock: systemClock, log: silentLog });
}

async function viewsOf(models: Models, ctx: CliContext): Promise<readonly ProviderView[]> {
  const { providerViews } = await import("../../../runtime/models/model-catalog.ts");
  return providerViews(models, await ctx.config());
}

/** The provider that is meant; ends the command when there is none. */
async function providerNamed(name: string, models: Models, ctx: CliContext): Promise<ProviderView> {
  const { findRow } = await import("../../../providers/endpoints/find-row.ts");
  const views = await viewsOf(models, ctx);
  const id = findRow(name)?.id ?? name;
  const found = views.find((view) => view.id === id || view.id.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const ids = views.map((view) => view.id);
  throw new CommandFailed(
    `There is no provider ${name}. ${didYouMean(name, ids)}`.trim(),
    "`hermes model list --all` shows all.",
  );
}

async function add(
  name: string,
  label: string | undefined,
  baseUrl: string | undefined,
  ctx: CliContext,
): Promise<Reply> {
  await using models = await open(ctx);
  const view = await providerNamed(name, models, ctx);
  refuseKeyless(view);
  if (baseUrl !== undefined && !/^https?:\/\/[^\s@]+$/u.test(baseUrl))
    throw new CommandFailed(`${baseUrl} is no address of a server.`, "Write it as https://host/path.");
  const key = await readKey(view, ctx);
  const { addKey } = await import("../../../runtime/models/key-store.ts");
  const { home } = await ctx.config();
  const done = await addKey(home, view.id, { key, label, baseUrl }, { signal: ctx.signal, clock: systemClock });
  if (!done.ok) throw new CommandFailed(done.error.message);
  const next = `\`hermes auth test ${view.id}\` tries it, \`hermes model use ${view.id}/${view.defaultModel ?? "MODEL"}\` uses it.`;
  return {
    data: { provider: view.id, ...done.value },
    text: `Kept as ${done.value.label} for ${view.id}.  ${ctx.paint.dim(done.value.file)}\n${ctx.paint.dim(next)}`,
  };
}

function refuseKeyless({ id, route }: ProviderView): void {
  if (route?.mixture)
    throw new CommandFailed(`${id} needs no key: its models have theirs.`, "`hermes moa list` shows them.");
  if (!route?.program) return;
  const { command, signIn: how } = route.program;
  throw new CommandFailed(
    `${id} needs no key: ${command} signs in by itself, with \`${how}\`.`,
    `\`hermes model test ${id}\` asks it.`,
  );
}

async function signIn(name: string, label: string | undefined, ctx: CliContext): Promise<Reply> {
  await using models = await open(ctx);
  const view = await providerNamed(name, models, ctx);
  const { signInAt } = await import("../../../runtime/models/sign-in.ts");
  const { io } = ctx;
  const talk = {
    show: (url: string) => io.warn(`Open this page in your browser and sign in:\n\n  ${url}\n\n${pasteAdvice(io)}`),
    showCode: ({ url, code, minutes }: { url: string; code: string; minutes: number }) =>
      io.warn(`Open ${url}\nand enter the code ${code} within ${plural(minutes, "minute")}. Waiting …\n`),
    ...(io.stdinIsTerminal && { paste: (signal: AbortSignal) => askLine(io, "", signal) }),
  };
  const config = await ctx.config();
  const done = await signInAt(view.id, label, talk, { config, models, clock: systemClock }, ctx.signal);
  if (!done.ok) throw new CommandFailed(done.error.message, undefined, ctx.signal.aborted ? 130 : 1);
  const use = `\`hermes model use ${view.id}/${view.defaultModel ?? "MODEL"}\` uses it.`;
  return {
    data: { provider: view.id, ...done.value },
    text: `Signed in at ${view.title}.  ${ctx.paint.dim(done.value.file)}\n${ctx.paint.dim(use)}`,
  };
}

function pasteAdvice({ stdinIsTerminal }: CliContext["io"]): string {
  return stdinIsTerminal
    ? "If the browser is on another machine, paste the address here that it shows at the end. Waiting …\n"
    : "Waiting …\n";
}

async function readKey(view: ProviderView, ctx: CliContext): Promise<string> {
  const asker = secretAskerAt(ctx.io);
  if (!asker) {
    const text = await readStdin(ctx.io, 64_000, ctx.signal);
    return text.replace(/\r?\n$/u, "");
  }
  const asked = await asker.askSecret(view.id, `Key for ${view.title} (not shown)`, ctx.signal);
  if (asked.ok) return asked.value;
  throw new CommandFailed("No key was given.", undefined, ctx.signal.aborted ? 130 : 1);
}

async function list(name: string | undefined, ctx: CliContext): Promise<Reply> {
  await using models = await open(ctx);
  if (models.pool.fault !== undefined) throw new CommandFailed(models.pool.fault);
  const one = name === undefined ? undefined : await providerNamed(name, models, ctx);
  const views = one ? [one] : (await viewsOf(models, ctx)).filter(({ keys }) => keys.length > 0);
  const rows = views.flatMap((view) => view.keys.map((key, at) => keyRow(view, key, at, ctx)));
  const none = one
    ? `There is no key for ${one.id}. ${one.note}`
    : "There are no keys. `hermes auth add PROVIDER` keeps one.";
  return {
    data: { keys: views.flatMap(({ id, keys }) => keys.map((key): JsonObject => ({ provider: id, ...key }))) },
    text: rows.length === 0 ? none : table(rows, ctx.io.columns),
  };
}

function keyRow({ id }: ProviderView, key: KeyView, at: number, { paint }: CliContext): readonly string[] {
  const minutes = key.until === undefined ? 0 : Math.ceil((key.until - systemClock.now()) / 60_000);
  const rest = minutes > 120 ? `${Math.round(minutes / 60)} h` : `${minutes} min`;
  const state =
    key.status === "ok"
      ? paint.good("ok")
      : key.status === "dead"
        ? paint.bad("refused again and again")
        : paint.warn(`rests for ${rest}`);
  return [
    id,
    String(at + 1),
    key.label,
    key.id ?? key.from,
    key.hint,
    `${state}${key.why === undefined ? "" : `  ${key.why}`}`,
  ];
}

async function remove(name: string, which: string, ctx: CliContext): Promise<Reply> {
  await using models = await open(ctx);
  const view = await providerNamed(name, models, ctx);
  const numbered = /^\d+$/u.test(which) ? view.keys[Number(which) - 1] : undefined;
  const key = numbered ?? view.keys.find(({ id, label }) => id === which || label === which);
  if (key && key.from !== "stored")
    throw new CommandFailed(
      `${key.label} is not stored here.`,
      key.from === "environment"
        ? `\`hermes config unset ${key.label}\` takes it out of .env.`
        : "It is in config.yaml.",
    );
  const { removeKey } = await import("../../../runtime/models/key-store.ts");
  const { home } = await ctx.config();
  const done = await removeKey(home, view.id, key?.id ?? which, { signal: ctx.signal, clock: systemClock });
  if (!done.ok) throw new CommandFailed(done.error.message, "`hermes auth list` shows the keys.");
  return {
    data: { provider: view.id, ...done.value },
    text: `Removed ${done.value.label} of ${view.id}.  ${ctx.paint.dim(done.value.file)}`,
  };
}

async function reset(name: string, which: string | undefined, ctx: CliContext): Promise<Reply> {
  await using models = await open(ctx);
  const view = await providerNamed(name, models, ctx);
  const all = view.route === undefined ? [] : models.pool.list(view.route);
  const chosen = all.filter(
    ({ id, label }, at) => which === undefined || which === id || which === label || which === String(at + 1),
  );
  if (chosen.length === 0) throw new CommandFailed(`There is no key ${which ?? ""} for ${view.id}.`.replace("  ", " "));
  const { resetKeys } = await import("../../../runtime/models/key-store.ts");
  const { home } = await ctx.config();
  const keys = chosen.map(({ key }) => key);
  const done = await resetKeys(home, keys, { signal: ctx.signal, clock: systemClock });
  if (!done.ok) throw new CommandFailed(done.error.message);
  return {
    data: { provider: view.id, reset: done.value },
    text: done.value === 0 ? `No key of ${view.id} rests.` : `${done.value} of ${view.id} will be asked again.`,
  };
}

async function test(name: string | undefined, ctx: CliContext): Promise<Reply> {
  await using models = await open(ctx);
  const { fetchModels } = await import("../../../providers/facts/fetch-models.ts");
  const one = name === undefined ? undefined : await providerNamed(name, models, ctx);
  const views = one ? [one] : (await viewsOf(models, ctx)).filter(({ keys }) => keys.length > 0);
  if (one) refuseKeyless(one);
  if (one && one.keys.length === 0) throw new CommandFailed(`There is no key for ${one.id}.`, one.note);
  const tests = views.flatMap(({ id, route }) =>
    route === undefined ? [] : models.pool.list(route).map((key) => ({ id, route, key })),
  );
  const results = await Promise.all(
    tests.map(async ({ id, route, key }) => {
      const about = { provider: id, label: key.label };
      if (route.modelsUrl === undefined)
        return { ...about, ok: null, message: `it has no list to ask for: \`hermes model test ${id}\`` };
      const at =
        key.baseUrl === route.baseUrl ? route : { ...route, baseUrl: key.baseUrl, modelsUrl: `${key.baseUrl}/models` };
      const sender = await models.sends(key, route, ctx.signal);
      if (!sender.ok) return { ...about, ok: false, message: sender.error.message };
      const done = await fetchModels(at, sender.value, { http: models.http, clock: systemClock }, ctx.signal);
      if (done.ok) return { ...about, ok: true, message: `${done.value.length} models` };
      const isRefused = done.error.kind === "auth" || done.error.kind === "billing";
      return { ...about, ok: isRefused ? false : null, message: done.error.message };
    }),
  );
  const mark = (ok: boolean | null) =>
    ok === true ? ctx.paint.good("taken") : ok === false ? ctx.paint.bad("refused") : ctx.paint.warn("not known");
  return {
    data: { keys: results },
    text:
      results.length === 0
        ? "There are no keys. `hermes auth add PROVIDER` keeps one."
        : table(
            results.map(({ provider, label, ok, message }) => [provider, label, mark(ok), message]),
            ctx.io.columns,
          ),
    exitCode: results.some(({ ok }) => ok === false) ? 1 : 0,
  };
}
