import { oneLine, plural } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import { useSkill } from "./use-skill.ts";

export const skillsCommand: SlashCommand = {
  name: "skills",
  args: "[list|view|use|pending|diff|approve|reject|history|undo] [name]",
  summary: "List skills, use one, or review changes; /NAME uses a skill directly",
  async choices(before, ctx) {
    if (before.length === 0) return Object.keys(acts);
    if (before.length > 1 || !namedActs.has(before[0] ?? "")) return [];
    const { skills } = await ctx.run("skills.names", {});
    return skills.map(({ name, description }) => ({ value: name, summary: oneLine(description, 100) }));
  },
  async run(args, ctx) {
    const [, verb = "", name = "", rest = ""] = /^(\S*)\s*(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    const act = acts[verb === "" ? "list" : verb.toLowerCase()];
    if (!act) return { text: `/skills has no "${verb}"; it has: ${Object.keys(acts).join(", ")}.`, failed: true };
    return act({ name, rest }, ctx);
  },
};

const namedActs: ReadonlySet<string> = new Set(["view", "use", "history", "undo"]);

type Act = (words: { readonly name: string; readonly rest: string }, ctx: SlashContext) => Promise<CommandReply>;

const acts: Readonly<Partial<Record<string, Act>>> = {
  async list(_words, { run }) {
    const { skills, hidden, pending } = await run("skills.list", {});
    if (skills.length === 0) return { text: "There are no skills yet." };
    const left = hidden.map(({ name, why }) => `  ${name}: ${oneLine(why, 120)}`);
    return {
      text: [
        rows(skills.map(({ name, description }) => [name, oneLine(description, 90)])),
        ...(left.length > 0 ? ["Not offered here:", ...left] : []),
        ...(pending > 0 ? [`${plural(pending, "pending change")}: /skills pending`] : []),
      ].join("\n"),
    };
  },
  async view({ name, rest }, { run }) {
    if (name === "") return { text: "Name a skill: /skills view NAME [FILE]", failed: true };
    const page = await run("skills.view", { name, file: rest === "" ? undefined : rest });
    const { content, folder, linkedFiles, note } = page;
    return { text: [folder, ...(note === undefined ? [] : [note]), ...linkedFiles, "", content].join("\n") };
  },
  async use({ name, rest }, { run }) {
    if (name === "") return { text: "Name a skill: /skills use NAME REQUEST", failed: true };
    return (await useSkill(name, rest, run)) ?? { text: `There is no skill ${name}.`, failed: true };
  },
  async pending(_words, { run }) {
    const { pending } = await run("skills.pending", {});
    if (pending.length === 0) return { text: "No change is pending." };
    const lines = rows(pending.map(({ skill, by, files }) => [skill, `${files.join(", ")} (${by})`]));
    return { text: `${lines}\n/skills diff NAME, then /skills approve NAME or /skills reject NAME` };
  },
  diff: async ({ name }, { run }) => ({
    text: (await run("skills.diff", { name })).diff || "The skill already has this content.",
  }),
  async approve({ name, rest }, { run }) {
    await run("skills.approve", { name, force: isForced(rest) });
    return { text: `Changed ${name}. /skills undo ${name} undoes it.` };
  },
  async reject({ name }, { run }) {
    await run("skills.reject", { name });
    return { text: `${name} stays unchanged.` };
  },
  async history({ name }, { run }) {
    const { changes } = await run("skills.history", { name });
    if (changes.length === 0) return { text: `There are no recorded changes of ${name || "…"}.`, failed: name === "" };
    const shown = changes.slice(-20).map(({ number, at: changedAt, by, action, files, undoes }) => {
      const what = undoes === undefined ? action : `undo of ${undoes}`;
      const time = new Date(changedAt).toISOString().slice(0, 16);
      return [String(number), `${time} ${what} by ${by}: ${files.join(", ")}`] as const;
    });
    return { text: rows(shown) };
  },
  async undo({ name, rest }, { run, confirm, signal }) {
    if (name === "") return { text: "Name a skill: /skills undo NAME", failed: true };
    if (confirm && !(await confirm(`Undo the last change of ${name}?`, signal))) return { text: "Nothing was undone." };
    const { undid } = await run("skills.undo", { name, force: isForced(rest) });
    return { text: `Undid change ${undid} of ${name}.` };
  },
};

function isForced(rest: string): boolean {
  return /^(?:--)?force$/u.test(rest);
}
