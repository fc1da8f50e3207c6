import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionStore } from "../../contracts/session/session.ts";
import type { OfferedSkills } from "./offer-skills.ts";

export interface KeepSkillsDeps {
  readonly skills: OfferedSkills;
  readonly sessions: SessionStore;
  /** Whose sessions count as work. */
  readonly principal: Principal;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A program that runs for a while looks after the skills when it is time, and nobody was at work before it started. */
export function keepSkills(
  config: LoadedConfig,
  { skills, sessions, principal, say, clock, log }: KeepSkillsDeps,
): Disposable {
  const { enabled, min_idle_hours: idleHours } = config.values.curator;
  const stop = new AbortController();
  if (!enabled) return { [Symbol.dispose]() {} };
  const startedAt = clock.now();

  async function look(): Promise<void> {
    const [last] = await sessions.list({ limit: 1, before: startedAt }, principal);
    if (last && startedAt - last.changedAt < idleHours * 3_600_000) return;
    const { openCurator } = await import("./open-curator.ts");
    const { curator } = openCurator(config, await skills.opened(), clock);
    if (!(await curator.isDue()) || stop.signal.aborted) return;
    const report = await curator.run(false, stop.signal);
    if (!report.ok) log.warn("curator.failed", { error: report.error.message });
    else if (report.value.archived.length > 0) {
      const { archived } = report.value;
      say(
        `${plural(archived.length, "skill")} that nobody used went to the archive: ${archived.join(", ")} (hermes curator restore NAME).`,
      );
    }
  }

  const timer = clock.after(settledMs, () => {
    look().catch((thrown: unknown) => log.warn("curator.failed", { error: reasonOf(thrown) }));
  });
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      stop.abort();
    },
  };
}

/** Long after the start, which has better things to do. */
const settledMs = 20_000;
