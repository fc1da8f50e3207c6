import { oneLine, plural } from "../base/text/text.ts";
import type { CommandReply } from "../contracts/host/command.ts";
import type { SkillDesk } from "../contracts/knowledge/skill.ts";
import { promptOf, rows } from "./reply-text.ts";
import { defineCommand, type SlashContext } from "./slash-command.ts";

export default defineCommand({
  name: "skills",
  args: "[list|view|use|pending|diff|approve|reject|history|undo] [name]",
  summary: "Show skills, use one, and decide about changes to them; /NAME uses a skill at once",
  where: "everywhere",
  whileBusy: "now",
  async run(args, ctx) {
    const { skills } = ctx.host;
    if (!skills) return { text: "There are no skills here.", failed: true };
    const [, verb = "", name = "", rest = ""] = /^(\S*)\s*(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    const act = acts[verb === "" ? "list" : verb.toLowerCase()];
    if (!act) return { text: `/skills knows ${Object.keys(acts).join(", ")}, not "${verb}".`, failed: true };
    return act(skills, { name, rest }, ctx);
  },
});

type Act = (
  skills: SkillDesk,
  words: { readonly name: string; readonly rest: string },
  ctx: SlashContext,
) => Promise<CommandReply>;

const acts: Readonly<Partial<Record<string, Act>>> = {
  async list(skills, _words, { signal }) {
    const { skills: found, hidden } = await skills.list(signal);
    if (found.length === 0) return { text: "There are no skills yet." };
    const left = hidden.map(({ name, why }) => `  ${name}: ${oneLine(why, 120)}`);
    const waiting = (await skills.pending()).length;
    return {
      text: [
        rows(found.map(({ name, description }) => [name, oneLine(description, 90)])),
        ...(left.length > 0 ? ["Not offered here:", ...left] : []),
        ...(waiting > 0 ? [`${plural(waiting, "change")} waiting for you: /skills pending`] : []),
      ].join("\n"),
    };
  },
  async view(skills, { name, rest }, { signal }) {
    if (name === "") return { text: "Which skill? /skills view NAME [FILE]", failed: true };
    const page = await skills.view(name, rest === "" ? undefined : rest, signal);
    if (!page.ok) return { text: page.error.message, failed: true };
    const { content, folder, linkedFiles, note } = page.value;
    return { text: [folder, ...(note === undefined ? [] : [note]), ...linkedFiles, "", content].join("\n") };
  },
  async use(skills, { name, rest }, ctx) {
    if (name === "") return { text: "Which skill? /skills use NAME what you want", failed: true };
    return (await useSkill(skills, name, rest, ctx.signal)) ?? { text: `There is no skill ${name}.`, failed: true };
  },
  async pending(skills) {
    const waiting = await skills.pending();
    if (waiting.length === 0) return { text: "No change waits." };
    const lines = rows(waiting.map(({ skill, by, files }) => [skill, `${files.join(", ")} (${by})`]));
    return { text: `${lines}\n/skills diff NAME, then /skills approve NAME or /skills reject NAME` };
  },
  async diff(skills, { name }) {
    const diff = await skills.pendingDiff(name);
    return diff.ok
      ? { text: diff.value || "It changes nothing any more." }
      : { text: diff.error.message, failed: true };
  },
  async approve(skills, { name, rest }, { signal }) {
    const made = await skills.approve(name, /^(?:--)?force$/u.test(rest), signal);
    return made.ok
      ? { text: `${name} is changed. /skills undo ${name} takes it back.` }
      : { text: made.error.message, failed: true };
  },
  async reject(skills, { name }, { signal }) {
    const rejected = await skills.reject(name, signal);
    return rejected.ok ? { text: `${name} stays as it is.` } : { text: rejected.error.message, failed: true };
  },
  async history(skills, { name }) {
    const revisions = await skills.history(name);
    if (revisions.length === 0) return { text: `Nothing is known of changes to ${name || "…"}.`, failed: name === "" };
    const shown = revisions.slice(-20).map(({ number, at, by, action, files, undoes }) => {
      const what = undoes === undefined ? action : `undo of ${undoes}`;
      return [
        String(number),
        `${new Date(at).toISOString().slice(0, 16)} ${what} by ${by}: ${files.join(", ")}`,
      ] as const;
    });
    return { text: rows(shown) };
  },
  async undo(skills, { name, rest }, { host, signal }) {
    if (name === "") return { text: "Which skill? /skills undo NAME", failed: true };
    if (host.confirm && !(await host.confirm(`Take back the last change of ${name}?`, signal)))
      return { text: "Nothing was taken back." };
    const undone = await skills.undo(name, { force: /^(?:--)?force$/u.test(rest) }, signal);
    return undone.ok
      ? { text: `Change ${undone.value.undid} of ${name} is taken back.` }
      : { text: undone.error.message, failed: true };
  },
};

/** The skill's text and what the person typed, as if it had been typed. Nothing when there is no such skill. */
export async function useSkill(
  skills: SkillDesk,
  name: string,
  request: string,
  signal: AbortSignal,
): Promise<CommandReply | undefined> {
  const used = await skills.use(name, request, signal);
  if (!used.ok && used.error.kind === "unknown") return undefined;
  if (!used.ok) return { text: used.error.message, failed: true };
  return { text: `skill ${name}`, effect: { kind: "prompt", content: promptOf(used.value) } };
}
