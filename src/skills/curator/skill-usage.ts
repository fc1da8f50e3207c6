import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { SkillWatcher } from "../../contracts/knowledge/skill.ts";
import { readStateFile } from "../state-files.ts";

export interface SkillUse {
  readonly views: number;
  readonly uses: number;
  readonly changes: number;
  /** Time of the last view, use or change. */
  readonly lastAt: number;
  /** Whether the skill is pinned: the curator skips it, and the agent cannot delete it. */
  readonly isPinned: boolean;
}

export interface SkillUsage extends SkillWatcher {
  read(): Readonly<Record<string, SkillUse>>;
  pin(name: string, isPinned: boolean, signal: AbortSignal): Promise<void>;
  /** Waits until all counts so far are saved. */
  flush(): Promise<void>;
}

const file = ".hermes-usage.json";
const nothing: SkillUse = { views: 0, uses: 0, changes: 0, lastAt: 0, isPinned: false };

/** Usage counters, stored with the skills of a home. They are written in the background, because losing one does no harm. */
export function createSkillUsage(skills: string, clock: Clock): SkillUsage {
  let writing: Promise<void> = Promise.resolve();

  function read(): Readonly<Record<string, SkillUse>> {
    const all = readStateFile(skills, file)?.["skills"];
    if (!isObject(all)) return {};
    return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, useOf(value)]));
  }

  async function change(name: string, next: (use: SkillUse) => SkillUse, signal: AbortSignal): Promise<void> {
    await makeFolder(skills, 0o700);
    await withFileLock(
      join(skills, file),
      async () => {
        const all = read();
        const value: JsonObject = { ...next(all[name] ?? nothing) };
        const content = { version: 1, skills: { ...all, [name]: value } };
        await writeFileAtomic(join(skills, file), `${JSON.stringify(content)}\n`, { mode: 0o600 });
      },
      { signal, timeoutMs: 5_000, clock },
    );
  }

  return {
    read,
    happened(skill, what) {
      const now = clock.now();
      const never = new AbortController().signal;
      const counted = (use: SkillUse): SkillUse => ({
        ...use,
        views: use.views + (what === "viewed" ? 1 : 0),
        uses: use.uses + (what === "used" ? 1 : 0),
        changes: use.changes + (what === "viewed" || what === "used" ? 0 : 1),
        lastAt: Math.max(use.lastAt, now),
      });
      writing = writing.then(() => change(skill, counted, never)).catch(() => {});
    },
    pin: (name, isPinned, signal) => change(name, (use) => ({ ...use, isPinned }), signal),
    flush: () => writing,
  };
}

function useOf(value: unknown): SkillUse {
  if (!isObject(value)) return nothing;
  const count = (key: string) => (typeof value[key] === "number" ? value[key] : 0);
  return {
    views: count("views"),
    uses: count("uses"),
    changes: count("changes"),
    lastAt: count("lastAt"),
    isPinned: value["isPinned"] === true,
  };
}
