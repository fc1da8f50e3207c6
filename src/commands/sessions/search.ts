import { systemClock } from "../../base/clock.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { shortTimeText } from "../../base/text/time-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const searchCommand: SlashCommand = {
  name: "search",
  args: "WORDS",
  summary: 'Search your other sessions: words, "a phrase", prefix*, -excluded, a OR b',
  async run(args, { run, sessionId }) {
    if (args.trim() === "")
      return { text: 'Pass words to search for, such as /search "disk full" docker', failed: true };
    const query = { text: args, limit: 8, without: [sessionId] };
    const { sessions, note, bounded, behind } = await run("sessions.search", query);
    const now = systemClock.now();
    const lines = sessions.map(({ id, title, preview = "", at: writtenAt, snippet, inTitle, more }) => {
      const facts = [
        shortTimeText(writtenAt, now),
        oneLine(title ?? preview, 60),
        ...(more > 0 ? [`${more} more`] : []),
      ];
      // Matches are bold. A match in the title needs no snippet: the row shows the title.
      const words = inTitle ? "" : `\n    ${snippet.replaceAll(">>>", "**").replaceAll("<<<", "**")}`;
      return `  ${id}  ${facts.filter((fact) => fact !== "").join(" · ")}${words}`;
    });
    const notes = [
      sessions.length === 0 ? "No matches in your other sessions." : "To resume one: /resume ID",
      ...(note === undefined ? [] : [`${note}.`]),
      ...(bounded ? ["There are more matches: add words."] : []),
      ...(behind > 0 ? [`${plural(behind, "entry")} not indexed yet.`] : []),
    ];
    return { text: [...lines, ...notes].join("\n") };
  },
};
