import { plural } from "../../base/text/text.ts";
import type { CommandReply } from "../../contracts/host/command.ts";
import { rows, sureWords } from "../reply-text.ts";
import { leaveSession } from "../sessions/leave-session.ts";
import type { SlashCommand, SlashContext } from "../slash-command.ts";
import { onlyAll } from "./only-all.ts";

export const toolsCommand: SlashCommand = {
  name: "tools",
  args: "[list|all] | enable NAMES | disable NAMES",
  summary: "Show the tools of this session, or continue in a new session with other tools or toolsets",
  async run(args, ctx) {
    const [verb = "", ...names] = args.split(/[\s,]+/u).filter((word) => word !== "");
    if (verb === "enable" || verb === "disable") return reselect(verb, names, ctx);
    if (args !== "" && args !== "list" && args !== "all") return onlyAll("tools", args);
    const { tools } = await ctx.run("tools.inSession", {});
    const usable = tools.filter(({ state }) => state !== "missing");
    const shown = args === "all" ? tools : usable;
    const list = rows(
      shown.map(({ name, toolset, state, why }) => {
        if (state === "direct") return [name, toolset];
        return [name, `${toolset}, ${state === "searchable" ? "found by search" : why}`];
      }),
    );
    const missing = tools.length - usable.length;
    const rest = args === "all" || missing === 0 ? "" : `\n${plural(missing, "more tool")}: /tools all`;
    return { text: `${list}${rest}` };
  },
};

/** The system prompt lists the tools of a session and never changes, so the chat continues in a new session. */
async function reselect(
  verb: "enable" | "disable",
  words: readonly string[],
  ctx: SlashContext,
): Promise<CommandReply> {
  const names = words.filter((word) => !sureWords.includes(word));
  if (names.length === 0) return { text: `Name tools or toolsets: /tools ${verb} browser`, failed: true };
  const tools = await ctx.run("tools.reselect", { [verb]: names });
  const { isLeft, text } = await leaveSession(words.join(" "), ctx);
  if (!isLeft) return { text: "Nothing was changed. The session keeps its tools." };
  const done = `A new session starts with ${names.join(", ")} ${verb}d. ${text}`;
  return { text: done.trim(), effect: { kind: "new", tools } };
}
