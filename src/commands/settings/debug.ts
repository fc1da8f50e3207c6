import type { SlashCommand } from "../slash-command.ts";

export const debugCommand: SlashCommand = {
  name: "debug",
  args: "[share [file]]",
  summary:
    "Show a summary of this installation for a bug report, or write it with the logs to a file; nothing is uploaded",
  where: "terminal",
  choices: (before) => (before.length === 0 ? ["share"] : []),
  async run(args, { run }) {
    const [, verb = "", file = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    if (verb === "")
      return { text: "Without secrets. /debug share adds the logs.", output: (await run("debug.summary", {})).text };
    if (verb !== "share") return { text: `/debug has no "${verb}"; it has: share.`, failed: true };
    const written = await run("debug.share", { output: file === "" ? undefined : file });
    return { text: `Written to ${written.file}, without secrets. Read it before you share it.` };
  },
};
