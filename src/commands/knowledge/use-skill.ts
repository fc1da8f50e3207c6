import type { CommandReply } from "../../contracts/host/command.ts";
import { promptOf } from "../reply-text.ts";
import type { SlashContext } from "../slash-command.ts";

/** Builds a prompt from the skill's text and the user's request. Undefined if there is no such skill. */
export async function useSkill(
  name: string,
  request: string,
  run: SlashContext["run"],
): Promise<CommandReply | undefined> {
  const { prompt } = await run("skills.use", { name, request });
  if (prompt === null) return undefined;
  return { text: `skill ${name}`, effect: { kind: "prompt", content: promptOf(prompt), isOrder: true } };
}
