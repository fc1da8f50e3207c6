import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { type BackupRules, isPassing } from "../../backup/backup-scope.ts";
import { randomHex } from "../../base/digest.ts";
import { expandHome } from "../../base/files/path.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import {
  defaultProfile,
  ensureHome,
  filesOfOriginal,
  type Home,
  homeFiles,
  originalFiles,
  resolveHome,
  userFolder,
} from "../../config/home.ts";
import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "../settings/config-fault.ts";

const file = string("The backup file");
const passphrase = optional(string("The passphrase of the secrets; without one they are left out"));

export const operations = {
  preview: readOperation({
    summary: "List what a backup of the home would contain, and which parts are secret; writes nothing",
    input: object({ quick: optional(flag("Leave out large data: results, recordings, plugins, audit log")) }),
    needs: ["configPlace"],
    async run({ quick = false }, { configPlace }, ctx) {
      const home = configOutcome(await resolveHome(configPlace.env, ctx.cwd, configPlace.profile));
      if (!home.ok) return home;
      const { listBackupFiles } = await import("../../backup/backup-scope.ts");
      const { files, secrets } = await listBackupFiles(home.value.path, rulesFor(home.value), quick);
      return ok({ home: home.value.path, files, secrets });
    },
  }),

  create: writeOperation({
    summary: "Back up the home to one file, even while Hermes runs; secrets are encrypted or omitted",
    input: object({
      file: optional(string("Where to write it; default: a new file in your home folder")),
      quick: optional(flag("Leave out large data: results, recordings, plugins, audit log")),
      label: optional(string("A note in the backup and in its name")),
      passphrase,
    }),
    needs: ["configPlace"],
    async run({ file: target, quick = false, label, passphrase: phrase }, { configPlace }, ctx) {
      const home = configOutcome(await resolveHome(configPlace.env, ctx.cwd, configPlace.profile));
      if (!home.ok) return home;
      const { path, profile } = home.value;
      if (!existsSync(path)) return err({ message: `${path} does not exist: there is nothing to back up.` });
      const createdAt = ctx.clock.now();
      const own = userFolder(configPlace.env);
      const destination =
        target === undefined
          ? join(own, fileName(createdAt, profile, label))
          : resolve(ctx.cwd, expandHome(target, own));
      const { writeBackup } = await import("../../backup/write-backup.ts");
      const written = await writeBackup({
        home: path,
        file: destination,
        rules: rulesFor(home.value),
        isQuick: quick,
        ...(phrase !== undefined && phrase !== "" && { passphrase: phrase }),
        facts: { createdAt, version, profile, ...(label !== undefined && { label }) },
        signal: ctx.signal,
      });
      if (!written.ok) return written;
      const verified = await readFileOfBackup(destination, undefined, ctx.signal);
      if (!verified.ok) return verified;
      const { manifest, bytes, omitted } = written.value;
      return ok({ file: destination, bytes, files: manifest.files.length, secrets: manifest.secrets, omitted });
    },
  }),

  beforeUpdate: writeOperation({
    summary: "Back up the home to backups/ in it, without secrets, and delete the oldest of these backups",
    input: object({ keep: integer("Number of backups to keep", { minimum: 1 }) }),
    needs: ["configPlace"],
    async run({ keep }, { configPlace }, ctx) {
      const home = configOutcome(await resolveHome(configPlace.env, ctx.cwd, configPlace.profile));
      if (!home.ok) return home;
      const { path, profile } = home.value;
      if (!existsSync(path)) return ok({ file: null });
      const folder = join(path, homeFiles.backups);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const createdAt = ctx.clock.now();
      const target = join(folder, fileName(createdAt, profile, `before-update-${randomHex(2)}`));
      const { writeBackup } = await import("../../backup/write-backup.ts");
      const rules = rulesFor(home.value);
      const facts = { createdAt, version, profile, label: `before the update of ${version}` };
      const written = await writeBackup({ home: path, file: target, rules, isQuick: false, facts, signal: ctx.signal });
      if (!written.ok) return written;
      const older = readdirSync(folder).filter((name) => /^hermes-backup-.*before-update.*\.tar\.gz$/u.test(name));
      for (const name of older.toSorted().slice(0, -keep)) await rm(join(folder, name), { force: true });
      return ok({ file: target });
    },
  }),

  inspect: readOperation({
    summary: "Verify a backup by its checksums and describe it; changes nothing",
    input: object({ file }),
    needs: ["configPlace"],
    async run({ file: source }, { configPlace }, { cwd, signal }) {
      const path = resolve(cwd, expandHome(source, userFolder(configPlace.env)));
      const read = await readFileOfBackup(path, undefined, signal);
      if (!read.ok) return read;
      const { manifest } = read.value;
      const { createdAt, profile, isQuick, secrets, label } = manifest;
      const home = configOutcome(await resolveHome(configPlace.env, cwd, configPlace.profile));
      if (!home.ok) return home;
      return ok({
        file: path,
        createdAt,
        version: manifest.version,
        profile,
        isQuick,
        secrets,
        ...(label !== undefined && { label }),
        files: manifest.files.length,
        bytes: manifest.files.reduce((sum, { size }) => sum + size, 0),
        home: home.value.path,
      });
    },
  }),

  restore: writeOperation({
    summary: "Replace the home by a verified backup; backup.undo restores the previous state",
    input: object({ file, passphrase }),
    needs: ["configPlace"],
    async run({ file: source, passphrase: phrase }, { configPlace }, ctx) {
      const home = await freeHome(configPlace, ctx.cwd);
      if (!home.ok) return home;
      const { path } = home.value;
      const { carryOut } = await import("../../backup/restore-home.ts");
      const { restorePrefix } = await import("../../backup/backup-scope.ts");
      const stage = `${restorePrefix}${randomHex(6)}`;
      const fresh = join(path, stage, "new");
      try {
        await removeOldStages(path);
        await mkdir(fresh, { recursive: true, mode: 0o700 });
        const archive = resolve(ctx.cwd, expandHome(source, userFolder(configPlace.env)));
        const read = await readFileOfBackup(archive, fresh, ctx.signal);
        if (!read.ok) return read;
        const { manifest, sealed } = read.value;
        const hasSecrets = sealed !== undefined && phrase !== undefined && phrase !== "";
        if (hasSecrets) {
          const { openSecrets } = await import("../../backup/sealed-secrets.ts");
          const { writeSecrets } = await import("../../backup/read-backup.ts");
          const opened = await openSecrets(sealed, phrase);
          if (!opened.ok) return err({ message: `Nothing was changed: ${opened.error.message}.` });
          const placed = await writeSecrets(fresh, opened.value);
          if (!placed.ok) return placed;
        }
        const units = unitsOf(path, fresh, rulesFor(home.value), manifest.isQuick, hasSecrets);
        await carryOut(path, { stage, units });
        return ok({ home: path, files: manifest.files.length, hasSecrets, secrets: manifest.secrets });
      } catch (thrown) {
        return err({ message: `The restore failed: ${reasonOf(thrown)}` });
      } finally {
        const { hasUnfinishedRestore } = await import("../../backup/restore-home.ts");
        if (!hasUnfinishedRestore(path)) await rm(join(path, stage), { recursive: true, force: true });
      }
    },
  }),

  undo: writeOperation({
    summary: "Undo the last restore; undoing twice restores the backup again",
    needs: ["configPlace"],
    async run(_input, { configPlace }, ctx) {
      const home = await freeHome(configPlace, ctx.cwd);
      if (!home.ok) return home;
      const { carryOut, undoPlan } = await import("../../backup/restore-home.ts");
      const { restorePrefix } = await import("../../backup/backup-scope.ts");
      try {
        const plan = await undoPlan(home.value.path, `${restorePrefix}${randomHex(6)}`);
        if (!plan) return err({ message: "There is no restore to undo." });
        await carryOut(home.value.path, plan);
        return ok({ home: home.value.path });
      } catch (thrown) {
        return err({ message: `The undo failed: ${reasonOf(thrown)}` });
      }
    },
  }),
};

async function readFileOfBackup(path: string, target: string | undefined, signal: AbortSignal) {
  const { readBackup } = await import("../../backup/read-backup.ts");
  return readBackup(path, target, signal);
}

/** Returns the home to restore to, after checking that no program uses it and that it has no files of the Python version. */
async function freeHome(place: ConfigPlace, cwd: string): Promise<Result<Home, OperationFault>> {
  const home = configOutcome(await resolveHome(place.env, cwd, place.profile));
  if (!home.ok) return home;
  const { path } = home.value;
  const ensured = configOutcome(await ensureHome(path));
  if (!ensured.ok) return ensured;
  const { finishRestore, hasUnfinishedRestore } = await import("../../backup/restore-home.ts");
  if (hasUnfinishedRestore(path)) await finishRestore(path);
  const original = await filesOfOriginal(path);
  if (original.length > 0)
    return err({
      message: `Hermes in Python also uses ${path} (${original.join(", ")}); a restore would change its files.`,
      hint: "Restore to another home: HERMES_HOME=FOLDER hermes restore FILE",
    });
  const { isShared } = await import("../../store/store-users.ts");
  const stores = [
    path,
    ...valueOr(() => readdirSync(join(path, homeFiles.profiles)), []).map((name) =>
      join(path, homeFiles.profiles, name),
    ),
  ];
  for (const folder of stores)
    if (await isShared(join(folder, homeFiles.sessions)))
      return err({
        message: `A Hermes process uses ${folder}.`,
        hint: "Close all chats and other Hermes processes, then try again.",
      });
  return home;
}

/** Removes folders of restores that were killed before they changed anything. */
async function removeOldStages(home: string): Promise<void> {
  for (const name of valueOr(() => readdirSync(home), []))
    if (/^restore-[0-9a-f]{12}$/u.test(name)) await rm(join(home, name), { recursive: true, force: true });
}

/**
 * Entries that the restore replaces: everything of the new state, and entries of the present one that backups contain,
 * with the files that SQLite keeps beside databases. Profiles that are not in the backup are kept.
 */
function unitsOf(home: string, fresh: string, rules: BackupRules, isQuick: boolean, hasSecrets: boolean) {
  const units = new Map<string, boolean>();
  const add = (prefix: string) => {
    const names = (folder: string) => valueOr(() => readdirSync(join(folder, prefix)), []);
    for (const name of names(fresh)) if (name !== rules.profiles || prefix !== "") units.set(`${prefix}${name}`, true);
    for (const name of names(home)) {
      const isSecret = rules.secrets.has(name);
      const isReplaced = !isKept(name, rules, isQuick) && (hasSecrets || !isSecret);
      if (isReplaced && !units.has(`${prefix}${name}`) && (name !== rules.profiles || prefix !== ""))
        units.set(`${prefix}${name}`, false);
    }
  };
  add("");
  for (const name of valueOr(() => readdirSync(join(fresh, rules.profiles)), [])) add(`${rules.profiles}/${name}/`);
  return Array.from(units, ([path, hasNew]) => ({ path, hasNew }));
}

function isKept(name: string, { skipped, skippedIfQuick }: BackupRules, isQuick: boolean): boolean {
  if (name.startsWith("sessions-search.db") || name === "session-locks") return false;
  return skipped.has(name) || (isQuick && skippedIfQuick.has(name)) || isPassing(name);
}

function rulesFor({ profile }: Home): BackupRules {
  const { logs, outputs, pluginCode, pluginIndex, modelLists, fileCheckpoints, worktrees, isolation, scriptPython } =
    homeFiles;
  const { results, recordings, trajectories, moaTraces, plugins, pluginData, audit, auditHead, patches } = homeFiles;
  const { env, credentials, mcpSignIns, mcpServeToken } = homeFiles;
  return {
    skipped: new Set([
      logs,
      outputs,
      pluginCode,
      pluginIndex,
      modelLists,
      fileCheckpoints,
      worktrees,
      isolation,
      homeFiles.cache,
      scriptPython,
      homeFiles.backups,
      homeFiles.audioCache,
      homeFiles.voice,
      "sessions-search.db",
      "session-locks",
    ]),
    skippedIfQuick: new Set([
      results,
      recordings,
      trajectories,
      moaTraces,
      plugins,
      pluginData,
      audit,
      auditHead,
      patches,
    ]),
    secrets: new Set([env, credentials, mcpSignIns, mcpServeToken]),
    profiles: profile === defaultProfile ? homeFiles.profiles : "",
    foreign: new Set(originalFiles),
  };
}

function fileName(createdAt: number, profile: string, label: string | undefined): string {
  const stamp = new Date(createdAt).toISOString().replaceAll(/[-:]/gu, "").replace("T", "-").slice(0, 15);
  const parts = [profile === defaultProfile ? "" : profile, label?.replaceAll(/[^\w.-]+/gu, "-").slice(0, 40) ?? ""];
  return basename(`hermes-backup-${stamp}${parts.map((part) => (part === "" ? "" : `-${part}`)).join("")}.tar.gz`);
}
