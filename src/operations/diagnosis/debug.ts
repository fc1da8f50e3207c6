import { dirname, join, resolve } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import { version } from "../../base/version.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import { createValueMask } from "../../config/keys/mask-values.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import { readOperation, writeOperation, type OperationServices } from "../operation.ts";
import { settingValues } from "../settings/config-values.ts";
import { findLogs, readLogLines } from "./log-files.ts";

/** The maximum size of each log in a bundle, as in the original. */
const maxLogBytes = 512 * 1024;

export const operations = {
  summary: readOperation({
    summary: "Summarise the installation as plain text for a bug report, without secrets",
    input: object({ showKeys: optional(flag("show the first and last characters of keys")) }),
    needs: ["config", "models", "mcp", "plugins", "redactor"],
    run: async ({ showKeys = false }, services, ctx) => ok({ text: await summaryText(services, showKeys, ctx) }),
  }),

  share: writeOperation({
    summary: "Write a file with the summary and the newest log lines, all secrets masked; uploads nothing",
    input: object({
      lines: optional(integer("lines of each log; default: 200", { minimum: 1, maximum: 100_000 })),
      output: optional(string("file to write; default: a new file in the home")),
    }),
    needs: ["config", "models", "mcp", "plugins", "redactor"],
    async run({ lines = 200, output }, services, ctx) {
      const { config, redactor } = services;
      const parts = [await summaryText(services, false, ctx)];
      const logs = await findLogs(join(config.home.path, homeFiles.logs));
      for (const { name, files } of logs) {
        const newest = files[0];
        if (!newest) continue;
        const read = await readLogLines(newest.path, 0, maxLogBytes).catch(() => undefined);
        const shown = (read?.lines ?? []).slice(-lines);
        parts.push([`--- log ${name}: the last ${shown.length} lines`, ...shown].join("\n"));
      }
      const text = redactor.redact(withoutUserFolder(`${parts.join("\n\n")}\n`, config));
      const stamp = new Date(ctx.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/gu, "");
      const file =
        output === undefined
          ? join(config.home.path, homeFiles.debugShares, `hermes-debug-${stamp}.txt`)
          : resolve(ctx.cwd, output);
      try {
        if (output === undefined) await makeFolder(dirname(file), 0o700);
        const written = await writeFileAtomic(file, text, { mode: 0o600 });
        if (!written.ok) return err({ message: written.error.message });
      } catch (thrown) {
        return err({ message: describeFault(thrown, file).message });
      }
      return ok({ file, bytes: Buffer.byteLength(text), logs: logs.map(({ name }) => name) });
    },
  }),
};

type SummaryServices = Pick<OperationServices, "config" | "models" | "mcp" | "plugins" | "redactor">;

async function summaryText(services: SummaryServices, showKeys: boolean, ctx: OperationContext): Promise<string> {
  const { config, models, mcp, plugins, redactor } = services;
  const { describeIsolation } = await import("../../runtime/environment/open-isolation.ts");
  const { providerViews } = await import("../../runtime/models/model-catalog.ts");
  const isolation = await describeIsolation(config, ctx.cwd, ctx.signal);
  const active = models.resolve();
  const facts = active.ok ? models.facts(active.value) : undefined;
  const values = settingValues(config, undefined);
  const changed = values.ok ? values.value.filter(({ origin }) => origin.from !== "default") : [];
  const keys = providerViews(models, config).flatMap(({ id, keys: own }) =>
    own.map(({ label, status }) => `${id} (${label}): ${status}`),
  );
  const section = (title: string, rows: readonly string[]) => [
    "",
    `${title}:`,
    ...(rows.length === 0 ? ["  none"] : rows.map((row) => `  ${row}`)),
  ];
  const mask = createValueMask(config.secrets);
  const text = [
    "--- hermes dump",
    `version: ${version}`,
    `node: ${process.versions.node}`,
    `system: ${process.platform} ${process.arch}`,
    `profile: ${config.home.profile}`,
    `home: ${config.home.path}`,
    `model: ${facts ? `${facts.provider}/${facts.model}` : active.ok ? "" : active.error.message}`,
    `backend: ${config.values.terminal.backend}`,
    `isolation: ${isolation.text}`,
    `approvals: ${config.values.approvals.mode}`,
    ...section("model keys", keys),
    ...section(
      "changed settings",
      changed.map(({ key, value }) => `${key}: ${cut(JSON.stringify(mask(key, value)), maxValueChars)}`),
    ),
    ...section("warnings", config.warnings),
    ...section(
      "mcp servers",
      mcp.list().map(({ name, state, why }) => `${name}: ${state}${why === undefined ? "" : `, ${why}`}`),
    ),
    ...section(
      "plugins",
      plugins.list().map(({ plugin, state, why }) => `${plugin.key}: ${state}${why === undefined ? "" : `, ${why}`}`),
    ),
  ].join("\n");
  const safe = redactor.redact(withoutUserFolder(text, config));
  return showKeys ? `${safe}\n${section("key values", shortenedKeys(config)).join("\n")}` : safe;
}

const maxValueChars = 300;

/** `OPENAI_API_KEY: sk-p…9xQ2`: enough to recognise a key, not to use it. */
function shortenedKeys({ secrets }: LoadedConfig): readonly string[] {
  return secrets.names.map(({ name }) => {
    const value = secrets.get(name) ?? "";
    return `${name}: ${value.length < minShownChars ? "(set)" : `${value.slice(0, 4)}…${value.slice(-4)}`}`;
  });
}

const minShownChars = 20;

/** Replaces the path of the user's home folder, because it contains the user name. */
function withoutUserFolder(text: string, config: LoadedConfig): string {
  const folder = userFolder(config.env);
  return folder.length > 1 ? text.replaceAll(folder, "~") : text;
}
