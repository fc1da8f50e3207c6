import type { SlashCommand } from "../slash-command.ts";

export const exportCommand: SlashCommand = {
  name: "export",
  args: "[file.html|file.md|file.json|file.jsonl]",
  summary: "Write this session with all its branches to a file; secrets are redacted",
  where: "terminal",
  async run(args, { run, sessionId: id }) {
    if ((await run("session.status", {})).isEmpty) return { text: "This session is empty.", failed: true };
    const file = args === "" ? `hermes-${id}.html` : args;
    const exported = await run("sessions.export", { sessions: [id], file });
    const kilobytes = "bytes" in exported ? Math.max(1, Math.round(exported.bytes / 1000)) : 0;
    return { text: `${"file" in exported ? exported.file : file} (${kilobytes} KB)` };
  },
};
