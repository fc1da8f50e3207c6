import { asId, type SessionId } from "../base/ids.ts";
import type { HookBus } from "../contracts/host/hook.ts";
import type { SkillWatcher } from "../contracts/knowledge/skill.ts";

/** Counts skill usage and notifies hooks of changes. */
export function watchSkills(counter: SkillWatcher, hooks: HookBus): SkillWatcher {
  const never = new AbortController().signal;
  return {
    happened(skill, what, by, session) {
      counter.happened(skill, what, by, session);
      if (session === undefined || what === "viewed" || what === "used") return;
      void hooks.notify("skillChanged", { sessionId: asId<SessionId>(session), skill, action: what }, never);
    },
  };
}
