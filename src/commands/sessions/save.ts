import type { SlashCommand } from "../slash-command.ts";

const formats = ["json", "md", "html"] as const;

export const saveCommand: SlashCommand = {
  name: "save",
  args: "[json|md|html] [file] [redact]",
  maxWords: 3,
  summary: "Write a copy of this session to a file; secrets are always redacted",
  where: "terminal",
  choices: (before) => {
    if (before.length > 0) return before.includes("redact") ? [] : ["redact"];
    return [
      { value: "json", summary: "for programs" },
      { value: "md", summary: "Markdown" },
      { value: "html", summary: "a page for a browser" },
    ];
  },
  async run(args, { run, sessionId: id }) {
    const words = args.split(/\s+/u).filter((word) => word !== "" && word !== "redact");
    const format = formats.find((each) => each === words[0]);
    const [given, extra] = format ? words.slice(1) : words;
    if (extra !== undefined)
      return { text: `/save does not know "${extra}". Usage: /save ${this.args ?? ""}`, failed: true };
    if ((await run("session.status", {})).isEmpty) return { text: "This session is empty.", failed: true };
    const file = given ?? `hermes-${id}.${format ?? "json"}`;
    const written = await run("sessions.export", { sessions: [id], file, ...(format && { format }) });
    const kilobytes = "bytes" in written ? Math.max(1, Math.round(written.bytes / 1000)) : 0;
    return { text: `Saved to ${"file" in written ? written.file : file} (${kilobytes} KB).` };
  },
};
