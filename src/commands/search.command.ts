import { oneLine, plural } from "../base/text/text.ts";
import { shortTimeText } from "../base/text/time-text.ts";
import { defineCommand } from "../contracts/host/command.ts";

export default defineCommand({
  name: "search",
  args: "WORDS",
  summary: 'Find what was said in other sessions: words, "a phrase", begin*, -without, a OR b',
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host, session, signal }) {
    if (!host.search) return { text: "There are no stored sessions here.", failed: true };
    if (args.trim() === "")
      return { text: 'What for? /search WORDS, such as /search "disk full" docker', failed: true };
    const { found, note, bounded, behind } = await host.search({ text: args, limit: 8, without: [session.id] }, signal);
    const now = host.sessions?.now() ?? 0;
    const lines = found.map(({ record, at, snippet, isTitle, more }) => {
      const title = oneLine(record.title ?? record.preview ?? "", 60);
      const facts = [shortTimeText(at, now), title, ...(more > 0 ? [`${more} more`] : [])].filter(
        (fact) => fact !== "",
      );
      // Bold in a chat; a title is shown already.
      const words = isTitle ? "" : `\n    ${snippet.replaceAll(">>>", "**").replaceAll("<<<", "**")}`;
      return `  ${record.id}  ${facts.join(" · ")}${words}`;
    });
    const notes = [
      ...(found.length === 0 ? ["Nothing was found in your other sessions."] : ["/resume ID goes on with one."]),
      ...(note === undefined ? [] : [`${note}.`]),
      ...(bounded ? ["More fits than was looked at: add words."] : []),
      ...(behind > 0 ? [`${plural(behind, "entry")} not searchable yet.`] : []),
    ];
    return { text: [...lines, ...notes].join("\n") };
  },
});
