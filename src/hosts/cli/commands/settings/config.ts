import type { JsonValue } from "../../../../base/json.ts";
import { plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext, Reply } from "../../command.ts";
import { editorOf, runEditor } from "../../run-editor.ts";
import { readStdin } from "../../stdin-text.ts";
import { table, wrap } from "../../table.ts";

const keyArgument = { name: "key", summary: 'the setting, such as approvals.mode or plugins.entries."my.plugin"' };

export const commands: readonly CliCommand[] = [
  {
    path: ["config", "show"],
    summary: "Show every value and its origin",
    details: "Secrets are masked. KEY limits the list to a setting or a section.",
    args: [{ ...keyArgument, optional: true }],
    options: [{ flags: "--changed", summary: "only values that are not the default" }],
    examples: ["hermes config show", "hermes config show approvals", "hermes config show --changed"],
    async run(input, ctx) {
      const shown = await ctx.run("config.show", { key: input.optionalArg("key"), changed: input.flag("changed") });
      return { data: shown, text: showText(shown, ctx) };
    },
  },
  {
    path: ["config", "get"],
    summary: "Print one value",
    details: "Strings are printed as they are, lists and sections as JSON, secrets as ***.",
    args: [keyArgument],
    examples: ["hermes config get approvals.mode"],
    async run(input, ctx) {
      const setting = await ctx.run("config.get", { key: input.arg("key") });
      return { data: setting, text: plain(setting.value) };
    },
  },
  {
    path: ["config", "set"],
    summary: "Change one setting",
    details:
      "The value is read as YAML: true, 12, [a, b]. Secrets and environment variables such as OPENAI_API_KEY go to .env, everything " +
      "else to config.yaml, which keeps its comments and order. `-` reads the value from standard input, so that a key stays out of " +
      "the shell history.",
    args: [keyArgument, { name: "value", summary: "the new value, or - for standard input" }],
    options: [{ flags: "--force", summary: "write an unknown key (never among safety settings)" }],
    examples: [
      "hermes config set approvals.mode manual",
      "hermes config set toolsets '[web, file]'",
      "hermes config set OPENAI_API_KEY - < key.txt",
    ],
    async run(input, ctx) {
      const typed = input.arg("value");
      const value = typed === "-" ? (await readStdin(ctx.io, 1_000_000, ctx.signal)).replace(/\r?\n$/u, "") : typed;
      const written = await ctx.run("config.set", { key: input.arg("key"), value, force: input.flag("force") });
      const isModel = written.key === "model" || written.key === "model.default";
      const { unlisted } = isModel ? await ctx.renewed().run("model.check", { model: value }) : { unlisted: null };
      const notes = [...written.notices, ...(unlisted === null ? [] : [unlisted])].map(
        (note) => `${ctx.paint.warn("note:")} ${note}`,
      );
      const line = `${written.key} = ${plain(written.value)}  ${ctx.paint.dim(written.file)}`;
      return { data: written, text: [line, ...notes].join("\n") };
    },
  },
  {
    path: ["config", "unset"],
    summary: "Remove one setting from the file",
    args: [keyArgument],
    async run(input, ctx) {
      const done = await ctx.run("config.unset", { key: input.arg("key") });
      const { key, file, removed } = done;
      return { data: done, text: removed ? `${key} is no longer set in ${file}` : `${key} was not set in ${file}` };
    },
  },
  {
    path: ["config", "restore"],
    summary: "Restore the last valid config.yaml after the file was emptied, truncated or removed",
    details:
      "Hermes saves a copy of every valid config.yaml, and does not start if the file has suddenly lost its text.",
    options: [{ flags: "--discard", summary: "accept the file as it is, and forget the saved copy" }],
    async run(input, ctx) {
      const discard = input.flag("discard");
      const done = await ctx.run("config.restore", { discard });
      const { file, changed } = done;
      const text = discard ? `${file} is accepted as it is` : `${file} has the last valid settings again`;
      return { data: done, text: changed ? text : `${file} needs no restoring` };
    },
  },
  {
    path: ["config", "path"],
    summary: "Print the path of the configuration file",
    details: "With --json: also the home, .env, the logs and the profile.",
    async run(_input, ctx) {
      const paths = await ctx.run("config.path", {});
      return { data: paths, text: paths.config };
    },
  },
  {
    path: ["config", "edit"],
    summary: "Open config.yaml in your editor",
    details:
      "Hermes checks your text before it replaces the file. If your text has a mistake, Hermes keeps the valid file and saves your text as a draft; the next edit opens the draft.",
    run: async (_input, ctx) => edit(ctx),
  },
  {
    path: ["config", "check"],
    summary: "Check the configuration; exit code 1 if it cannot be used",
    run: async (_input, ctx) => check(ctx),
  },
  {
    path: ["config", "migrate"],
    summary: "Rename deprecated keys",
    options: [{ flags: "--dry-run", summary: "only list the changes" }],
    async run(input, ctx) {
      const done = await ctx.run("config.migrate", { dryRun: input.flag("dryRun") });
      const { file, moves, written } = done;
      const result = written ? `${file} was migrated:` : `${file} would change:`;
      const head = moves.length === 0 ? `${file} has no deprecated keys.` : result;
      return { data: done, text: [head, ...moves.map((move) => `  ${move}`)].join("\n") };
    },
  },
  {
    path: ["config", "schema"],
    summary: "Print the JSON Schema of config.yaml, for editors",
    async run(_input, ctx) {
      const schema = await ctx.run("config.schema", {});
      return { data: schema, text: JSON.stringify(schema, undefined, 2) };
    },
  },
];

async function edit(ctx: CliContext): Promise<Reply> {
  const editor = editorOf(ctx, "use `hermes config set`");
  const { draft, base, resumed } = await ctx.run("config.openDraft", {});
  if (resumed) ctx.io.warn(`Resuming ${draft}, which an earlier edit saved.\n`);
  const failure = await runEditor(editor, draft, ctx.signal);
  const { file, changed, warnings } = await ctx.run("config.closeDraft", { base, apply: failure === undefined });
  if (failure !== undefined) throw failure;
  if (!changed) return { data: { file, changed }, text: "Nothing was changed." };
  const lines = warnings.map((warning) => `${ctx.paint.warn("warning:")} ${warning}`);
  return { data: { file, changed, warnings }, text: [...lines, `${file} was changed.`].join("\n") };
}

async function check(ctx: CliContext): Promise<Reply> {
  const { paint, io } = ctx;
  const checked = await ctx.run("config.check", {});
  const lines = [
    ...checked.problems.map((problem) => `${paint.bad("error:")} ${problem.text}`),
    ...checked.warnings.map((warning) => `${paint.warn("warning:")} ${warning}`),
    ...(checked.unused.length > 0 ? [wrap(`${paint.dim("not used:")} ${checked.unused.join(", ")}`, io.columns)] : []),
    checked.ok ? paint.good("The configuration is valid.") : paint.bad("The configuration cannot be used."),
  ];
  return { data: checked, text: lines.join("\n"), exitCode: checked.ok ? 0 : 1 };
}

function showText(shown: OutputOf<"config.show">, { paint, io }: CliContext): string {
  const rows = shown.settings.map(({ key, value, origin }) => {
    const from = shortOrigin(origin);
    return [key, origin.from === "default" ? paint.dim(from) : paint.accent(from), plain(value)];
  });
  return [
    `${paint.dim("home")} ${shown.home}  ${paint.dim("profile")} ${shown.profile}`,
    "",
    table(rows, io.columns),
    ...(shown.omitted > 0 ? [paint.dim(`${plural(shown.omitted, "setting")} with the default value not shown`)] : []),
    ...shown.warnings.map((warning) => `${paint.warn("warning:")} ${warning}`),
  ].join("\n");
}

type Origin = OutputOf<"config.show">["settings"][number]["origin"];

/** A short name of the origin; the heading already shows the home folder. */
function shortOrigin(origin: Origin): string {
  switch (origin.from) {
    case "default":
    case "flag":
      return origin.from;
    case "environment":
      return `${origin.file === undefined ? "environment" : ".env"} ${origin.name}`;
    case "user file":
      return `config.yaml${origin.line === undefined ? "" : `:${origin.line}`}`;
    case "project file":
      return `project${origin.line === undefined ? "" : `:${origin.line}`}`;
  }
}

function plain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
