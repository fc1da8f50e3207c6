import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { SkillCollection, CollectedSkill } from "../skill-collection.ts";
import type { SkillKeeper } from "../skill-keeper.ts";
import { skillPlaces } from "../skill-roots.ts";
import { readStateFile } from "../state-files.ts";
import { curatorFolder, type SkillBackups } from "./skill-backups.ts";
import type { SkillUsage, SkillUse } from "./skill-usage.ts";

export type SkillState = "active" | "stale" | "archived";

export interface CuratedSkill {
  readonly name: string;
  readonly origin: CollectedSkill["origin"];
  readonly state: SkillState;
  readonly use: SkillUse;
  /** Returns why the curator skips a skill; undefined if it does not. */
  readonly exempt?: string;
}

export interface CuratorSettings {
  readonly staleMs: number;
  readonly archiveMs: number;
  readonly intervalMs: number;
  readonly keepBackups: number;
  /** Lists all skills, including bundled ones. */
  readonly builtins: boolean;
}

export interface CuratorDeps {
  readonly skills: string;
  shelf(): Promise<SkillCollection>;
  readonly usage: SkillUsage;
  readonly backups: SkillBackups;
  readonly keeper: SkillKeeper;
  readonly settings: CuratorSettings;
  readonly clock: Clock;
}

export interface CuratorReport {
  readonly at: number;
  readonly stale: readonly string[];
  readonly archived: readonly string[];
  readonly backup?: string;
}

/** Maintains the skills that the agent created. It never deletes a skill: unused ones move to the archive. */
export interface SkillCurator {
  status(): Promise<{
    readonly skills: readonly CuratedSkill[];
    readonly lastAt: number | undefined;
    readonly dueAt: number;
    readonly isPaused: boolean;
  }>;
  /** Whether a run is due. The first run is due a full interval after the first call. */
  isDue(): Promise<boolean>;
  run(isDryRun: boolean, signal: AbortSignal): Promise<Result<CuratorReport>>;
  pause(isPaused: boolean): Promise<void>;
  archive(name: string, signal: AbortSignal): Promise<Result<void>>;
  restore(name: string, signal: AbortSignal): Promise<Result<void>>;
  archived(): readonly string[];
  /** Restores every skill of a backup and returns their names. Newer skills are kept. */
  rollback(backup: string, signal: AbortSignal): Promise<Result<readonly string[]>>;
}

const stateFile = `${curatorFolder}/state.json`;

export function createSkillCurator(deps: CuratorDeps): SkillCurator {
  const { skills, usage, backups, keeper, settings, clock } = deps;
  const archiveFolder = join(skills, ".archive");
  const state = (): JsonObject => readStateFile(skills, stateFile) ?? {};
  const numberIn = (key: string) => (typeof state()[key] === "number" ? Number(state()[key]) : undefined);

  async function keep(change: JsonObject): Promise<void> {
    await makeFolder(join(skills, curatorFolder), 0o700);
    const content = `${JSON.stringify({ ...state(), ...change })}\n`;
    await writeFileAtomic(join(skills, stateFile), content, { mode: 0o600 });
  }

  async function locked<T>(signal: AbortSignal, run: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      await makeFolder(join(skills, curatorFolder), 0o700);
      const held = await withFileLock(join(skills, curatorFolder, "curator"), run, {
        signal,
        timeoutMs: 30_000,
        clock,
      });
      return held.ok ? held.value : err({ message: held.error.message });
    } catch (thrown) {
      return err({ message: reasonOf(thrown) });
    }
  }

  async function all(): Promise<readonly (CuratedSkill & { readonly skill: CollectedSkill })[]> {
    const uses = usage.read();
    const firstAt = numberIn("firstAt") ?? clock.now();
    const matches = (await deps.shelf()).skills.filter(({ place }) => place.root.kind === "home");
    return matches.map((skill) => {
      const { name, origin } = skill;
      const use = uses[name] ?? { views: 0, uses: 0, changes: 0, lastAt: 0, isPinned: false };
      // A skill that was never used counts as idle since its usage was first tracked.
      const idleMs = clock.now() - Math.max(use.lastAt, firstAt);
      const stateNow = idleMs >= settings.archiveMs ? "archived" : idleMs >= settings.staleMs ? "stale" : "active";
      const exempt = exemption(origin, use);
      return {
        skill,
        name,
        origin,
        use,
        state: exempt === undefined ? stateNow : "active",
        ...(exempt !== undefined && { exempt }),
      };
    });
  }

  function exemption(origin: CollectedSkill["origin"], { isPinned }: SkillUse): string | undefined {
    if (isPinned) return "it is pinned";
    if (origin === "agent") return undefined;
    if (origin === "bundled") return settings.builtins ? undefined : "it is bundled";
    return origin === "hub" ? "it was installed" : "it belongs to the user";
  }

  async function move(from: string, to: string): Promise<void> {
    await makeFolder(dirname(to), 0o700);
    await rename(from, to);
  }

  return {
    async status() {
      const lastAt = numberIn("lastAt");
      const dueAt = (lastAt ?? numberIn("firstAt") ?? clock.now()) + settings.intervalMs;
      return {
        skills: (await all()).map(({ skill: _, ...rest }) => rest),
        lastAt,
        dueAt,
        isPaused: state()["paused"] === true,
      };
    },
    async isDue() {
      if (state()["paused"] === true) return false;
      const since = numberIn("lastAt") ?? numberIn("firstAt");
      if (since !== undefined) return clock.now() - since >= settings.intervalMs;
      await keep({ firstAt: clock.now() });
      return false;
    },
    run: (isDryRun, signal) =>
      locked(signal, async () => {
        const result = await all();
        const named = (state: SkillState) => result.filter(({ state: is }) => is === state);
        const report = {
          at: clock.now(),
          stale: named("stale").map(({ name }) => name),
          archived: named("archived").map(({ name }) => name),
        };
        if (isDryRun) return ok(report);
        if (report.archived.length === 0) {
          await keep({ lastAt: report.at });
          return ok(report);
        }
        const backup = await backups.make(settings.keepBackups);
        if (!backup.ok) return backup;
        for (const { skill } of named("archived")) await move(skill.folder, join(archiveFolder, skill.place.path));
        await keep({ lastAt: report.at });
        return ok({ ...report, backup: backup.value });
      }),
    pause: (isPaused) => keep({ paused: isPaused }),
    archive: (name, signal) =>
      locked(signal, async () => {
        const match = (await all()).find((each) => each.name === name);
        if (!match) return err({ message: `there is no skill ${name} in the home` });
        await move(match.skill.folder, join(archiveFolder, match.skill.place.path));
        return ok(undefined);
      }),
    restore: (name, signal) =>
      locked(signal, async () => {
        const place = archivedPlaces().find(({ path }) => path === name || path.split("/").at(-1) === name);
        if (!place) return err({ message: `${name} is not in the archive` });
        const to = join(skills, place.path);
        if (existsSync(to)) return err({ message: `the skill ${place.path} already exists; move it away first` });
        await move(place.folder, to);
        usage.happened(name, "used", "user");
        await usage.flush();
        return ok(undefined);
      }),
    archived: () => archivedPlaces().map(({ path }) => path),
    async rollback(backup, signal) {
      const read = backups.read(backup);
      if (!read.ok) return read;
      const before = await backups.make(settings.keepBackups + 1);
      if (!before.ok) return before;
      for (const [path, entries] of read.value) {
        const restored = await keeper.restore(path, entries, signal);
        if (!restored.ok) return err({ message: `${path}: ${restored.error.message}` });
      }
      return ok([...read.value.keys()]);
    },
  };

  function archivedPlaces() {
    return skillPlaces([{ path: archiveFolder, kind: "home" }]);
  }
}
