import { plural } from "../../base/text/text.ts";
import type { Usage } from "../../contracts/model/model.ts";
import { rows, tokenCount, dollars } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const usageCommand: SlashCommand = {
  name: "usage",
  summary: "Show tokens and cost of the last turn, this session and today",
  async run(_args, ctx) {
    const { turn, session, sessionCalls, day } = await ctx.run("usage.session", {});
    return {
      text: rows([
        ["last turn", turn.input + turn.output === 0 ? "none yet" : usageText(turn)],
        [
          "session",
          sessionCalls === 0 ? "nothing yet" : `${usageText(session)}, ${plural(sessionCalls, "model call")}`,
        ],
        ["today", `${tokenCount(day.tokens)} tokens, ${dollars(day.costUsd)}, all sessions`],
      ]),
    };
  },
};

function usageText({ input, output, cacheRead, reasoning, costUsd, estimated }: Usage): string {
  const cached = cacheRead > 0 ? ` (${tokenCount(cacheRead)} cached)` : "";
  const thought = reasoning > 0 ? ` (${tokenCount(reasoning)} reasoning)` : "";
  const about = estimated ? "about " : "";
  return `${about}${tokenCount(input)} in${cached}, ${tokenCount(output)} out${thought}, ${dollars(costUsd)}`;
}
