import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { createSkillBackups, type SkillBackups } from "../../skills/curator/skill-backups.ts";
import { createSkillCurator, type SkillCurator } from "../../skills/curator/skill-curator.ts";
import { createSkillUsage, type SkillUsage } from "../../skills/curator/skill-usage.ts";
import type { OpenedSkills } from "./open-skills.ts";

export type { CuratedSkill } from "../../skills/curator/skill-curator.ts";

export interface OpenedCurator {
  readonly curator: SkillCurator;
  readonly backups: SkillBackups;
  readonly usage: SkillUsage;
}

export function openCurator(
  { values: { curator: settings } }: LoadedConfig,
  skills: Pick<OpenedSkills, "folder" | "shelf" | "keeper">,
  clock: Clock,
): OpenedCurator {
  const dayMs = 24 * 3_600_000;
  const usage = createSkillUsage(skills.folder, clock);
  const backups = createSkillBackups(skills.folder, clock);
  const curator = createSkillCurator({
    skills: skills.folder,
    shelf: () => skills.shelf(),
    usage,
    backups,
    keeper: skills.keeper,
    settings: {
      staleMs: settings.stale_days * dayMs,
      archiveMs: settings.archive_days * dayMs,
      intervalMs: settings.interval_hours * 3_600_000,
      keepBackups: settings.keep_backups,
      builtins: settings.prune_builtins,
    },
    clock,
  });
  return { curator, backups, usage };
}
