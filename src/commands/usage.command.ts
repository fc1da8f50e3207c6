import { plural } from "../base/text/text.ts";
import { defineCommand } from "../contracts/host/command.ts";
import type { Usage } from "../contracts/model/model.ts";
import { dollars, rows, tokenCount } from "./reply-text.ts";

export default defineCommand({
  name: "usage",
  summary: "Show tokens and cost of the last turn, this session and today",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { session }) {
    const { turn, session: whole, sessionCalls, day } = await session.usage();
    return {
      text: rows([
        ["last turn", turn.input + turn.output === 0 ? "none here yet" : usageText(turn)],
        ["session", sessionCalls === 0 ? "nothing yet" : `${usageText(whole)}, ${plural(sessionCalls, "model call")}`],
        ["today", `${tokenCount(day.tokens)} tokens, ${dollars(day.costUsd)}, all sessions`],
      ]),
    };
  },
});

function usageText({ input, output, cacheRead, reasoning, costUsd, estimated }: Usage): string {
  const cached = cacheRead > 0 ? ` (${tokenCount(cacheRead)} cached)` : "";
  const thought = reasoning > 0 ? ` (${tokenCount(reasoning)} reasoning)` : "";
  const about = estimated ? "about " : "";
  return `${about}${tokenCount(input)} in${cached}, ${tokenCount(output)} out${thought}, ${dollars(costUsd)}`;
}
