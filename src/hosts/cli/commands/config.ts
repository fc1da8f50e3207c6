import { join } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import { err } from "../../../base/result.ts";
import { type Home, homeFiles, resolveHome } from "../../../config/home.ts";
import { createValueMask } from "../../../config/keys/mask-values.ts";
import { loadConfig } from "../../../config/load.ts";
import { type Problem, problemText } from "../../../config/problem.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { readStdin } from "../stdin-text.ts";
import { wrap } from "../table.ts";
import { getConfig, originText, plain, showConfig } from "./config-show.ts";

const keyArgument = { name: "key", summary: 'the setting, as in approvals.mode or plugins.entries."my.plugin"' };

export const commands: readonly CliCommand[] = [
  {
    path: ["config", "show"],
    summary: "Show every value and where it comes from",
    details: "Secrets are masked. With KEY: that setting, or the section of that name.",
    args: [{ ...keyArgument, optional: true }],
    options: [{ flags: "--changed", summary: "leave out what has its default" }],
    examples: ["hermes config show", "hermes config show approvals", "hermes config show --changed"],
    run: async (input, ctx) => showConfig(await ctx.config(), input.optionalArg("key"), input.flag("changed"), ctx),
  },
  {
    path: ["config", "get"],
    summary: "Print one value",
    details: "A text is printed as it is, a list or section as JSON. A secret is printed as ***.",
    args: [keyArgument],
    examples: ["hermes config get approvals.mode"],
    run: async (input, ctx) => getConfig(await ctx.config(), input.arg("key")),
  },
  {
    path: ["config", "set"],
    summary: "Change one setting",
    details:
      "The value is read as YAML: true, 12, [a, b]. Names such as OPENAI_API_KEY, and secrets, go to .env; all else goes to config.yaml, " +
      "with comments and order kept. `-` as the value reads it from standard input, so that a key stays out of the shell's history.",
    args: [keyArgument, { name: "value", summary: "the new value, or - for standard input" }],
    options: [{ flags: "--force", summary: "write a key that is not known (never among safety settings)" }],
    examples: [
      "hermes config set approvals.mode manual",
      "hermes config set toolsets '[web, file]'",
      "hermes config set OPENAI_API_KEY - < key.txt",
    ],
    run: async (input, ctx) => set(input.arg("key"), input.arg("value"), input.flag("force"), ctx),
  },
  {
    path: ["config", "unset"],
    summary: "Take one setting out of the file",
    args: [keyArgument],
    async run(input, ctx) {
      const key = input.arg("key");
      const { unsetKey } = await import("../../../config/write.ts");
      const done = valueOf(await unsetKey(await homeOf(ctx), key, { signal: ctx.signal, clock: systemClock }));
      const { file, removed } = done;
      return {
        data: { key, file, removed },
        text: removed ? `${key} is no longer set in ${file}` : `${key} was not set in ${file}`,
      };
    },
  },
  {
    path: ["config", "path"],
    summary: "Print where the configuration lies",
    details: "With --json: also the home, .env, the logs and the profile.",
    async run(_input, ctx) {
      const home = await homeOf(ctx);
      const config = join(home.path, homeFiles.config);
      const data = {
        config,
        env: join(home.path, homeFiles.env),
        home: home.path,
        logs: join(home.path, homeFiles.logs),
        profile: home.profile,
      };
      return { data, text: config };
    },
  },
  {
    path: ["config", "edit"],
    summary: "Open config.yaml in your editor",
    details:
      "What you wrote is checked before it replaces the file. With a mistake in it, it is kept aside and the good file stays; the next edit goes on with it.",
    async run(_input, ctx) {
      const { editConfig } = await import("./config-edit.ts");
      return editConfig(await homeOf(ctx), ctx);
    },
  },
  {
    path: ["config", "check"],
    summary: "Check the configuration; exit code 1 when it cannot be used",
    run: async (_input, ctx) => check(ctx),
  },
  {
    path: ["config", "migrate"],
    summary: "Move deprecated keys to where they belong now",
    options: [{ flags: "--dry-run", summary: "only say what would be moved" }],
    run: async (input, ctx) => migrate(input.flag("dryRun"), ctx),
  },
  {
    path: ["config", "schema"],
    summary: "Print the JSON Schema of config.yaml, for editors",
    async run() {
      const { configJsonSchema } = await import("../../../config/json-schema.ts");
      const schema = configJsonSchema();
      return { data: schema, text: JSON.stringify(schema, undefined, 2) };
    },
  },
];

async function homeOf(ctx: CliContext): Promise<Home> {
  const home = valueOf(await resolveHome(ctx.env, ctx.cwd, ctx.profile));
  return home;
}

async function set(key: string, typed: string, force: boolean, ctx: CliContext): Promise<Reply> {
  const { setKey } = await import("../../../config/write.ts");
  const text = typed === "-" ? (await readStdin(ctx.io, 1_000_000, ctx.signal)).replace(/\r?\n$/u, "") : typed;
  const home = await homeOf(ctx);
  const written = valueOf(await setKey(home, key, text, { force, signal: ctx.signal, clock: systemClock }));
  const { file, value, notices, key: settled } = written;
  const now = await loadConfig({ env: ctx.env, cwd: ctx.cwd, profile: ctx.profile });
  const origin = now.ok ? now.value.origins.get(settled) : undefined;
  const beaten = origin !== undefined && origin.from !== "user file" && origin.from !== "default";
  const told = beaten ? [...notices, `another source wins over it here: ${originText(origin)}`] : notices;
  const secrets = now.ok ? now.value.secrets : { values: [] };
  const shown = value === undefined ? "***" : createValueMask(secrets)(settled, value);
  const said = [
    `${settled} = ${plain(shown)}  ${ctx.paint.dim(file)}`,
    ...told.map((note) => `${ctx.paint.warn("note:")} ${note}`),
  ];
  return { data: { key: settled, value: shown, file, notices: told }, text: said.join("\n") };
}

async function check(ctx: CliContext): Promise<Reply> {
  const loaded = await loadConfig({ env: ctx.env, cwd: ctx.cwd, profile: ctx.profile });
  const problems: readonly Problem[] = loaded.ok ? [] : loaded.error.problems;
  const warnings = loaded.ok ? loaded.value.warnings : [];
  const unused = loaded.ok ? [...loaded.value.unused.keys()] : [];
  const lines = [
    ...problems.map((problem) => `${ctx.paint.bad("error:")} ${problemText(problem)}`),
    ...warnings.map((warning) => `${ctx.paint.warn("warning:")} ${warning}`),
    ...(unused.length > 0 ? [wrap(`${ctx.paint.dim("not used:")} ${unused.join(", ")}`, ctx.io.columns)] : []),
  ];
  const verdict = loaded.ok
    ? ctx.paint.good("The configuration can be used.")
    : ctx.paint.bad("The configuration cannot be used.");
  return {
    data: { ok: loaded.ok, problems: problems.map(problemData), warnings, unused },
    text: [...lines, verdict].join("\n"),
    exitCode: loaded.ok ? 0 : 1,
  };
}

async function migrate(isDryRun: boolean, ctx: CliContext): Promise<Reply> {
  const { migrateConfig, planMigration } = await import("../../../config/keys/migrate.ts");
  const { readYaml } = await import("../../../config/yaml/read-yaml.ts");
  const home = await homeOf(ctx);
  const file = join(home.path, homeFiles.config);
  const yaml = await readYaml(file);
  const tree = valueOf(yaml.ok ? yaml : err({ problems: yaml.error }));
  const plan = tree === undefined ? undefined : await planMigration(tree);
  if (plan?.ok === false) throw new CommandFailed(`${file}: ${plan.error}`);
  const planned = plan?.value?.notices ?? [];
  if (isDryRun || planned.length === 0) return moves(file, planned, false);
  const done = valueOf(await migrateConfig(home, { signal: ctx.signal, clock: systemClock }));
  return moves(file, done, true);
}

function moves(file: string, notices: readonly string[], written: boolean): Reply {
  const head =
    notices.length === 0
      ? `${file} holds no deprecated key.`
      : written
        ? `${file} was migrated:`
        : `${file} would change:`;
  return {
    data: { file, moves: notices, written },
    text: [head, ...notices.map((notice) => `  ${notice}`)].join("\n"),
  };
}

function problemData({ file, line, column, key, message, hint }: Problem): JsonObject {
  const known = Object.entries({ file, line, column, key, message, hint }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as JsonObject;
}
