import { oneLine } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const psCommand: SlashCommand = {
  name: "ps",
  aliases: ["processes"],
  summary: "List the background processes of this session",
  async run(_args, { run }) {
    const { processes } = await run("session.processes", {});
    if (processes.length === 0) return { text: "No background process runs." };
    return {
      text: rows(
        processes.map(({ id, command, pid, isRunning, isKept, how, exitCode, ranMs }) => {
          const ended = exitCode === undefined ? (how ?? "ended") : `exit code ${exitCode}`;
          const facts = [
            isRunning ? "running" : ended,
            durationText(ranMs),
            ...(isRunning && pid !== undefined ? [`pid ${pid}`] : []),
            ...(isKept ? ["kept after exit"] : []),
          ];
          return [id, `${facts.join(", ")}: ${oneLine(command, 120)}`] as const;
        }),
      ),
    };
  },
};
