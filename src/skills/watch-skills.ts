import { asId, type SessionId } from "../base/ids.ts";
import type { HookBus } from "../contracts/host/hook.ts";
import type { SkillWatcher } from "../contracts/knowledge/skill.ts";
import type { SkillUse } from "./curator/skill-usage.ts";

/** Counts skill usage and notifies hooks. */
export function watchSkills(
  counter: SkillWatcher & { read(): Readonly<Record<string, SkillUse>> },
  hooks: HookBus,
): SkillWatcher {
  const never = new AbortController().signal;
  return {
    happened(skill, action, by, session) {
      // No wait is needed, because the counter writes in the background.
      const before = hooks.has("skillChanged") ? counter.read()[skill] : undefined;
      counter.happened(skill, action, by, session);
      if (session === undefined || !hooks.has("skillChanged")) return;
      const isUse = action === "viewed" || action === "used";
      const uses = (before?.views ?? 0) + (before?.uses ?? 0) + (isUse ? 1 : 0);
      void hooks.notify("skillChanged", { sessionId: asId<SessionId>(session), skill, action, by, uses }, never);
    },
  };
}
