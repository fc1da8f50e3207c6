import { systemClock } from "../../../../base/clock.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { secretAskerAt } from "../../questions/ask-secret.ts";
import { readStdin } from "../../stdin-text.ts";
import { table } from "../../table.ts";

const providerArgument = { name: "provider", summary: "id or alias of the provider, or custom:NAME" };
const noKeys = "There are no keys. `hermes auth add PROVIDER` stores one.";

export const commands: readonly CliCommand[] = [
  {
    path: ["auth", "add"],
    summary: "Store a key for a provider",
    details:
      "Asks for the key without showing it, or reads it from standard input; it is never an argument. It is stored in credentials.json in the " +
      "home, readable by you alone, and sent only to the provider's own address, or to the one of --base-url.",
    args: [providerArgument],
    options: [
      { flags: "--label <name>", summary: "label in lists" },
      { flags: "--base-url <url>", summary: "the address that this key is for" },
      { flags: "--oauth", summary: "sign in with a browser instead of a key" },
    ],
    examples: [
      "hermes auth add openrouter",
      "hermes auth add anthropic --label work < key.txt",
      "hermes auth add nous --oauth",
    ],
    run: add,
  },
  {
    path: ["auth", "list"],
    summary: "List the keys and their state",
    details: "Shows only the end of a key. Keys in variables are not copied.",
    args: [{ ...providerArgument, optional: true }],
    async run(input, ctx) {
      const { note = noKeys, keys } = await ctx.run("auth.list", { provider: input.optionalArg("provider") });
      const data = { keys: keys.map(({ number: _number, ...key }) => key) };
      if (keys.length === 0) return { data, text: note };
      return {
        data,
        text: table(
          keys.map((key) => keyRow(key, ctx)),
          ctx.io.columns,
        ),
      };
    },
  },
  {
    path: ["auth", "remove"],
    summary: "Remove a stored key",
    args: [providerArgument, { name: "key", summary: "number, id, its beginning, or label from the list" }],
    async run(input, ctx) {
      const removed = await ctx.run("auth.remove", { provider: input.arg("provider"), key: input.arg("key") });
      return {
        data: removed,
        text: `Removed ${removed.label} of ${removed.provider}.  ${ctx.paint.dim(removed.file)}`,
      };
    },
  },
  {
    path: ["auth", "reset"],
    summary: "Re-enable keys that Hermes paused after the provider refused them",
    args: [
      providerArgument,
      { name: "key", summary: "number, id, its beginning, or label of the key; default: all", optional: true },
    ],
    async run(input, ctx) {
      const data = await ctx.run("auth.reset", { provider: input.arg("provider"), key: input.optionalArg("key") });
      const { provider, reset } = data;
      return {
        data,
        text: reset === 0 ? `No key of ${provider} is paused.` : `${reset} of ${provider} will be used again.`,
      };
    },
  },
  {
    path: ["auth", "test"],
    summary: "Test whether the provider accepts each key",
    details: "Fetches the list of models, which costs nothing. The exit code is 1 when a key is refused.",
    args: [{ ...providerArgument, optional: true }],
    async run(input, ctx) {
      const data = await ctx.run("auth.test", { provider: input.optionalArg("provider") });
      const mark = (ok: boolean | null) =>
        ok === true ? ctx.paint.good("accepted") : ok === false ? ctx.paint.bad("refused") : ctx.paint.warn("unknown");
      const rows = data.keys.map(({ provider, label, ok, message }) => [provider, label, mark(ok), message]);
      return {
        data,
        text: rows.length === 0 ? noKeys : table(rows, ctx.io.columns),
        exitCode: data.keys.some(({ ok }) => ok === false) ? 1 : 0,
      };
    },
  },
];

async function add(input: CliInput, ctx: CliContext): Promise<Reply> {
  const [provider, label, baseUrl] = [input.arg("provider"), input.option("label"), input.option("baseUrl")];
  if (input.flag("oauth")) {
    if (baseUrl !== undefined)
      throw new CommandFailed("A sign-in gives a token for the provider's own address; leave out --base-url.");
    const { title, defaultModel, ...data } = await ctx.run("auth.signIn", { provider, label });
    const next = `\`hermes model use ${data.provider}/${defaultModel ?? "MODEL"}\` uses it.`;
    return { data, text: `Signed in at ${title}.  ${ctx.paint.dim(data.file)}\n${ctx.paint.dim(next)}` };
  }
  const match = await ctx.run("auth.find", { provider });
  const key = await readKey(match, ctx);
  const {
    title: _title,
    defaultModel = "MODEL",
    ...data
  } = await ctx.run("auth.add", { provider, key, label, baseUrl });
  const next = `\`hermes auth test ${data.provider}\` tests it, \`hermes model use ${data.provider}/${defaultModel}\` uses it.`;
  return {
    data,
    text: `Stored as ${data.label} for ${data.provider}.  ${ctx.paint.dim(data.file)}\n${ctx.paint.dim(next)}`,
  };
}

async function readKey({ provider, title }: OutputOf<"auth.find">, ctx: CliContext): Promise<string> {
  const asker = secretAskerAt(ctx.io);
  if (!asker) return (await readStdin(ctx.io, 64_000, ctx.signal)).replace(/\r?\n$/u, "");
  const typed = await asker.askSecret(provider, `Key for ${title} (not shown)`, ctx.signal);
  if (typed.ok) return typed.value;
  throw new CommandFailed("No key was entered.", undefined, typed.error.reason === "aborted" ? 130 : 1);
}

function keyRow(key: OutputOf<"auth.list">["keys"][number], { paint }: CliContext): readonly string[] {
  const minutes = key.until === undefined ? 0 : Math.ceil((key.until - systemClock.now()) / 60_000);
  const rest = minutes > 120 ? `${Math.round(minutes / 60)} h` : `${minutes} min`;
  const states = {
    unrefused: paint.dim("not refused so far"),
    dead: paint.bad("refused repeatedly"),
    exhausted: paint.warn(`paused for ${rest}`),
  };
  const why = key.why === undefined ? "" : `  ${key.why}`;
  return [key.provider, String(key.number), key.label, key.id ?? key.from, key.hint, `${states[key.status]}${why}`];
}
