import { plural } from "../../base/text/text.ts";
import { timeText } from "../../base/text/time-text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";

export const curatorCommand: SlashCommand = {
  name: "curator",
  args: "[status | run [--dry-run] | pause | resume | pin NAME | unpin NAME | archive NAME | restore NAME | archived | backup | rollback]",
  summary: "Maintain the agent's skills: unused ones are archived and can be restored",
  async run(args, ctx) {
    const [verb = "", name = ""] = args.split(/\s+/u);
    const act = acts[verb === "" ? "status" : verb];
    if (!act) return { text: `/curator has: ${Object.keys(acts).join(", ")}.`, failed: true };
    if (named.has(verb) && name === "") return { text: `Name a skill: /curator ${verb} NAME`, failed: true };
    return act(name, ctx.run, ctx);
  },
};

const named: ReadonlySet<string> = new Set(["pin", "unpin", "archive", "restore"]);

type Act = (name: string, run: SlashContext["run"], ctx: SlashContext) => Promise<CommandReply>;

const acts: Readonly<Partial<Record<string, Act>>> = {
  async status(_name, run) {
    const { skills, lastAt, dueAt, paused } = await run("curator.status", {});
    const when = lastAt === null ? "has not run yet" : `ran ${timeText(lastAt)}`;
    const next = paused ? "paused" : `next ${timeText(dueAt)}`;
    return { text: `The curator ${when}, ${next}. ${plural(skills.length, "skill")} in the home.` };
  },
  async run(option, run) {
    const isDry = option === "--dry-run" || option === "dry";
    const outcome = await run("curator.run", { dryRun: isDry });
    const moved = outcome.archived;
    const verb = isDry ? "would be archived" : "archived";
    return {
      text:
        moved.length === 0
          ? "There is nothing to archive."
          : `${plural(moved.length, "skill")} ${verb}: ${moved.join(", ")}`,
    };
  },
  async pause(_name, run) {
    await run("curator.pause", {});
    return { text: "The curator is paused." };
  },
  async resume(_name, run) {
    await run("curator.resume", {});
    return { text: "The curator is active again." };
  },
  async pin(name, run) {
    await run("curator.pin", { name });
    return { text: `${name} is pinned: the curator leaves it alone.` };
  },
  async unpin(name, run) {
    await run("curator.unpin", { name });
    return { text: `${name} is no longer pinned.` };
  },
  async archive(name, run) {
    await run("curator.archive", { name });
    return { text: `Archived ${name}. /curator restore ${name} restores it.` };
  },
  async restore(name, run) {
    await run("curator.restore", { name });
    return { text: `Restored ${name}.` };
  },
  async archived(_name, run) {
    const { archived } = await run("curator.archived", {});
    return {
      text: rows(archived.map((each) => [each, ""])) || "The archive is empty.",
    };
  },
  async backup(_name, run) {
    const { backup } = await run("curator.backup", {});
    return { text: `Backed up all skills: ${backup}` };
  },
  async rollback(name, run, { confirm, signal }) {
    if (confirm && !(await confirm("Restore all skills from the backup? Newer skills stay.", signal)))
      return { text: "Nothing was changed." };
    await run("curator.rollback", { backup: name === "" ? undefined : name });
    return { text: "Restored the skills from the backup." };
  },
};
