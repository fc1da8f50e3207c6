import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/log.ts";
import type { LoadedConfig } from "../config/load.ts";
import { saveLastGood } from "../config/restore-config.ts";
import type { BackgroundJob } from "../contracts/host/background-job.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { KeptSessionStore } from "../store/session-store.ts";
import { skillUpkeep } from "./knowledge/keep-skills.ts";
import type { OfferedSkills } from "./knowledge/offer-skills.ts";
import type { Models } from "./models/models.ts";
import { sessionRetention } from "./store/open-sessions.ts";

export interface JobDeps {
  readonly sessions: KeptSessionStore;
  readonly skills: OfferedSkills;
  /** Absent: the models are not those of the settings. */
  readonly models: Models | undefined;
  readonly principal: Principal;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The job that a session starts after its first turn. */
export const modelFactsJob = "model facts";

export function runtimeJobs(config: LoadedConfig, deps: JobDeps): readonly BackgroundJob[] {
  const { sessions, skills, models, principal, clock } = deps;
  return [
    { name: "last good settings", when: { afterMs: 2_000, atEndMs: 200 }, run: () => saveLastGood(config.home) },
    sessionRetention(config, { store: sessions, principal, clock }),
    { name: "skill shelf", when: { afterMs: 5_000 }, run: skills.refresh },
    ...(config.values.curator.enabled ? [skillUpkeep(config, deps)] : []),
    ...(models ? [{ name: modelFactsJob, when: {}, run: models.refreshStale }] : []),
  ];
}
