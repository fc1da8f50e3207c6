import { defineCommand } from "../contracts/host/command.ts";

export default defineCommand({
  name: "export",
  aliases: ["save"],
  args: "[file.html|file.md|file.jsonl]",
  summary: "Write this session with all its branches to a file; secrets are hidden",
  where: "terminal",
  whileBusy: "now",
  async run(args, { host: { sessions }, session, signal }) {
    if (!sessions) return { text: "There are no stored sessions here.", failed: true };
    if (session.history().length === 0) return { text: "Nothing was said yet.", failed: true };
    const done = await sessions.export(session.id, args === "" ? undefined : args, signal);
    if (!done.ok) return { text: done.error.message, failed: true };
    return { text: `${done.value.file} (${Math.max(1, Math.round(done.value.bytes / 1000))} KB)` };
  },
});
