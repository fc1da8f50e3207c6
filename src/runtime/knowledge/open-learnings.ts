import { existsSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { LearningStore } from "../../contracts/knowledge/learning.ts";
import type { SkillScores } from "../../contracts/knowledge/skill.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import type { Learner } from "../../learnings/learner.ts";
import { findInjectedOrders } from "../../safety/injected-text.ts";

export interface LearningsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly say: (sentence: string) => void;
}

/** Lessons from failures, for all sessions of a program. The first use opens the file. */
export interface OpenedLearnings extends Pick<LearningStore, "list" | "forget">, AsyncDisposable {
  store(): Promise<LearningStore>;
  /** The learner of one session. Undefined: disabled by the settings. */
  learner(of: { readonly principal: Principal; readonly redactor: Redactor }): Learner | undefined;
  readonly skillScores: SkillScores;
}

export function openLearnings(config: LoadedConfig, { clock, log, say }: LearningsDeps): OpenedLearnings {
  const file = join(config.home.path, homeFiles.learnings);
  let opened: Promise<LearningStore> | undefined;
  const store = () =>
    (opened ??= import("../../learnings/learning-store.ts").then(({ openLearningStore }) =>
      openLearningStore(file, clock, say),
    ));
  /** Reading creates no file. */
  const existingStore = async () => (opened !== undefined || existsSync(file) ? store() : undefined);

  return {
    store,
    learner({ principal, redactor }) {
      if (!config.values.learnings.enabled) return undefined;
      const loaded = once(async () => {
        const { createLearner } = await import("../../learnings/learner.ts");
        return createLearner({
          store,
          who: principal,
          async isUnfit(text) {
            if (redactor.redact(text, { kind: "output" }) !== text) return true;
            return (await findInjectedOrders(text, "memory")).length > 0;
          },
          failed: (thrown) => log.warn("learnings.failed", { error: reasonOf(thrown) }),
        });
      });
      return { heard: async (call, result) => (await loaded()).heard(call, result) };
    },
    skillScores: {
      async scores() {
        try {
          return (await (await existingStore())?.skillScores()) ?? new Map();
        } catch (thrown) {
          log.warn("learnings.failed", { error: reasonOf(thrown) });
          return new Map();
        }
      },
    },
    list: async (who) => (await (await existingStore())?.list(who)) ?? [],
    forget: async (id, who) => (await (await existingStore())?.forget(id, who)) ?? 0,
    [Symbol.asyncDispose]: once(async () => {
      const store = await opened?.catch(() => undefined);
      await store?.[Symbol.asyncDispose]();
    }),
  };
}
