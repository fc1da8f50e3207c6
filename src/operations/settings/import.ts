import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import { ensureHome, homeFiles } from "../../config/home.ts";
import { flag, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import { programImports } from "../imports/import-programs.ts";
import { writeOperation, type OperationServices } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";

const shared = { shared: true } as const;

export const operations = {
  ...programImports,

  hermesPython: writeOperation({
    summary: "Import sessions, memories and skills of Hermes in Python; nothing is imported twice",
    input: object({
      path: string("Home folder of Hermes in Python, or its state.db"),
      dryRun: optional(flag("Only report what would be imported")),
      only: optional(oneOf("Import only this; default: everything", ["sessions", "memories", "skills"])),
    }),
    needs: ["config", "memory"],
    async run({ path, dryRun = false, only }, { config, memory }, ctx) {
      const place = await placeOf(resolve(ctx.cwd, path));
      if (!place.ok) return place;
      const { folder, database } = place.value;
      const { home } = config;
      const ensured = dryRun ? ok(undefined) : configOutcome(await ensureHome(home.path));
      if (!ensured.ok) return ensured;
      const isSame = (await realpath(home.path).catch(() => home.path)) === folder;
      const includes = (kind: typeof only) => only === undefined || only === kind;
      return ok({
        from: folder,
        dryRun,
        ...(includes("sessions") && { sessions: await importSessions(database, dryRun, config, ctx) }),
        ...(includes("memories") && {
          memories: isSame ? shared : await importMemories(folder, dryRun, memory(ctx.principal), ctx),
        }),
        ...(includes("skills") && { skills: isSame ? shared : await importSkills(folder, home.path, dryRun) }),
      });
    },
  }),
};

async function placeOf(
  path: string,
): Promise<Result<{ readonly folder: string; readonly database: string }, OperationFault>> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    return err({
      message: `${path} does not exist.`,
      hint: "Pass the home folder of Hermes in Python, often ~/.hermes.",
    });
  const real = await realpath(path);
  if (stats.isDirectory()) return ok({ folder: real, database: join(real, "state.db") });
  if (basename(real).endsWith(".db")) return ok({ folder: dirname(real), database: real });
  return err({ message: `${path} is neither a folder nor a state.db.`, kind: "input" });
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
