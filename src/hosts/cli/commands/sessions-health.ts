import { plural } from "../../../base/text/text.ts";
import { type CliCommand, CommandFailed } from "../command.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "verify"],
    summary: "Read all sessions and say whether anything is damaged",
    details:
      "Checks every entry against its checksum, the tree of each session, the lists, and the file itself. Changes nothing.\nThe exit code is 1 when something is damaged.",
    async run(_input, ctx) {
      const { verifySessions } = await import("../../../runtime/session/sessions-health.ts");
      const verified = await verifySessions(await ctx.config(), ctx.signal);
      if (!verified)
        return { data: { ok: true, sessions: 0, entries: 0, problems: [] }, text: "There is no session yet." };
      const { sessions, entries, bytes, problems, areMore, harmed } = verified;
      const isWhole = problems.length === 0;
      const lost = harmed.map(({ id, lost: count }) => `  ${id}: ${plural(count, "entry")} lost`);
      const read = `${plural(sessions, "session")}, ${plural(entries, "entry")}, ${(bytes / 1e6).toFixed(1)} MB`;
      return {
        data: {
          ok: isWhole,
          sessions,
          entries,
          bytes,
          problems: [...problems],
          areMore,
          harmed: harmed.map((each) => ({ ...each })),
        },
        text: [
          isWhole
            ? ctx.paint.good(`Everything is as it was written: ${read}.`)
            : ctx.paint.bad(`Damage was found (${read}):`),
          ...problems.map((problem) => `  ${problem}`),
          ...(areMore ? ["  … and more"] : []),
          ...(lost.length > 0 ? ["Sessions that miss something:", ...lost] : []),
          ...(isWhole || bytes === 0 ? [] : ["End all of Hermes, then: hermes sessions repair"]),
        ].join("\n"),
        exitCode: isWhole ? 0 : 1,
      };
    },
  },
  {
    path: ["sessions", "repair"],
    summary: "Save everything that can be read of a damaged store into a new one",
    details:
      "Reads the file page by page, so that one bad place costs only what lies on it, and says what is gone.\nThe damaged file is kept beside the new one. No other Hermes may run meanwhile.",
    async run(_input, ctx) {
      const { repairSessions } = await import("../../../runtime/session/sessions-health.ts");
      const repaired = await repairSessions(await ctx.config(), ctx.principal, ctx.signal);
      if (!repaired.ok) throw new CommandFailed(repaired.error.message);
      const { text, harmed, ...rest } = repaired.value;
      return { data: { ...rest, harmed: harmed.map((each) => ({ ...each })) }, text };
    },
  },
];
