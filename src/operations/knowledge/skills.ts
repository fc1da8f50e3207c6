import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, integer, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { SkillFault } from "../../contracts/knowledge/skill.ts";
import { diffOfStates } from "../../skills/file-states.ts";
import { readOperation, writeOperation } from "../operation.ts";

const name = string("the skill");
const force = (description: string) => optional(flag(description));

export const operations = {
  list: readOperation({
    summary: "List the skills, why some are not offered, and the number of pending changes",
    input: object({ category: optional(string("only skills of this category")) }),
    needs: ["skills"],
    async run({ category }, { skills }, { signal }) {
      const { keeper, own } = await skills.opened();
      const { skills: cards, hidden } = await own.list(withoutUndefined({ category }), signal);
      return ok({
        skills: cards.map(({ name: skill, description, category: of, origin, tags }) => ({
          name: skill,
          description,
          ...withoutUndefined({ category: of }),
          origin,
          tags,
        })),
        hidden: hidden.map(({ name: skill, why }) => ({ name: skill, why })),
        pending: keeper.pending().length,
      });
    },
  }),

  view: readOperation({
    summary: "Show a skill as the model reads it, or one of its files",
    input: object({ name, file: optional(string("a file of the skill; default: SKILL.md")) }),
    needs: ["skills"],
    async run({ name: skill, file }, { skills }, { signal }) {
      const page = await (await skills.opened()).own.view(skill, file, signal);
      if (!page.ok) return failed(page.error);
      const { card, ...rest } = page.value;
      return ok({ name: card.name, description: card.description, origin: card.origin, ...rest });
    },
  }),

  names: readOperation({
    summary: "List the known skills and bundles that can be used by name",
    needs: ["skills"],
    run: async (_input, { skills }) => ok({ skills: skills.named.usable() }),
  }),

  reload: readOperation({
    summary: "Read the folders of skills and bundles again; returns names that were added or removed",
    needs: ["skills"],
    async run(_input, { skills }) {
      const opened = await skills.opened();
      const before = opened.named.usable().map((each) => each.name);
      await opened.named.reload();
      const after = opened.named.usable().map((each) => each.name);
      return ok({
        count: after.length,
        added: after.filter((each) => !before.includes(each)),
        removed: before.filter((each) => !after.includes(each)),
      });
    },
  }),

  use: readOperation({
    summary: "Return the prompt that uses a skill or a bundle; null if none has that name",
    input: object({ name, request: string("what the user wants") }),
    needs: ["skills"],
    async run({ name: skill, request }, { skills }, { signal }) {
      const used = await skills.named.use(skill, request, signal);
      if (used.ok) return ok({ prompt: used.value });
      return used.error.kind === "no_skill" ? ok({ prompt: null }) : failed(used.error);
    },
  }),

  preload: readOperation({
    summary: "Return the prompt that loads skills at the start of a session",
    input: object({ names: list("the skills", name) }),
    needs: ["skills"],
    async run({ names }, { skills }, { signal }) {
      const loaded = await skills.named.preload(names, signal);
      return loaded.ok ? ok({ prompt: loaded.value }) : failed(loaded.error);
    },
  }),

  history: readOperation({
    summary: "List the changes of a skill, even of a deleted one, oldest first",
    input: object({ name }),
    needs: ["skills"],
    async run({ name: skill }, { skills }) {
      const changes = (await skills.opened()).keeper.history(skill);
      return ok({
        skill,
        changes: changes.map(({ number, at: changedAt, by, action, before, after, undoes }) => ({
          number,
          at: changedAt,
          by,
          action,
          files: Object.keys(after).toSorted(),
          ...withoutUndefined({ undoes }),
          diff: diffOfStates(before, after),
        })),
      });
    },
  }),

  undo: writeOperation({
    summary: "Undo the last change of a skill; the history records the undo as a change",
    input: object({
      name,
      entry: optional(integer("number of the change in the history", { minimum: 1 })),
      force: force("even if its files have changed since"),
    }),
    needs: ["skills"],
    async run({ name: skill, entry, force: isForced = false }, { skills }, { signal }) {
      const undone = await (
        await skills.opened()
      ).keeper.undo(skill, { force: isForced, ...withoutUndefined({ entry }) }, signal);
      if (!undone.ok) return failed(undone.error);
      const { skill: id, undid, diff } = undone.value;
      return ok({ skill: id, undid, diff });
    },
  }),

  pending: readOperation({
    summary: "List the pending changes of skills",
    needs: ["skills"],
    async run(_input, { skills }) {
      const pending = (await skills.opened()).keeper.pending();
      return ok({
        pending: pending.map(({ skill, at: proposedAt, by, files }) => ({
          skill,
          at: proposedAt,
          by,
          files: Object.keys(files).toSorted(),
        })),
      });
    },
  }),

  diff: readOperation({
    summary: "Show the diff of a pending change",
    input: object({ name }),
    needs: ["skills"],
    async run({ name: skill }, { skills }) {
      const diff = (await skills.opened()).keeper.pendingDiff(skill);
      return diff.ok ? ok({ skill, diff: diff.value }) : failed(diff.error);
    },
  }),

  approve: writeOperation({
    summary: "Apply a pending change",
    input: object({ name, force: force("even if the skill has changed since, or the scan reports danger") }),
    needs: ["skills"],
    async run({ name: skill, force: isForced = false }, { skills }, { signal }) {
      const result = await (await skills.opened()).keeper.approve(skill, isForced, signal);
      if (!result.ok) return failed(result.error);
      const { skill: id, entry, diff } = result.value;
      return ok({ skill: id, entry, diff });
    },
  }),

  reject: writeOperation({
    summary: "Discard a pending change; the skill stays unchanged",
    input: object({ name }),
    needs: ["skills"],
    async run({ name: skill }, { skills }, { signal }) {
      const rejected = await (await skills.opened()).keeper.reject(skill, signal);
      return rejected.ok ? ok({ rejected: skill }) : failed(rejected.error);
    },
  }),

  danger: readOperation({
    summary: "Show why the scan prevents a skill from being loaded; null if it may be loaded",
    input: object({ name }),
    needs: ["skills"],
    async run({ name: requested }, { skills }) {
      const { shelf } = await skills.opened();
      const skill = (await shelf()).skills.find((each) => each.name === requested);
      if (!skill) return err({ message: `There is no skill ${requested}.`, hint: "hermes skills list shows them." });
      return ok({ name: requested, danger: skill.danger ?? null });
    },
  }),

  allow: writeOperation({
    summary: "Load a skill in its current form, even if the scan reports danger",
    input: object({ name }),
    needs: ["skills"],
    async run({ name: requested }, { skills }, { signal }) {
      const { keeper, shelf } = await skills.opened();
      const skill = (await shelf()).skills.find((each) => each.name === requested);
      if (!skill) return err({ message: `There is no skill ${requested}.`, hint: "hermes skills list shows them." });
      if (skill.danger !== undefined) {
        const allowed = await keeper.allow(skill, signal);
        if (!allowed.ok) return failed(allowed.error);
      }
      return ok({ allowed: requested, danger: skill.danger ?? null });
    },
  }),

  reset: writeOperation({
    summary: "Update a bundled skill with Hermes again",
    input: object({ name, restore: optional(flag("replace your version by the bundled one")) }),
    needs: ["skills"],
    async run({ name: skill, restore = false }, { skills }, { signal }) {
      const { resetBundled } = await import("../../skills/bundled/choose-bundled.ts");
      const done = await resetBundled(await skills.opened(), skill, restore, signal);
      return done.ok ? ok({ name: skill, restored: done.value.restored, kept: done.value.kept }) : done;
    },
  }),

  optOut: writeOperation({
    summary: "Do not copy bundled skills into this home",
    input: object({ remove: optional(flag("delete those that are unchanged")) }),
    needs: ["skills"],
    async run({ remove = false }, { skills }) {
      const { optOut } = await import("../../skills/bundled/choose-bundled.ts");
      return ok({ removed: await optOut(await skills.opened(), remove) });
    },
  }),

  optIn: writeOperation({
    summary: "Copy bundled skills into this home again",
    input: object({ sync: optional(flag("copy now, not at the next start")) }),
    needs: ["skills"],
    async run({ sync = false }, { skills }, { signal }) {
      const { optIn } = await import("../../skills/bundled/choose-bundled.ts");
      return optIn(await skills.opened(), sync, signal);
    },
  }),
};

function failed({ kind, message }: Pick<SkillFault, "kind" | "message">) {
  return err({ message, ...(kind === "no_skill" && { hint: "`hermes skills list` lists all skills." }) });
}
