import { existsSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import { ensureHome, homeFiles } from "../../config/home.ts";
import { makeScratchFolder, removeScratchFolder } from "../../config/scratch-folder.ts";
import { flag, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import { programImports } from "../imports/import-programs.ts";
import { writeOperation, type OperationServices } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";

const shared = { shared: true } as const;
const importKinds = ["sessions", "memories", "skills", "settings"] as const;

export const operations = {
  ...programImports,

  hermesPython: writeOperation({
    summary: "Import sessions, memories, skills and settings of Hermes in Python; nothing is imported twice",
    input: object({
      path: string("Home folder of Hermes in Python, its state.db, or a ZIP file that its backup wrote"),
      dryRun: optional(flag("Only report what would be imported")),
      only: optional(oneOf("Import only this; default: everything but settings", importKinds)),
      settings: optional(flag("Import SOUL.md and settings too, except settings that permit more")),
      secrets: optional(flag("Import keys with the settings")),
      overwrite: optional(flag("Replace settings that already have a value here")),
    }),
    needs: ["config", "memory"],
    async run(input, { config, memory }, ctx) {
      const { path, dryRun = false, only, settings = only === "settings", secrets = false, overwrite = false } = input;
      const place = await placeOf(resolve(ctx.cwd, path), config.home.path, ctx.signal);
      if (!place.ok) return place;
      await using opened = place.value;
      const { folder, database, archive } = opened;
      const { home } = config;
      const ensured = dryRun ? ok(undefined) : configOutcome(await ensureHome(home.path));
      if (!ensured.ok) return ensured;
      const isSame = (await realpath(home.path).catch(() => home.path)) === folder;
      const includes = (kind: typeof only) => only === undefined || only === kind;
      return ok({
        from: archive?.file ?? folder,
        dryRun,
        ...(archive && { other: archive.other, profiles: archive.profiles }),
        ...(includes("sessions") &&
          (!archive || existsSync(database)) && { sessions: await importSessions(database, dryRun, config, ctx) }),
        ...(includes("memories") && {
          memories: isSame ? shared : await importMemories(folder, dryRun, memory(ctx.principal), ctx),
        }),
        ...(includes("skills") && { skills: isSame ? shared : await importSkills(folder, home.path, dryRun) }),
        ...(includes("settings") &&
          settings && {
            settings: isSame
              ? shared
              : await importSettings(folder, { dryRun, secrets, overwrite }, config, memory, ctx),
          }),
      });
    },
  }),
};

/** Disposing removes the files that a backup was unpacked to. */
interface OriginalPlace extends AsyncDisposable {
  readonly folder: string;
  readonly database: string;
  readonly archive?: { readonly file: string; readonly other: readonly string[]; readonly profiles: readonly string[] };
}

async function placeOf(
  path: string,
  home: string,
  signal: AbortSignal,
): Promise<Result<OriginalPlace, OperationFault>> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    return err({
      message: `${path} does not exist.`,
      hint: "Pass the home folder of Hermes in Python, often ~/.hermes, or a ZIP file that its backup wrote.",
    });
  const real = await realpath(path);
  const kept = { [Symbol.asyncDispose]: async () => {} };
  if (stats.isDirectory()) return ok({ folder: real, database: join(real, "state.db"), ...kept });
  if (basename(real).endsWith(".db")) return ok({ folder: dirname(real), database: real, ...kept });
  if (basename(real).endsWith(".zip")) return unpackedPlace(real, home, signal);
  return err({
    message: `${path} is neither a folder, a state.db nor a ZIP file.`,
    ...(real.endsWith(".tar.gz") && { hint: `A backup of this version: hermes restore ${path}` }),
    kind: "input",
  });
}

async function unpackedPlace(
  file: string,
  home: string,
  signal: AbortSignal,
): Promise<Result<OriginalPlace, OperationFault>> {
  const { unpackOriginal } = await import("../../backup/original-zip.ts");
  const folder = makeScratchFolder(home, "import");
  const remove = () => removeScratchFolder(home, folder);
  const unpacked = await unpackOriginal(file, folder, signal);
  if (unpacked.ok)
    return ok({
      folder,
      database: join(folder, "state.db"),
      archive: { file, ...unpacked.value },
      [Symbol.asyncDispose]: remove,
    });
  await remove();
  return unpacked;
}

async function importSessions(
  database: string,
  isDryRun: boolean,
  config: OperationServices["config"],
  { principal, signal, report }: OperationContext,
) {
  const { importSessions: run } = await import("../../runtime/store/import-sessions.ts");
  const { createSessions, openSessions } = await import("../../runtime/store/open-sessions.ts");
  await using store = await (isDryRun ? openSessions : createSessions)(config, (message) => report({ message }));
  const done = await run(database, {
    ...(store && { store }),
    isDryRun,
    owner: principal,
    onProgress(count) {
      if (count % 500 === 0) report({ message: `${plural(count, "session")} …` });
    },
    signal,
  });
  return done.ok ? done.value : { error: done.error.message };
}

async function importMemories(
  folder: string,
  isDryRun: boolean,
  memory: ReturnType<OperationServices["memory"]>,
  { signal }: OperationContext,
) {
  const { importMemory } = await import("../../memory/import-memory.ts");
  return importMemory(join(folder, homeFiles.memories), memory, { isDryRun, signal });
}

async function importSkills(folder: string, home: string, isDryRun: boolean) {
  const { importSkills: run } = await import("../../skills/import-skills.ts");
  return run(join(folder, homeFiles.skills), join(home, homeFiles.skills), isDryRun);
}

async function importSettings(
  folder: string,
  wish: { readonly dryRun: boolean; readonly secrets: boolean; readonly overwrite: boolean },
  config: OperationServices["config"],
  memory: OperationServices["memory"],
  ctx: OperationContext,
) {
  const { applyPlan } = await import("../imports/apply-plan.ts");
  const { openForeignTree } = await import("../imports/foreign-tree.ts");
  const { planHermesSettings } = await import("../imports/plan-hermes-settings.ts");
  const tree = await openForeignTree(folder);
  if (!tree) return [];
  const { dryRun, secrets, overwrite } = wish;
  const choices = { preset: "full", overwrite, secrets, skillConflict: "skip" } as const;
  const plan = await planHermesSettings(tree, choices, config);
  return applyPlan(plan, {
    config,
    memory: memory(ctx.principal),
    ctx,
    choices,
    hasBackup: true,
    isDryRun: dryRun,
  });
}
