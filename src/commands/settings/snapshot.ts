import { systemClock } from "../../base/clock.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import { rows, sureWords } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const snapshotCommand: SlashCommand = {
  name: "snapshot",
  aliases: ["snap"],
  args: "[list | create [label] | restore ID | prune [N]]",
  summary: "Keep and restore copies of your settings, memory, SOUL.md, skins, bundles and agents",
  where: "terminal",
  async choices(before, { run }) {
    if (before.length === 0) return ["create", "restore", "prune", "list"];
    if (before[0] !== "restore") return [];
    const { snapshots } = await run("snapshots.list", {});
    return snapshots.map(({ id, label }) => ({ value: id, summary: label }));
  },
  async run(args, { run, confirm, signal }) {
    const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    switch (verb) {
      case "":
      case "list": {
        const { snapshots } = await run("snapshots.list", {});
        if (snapshots.length === 0) return { text: "There are no snapshots yet: /snapshot create [LABEL]" };
        const now = systemClock.now();
        const lines = snapshots.map(({ id, label, createdAt, files }) => {
          const about = [`${durationText(now - createdAt)} ago`, plural(files.length, "file"), oneLine(label, 60)];
          return [id, about.filter((fact) => fact !== "").join(" · ")] as const;
        });
        return { text: `${rows(lines)}\nTo restore one: /snapshot restore ID` };
      }
      case "create": {
        const { id, files } = await run("snapshots.create", { label: rest });
        return { text: `Created the snapshot ${id} (${plural(files.length, "file")}, no secrets, no sessions).` };
      }
      case "restore": {
        const words = rest.split(/\s+/u).filter((word) => word !== "");
        const id = words.find((word) => !sureWords.includes(word));
        if (id === undefined) return { text: "Name a snapshot: /snapshot restore ID", failed: true };
        const isSure = words.some((word) => sureWords.includes(word));
        const question = `Replace your settings, memory and other files by those of the snapshot ${id}?`;
        if (!isSure && confirm && !(await confirm(question, signal))) return { text: "Nothing was changed." };
        const { restored, before } = await run("snapshots.restore", { id });
        return {
          text: `Restored ${plural(restored.files.length, "file")}. New sessions use them; settings apply at the next start.\n/snapshot restore ${before.id} undoes this.`,
        };
      }
      case "prune": {
        const keep = rest === "" ? undefined : Number(rest);
        if (keep !== undefined && (!Number.isSafeInteger(keep) || keep < 0))
          return { text: `"${rest}" is not a number of snapshots.`, failed: true };
        const { deleted } = await run("snapshots.prune", { keep });
        return { text: deleted === 0 ? "Nothing to delete." : `Deleted ${plural(deleted, "snapshot")}.` };
      }
      default:
        return { text: `/snapshot has no "${verb}"; it has: list, create, restore, prune.`, failed: true };
    }
  },
};
