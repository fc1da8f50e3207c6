import { tmpdir } from "node:os";

import type { Clock } from "../base/clock.ts";
import { removeOrphanedFolders } from "../base/files/temp-folder.ts";
import type { Logger } from "../base/log/log.ts";
import { plural } from "../base/text/text.ts";
import type { LoadedConfig } from "../config/load.ts";
import { saveLastGood } from "../config/restore-config.ts";
import { scratchParent } from "../config/scratch-folder.ts";
import type { BackgroundJob } from "../contracts/host/background-job.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { SessionStore } from "../contracts/session/session.ts";
import { removeLeftShells } from "../environments/local/shell-folder.ts";
import type { KeptSessionStore } from "../store/session-store.ts";
import { removeLeftWorktrees } from "./agents/open-worktrees.ts";
import type { OfferedSkills } from "./knowledge/offer-skills.ts";
import type { Models } from "./models/models.ts";
import { eraseOutsideData } from "./store/erase-sessions.ts";
import { sessionRetention } from "./store/open-sessions.ts";

export interface JobDeps {
  readonly sessions: KeptSessionStore;
  readonly skills: OfferedSkills;
  /** Models of the settings. Undefined: the models come from another source. */
  readonly models: Models | undefined;
  readonly principal: Principal;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The job that a session starts after its first turn. */
export const modelFactsJob = "model facts";

export function runtimeJobs(config: LoadedConfig, deps: JobDeps): readonly BackgroundJob[] {
  const { sessions, skills, models, principal, clock, log } = deps;
  return [
    { name: "last good settings", when: { afterMs: 2_000, atEndMs: 200 }, run: () => saveLastGood(config.home) },
    {
      name: "leftovers of killed processes",
      when: { afterMs: 1_000, atEndMs: 200 },
      async run(signal) {
        for (const parent of [tmpdir(), scratchParent(config.home.path)]) removeOrphanedFolders(parent);
        removeLeftShells(config.home.path);
        removeLeftShells(tmpdir());
        await sessions.upkeep.finishErasing(signal, eraseOutsideData(config));
        await sessions.upkeep.removeLeftLeases();
        await removeLeftWorktrees(config, { clock, log }, signal);
      },
    },
    sessionRetention(config, { store: sessions, principal, clock }),
    { name: "skill shelf", when: { afterMs: 5_000 }, run: skills.refresh },
    ...(config.values.curator.enabled ? [skillUpkeep(config, deps)] : []),
    ...(models ? [{ name: modelFactsJob, when: {}, run: models.refreshStale }] : []),
  ];
}

interface SkillUpkeepDeps {
  readonly skills: OfferedSkills;
  readonly sessions: SessionStore;
  /** The principal whose sessions count as activity. */
  readonly principal: Principal;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Archives unused skills when due, in a program that started after an idle period. */
function skillUpkeep(
  config: LoadedConfig,
  { skills, sessions, principal, say, clock, log }: SkillUpkeepDeps,
): BackgroundJob {
  const { min_idle_hours: idleHours } = config.values.curator;
  const startedAt = clock.now();
  return {
    name: "skill upkeep",
    when: { afterMs: settledMs },
    async run(signal) {
      const [last] = await sessions.list({ limit: 1, before: startedAt }, principal);
      if (last && startedAt - last.changedAt < idleHours * 3_600_000) return;
      const { openCurator } = await import("./knowledge/open-curator.ts");
      const { curator } = openCurator(config, await skills.opened(), clock);
      if (!(await curator.isDue()) || signal.aborted) return;
      const report = await curator.run(false, signal);
      if (!report.ok) return log.warn("curator.failed", { error: report.error.message });
      const { archived } = report.value;
      const names = archived.join(", ");
      if (archived.length > 0)
        say(`${plural(archived.length, "unused skill")} moved to the archive: ${names} (hermes curator restore NAME).`);
    },
  };
}

/** Delay before the jobs start, because a new program has more urgent work. */
const settledMs = 20_000;
