import type { ContentPart } from "../../../../contracts/model/message.ts";
import type { Runtime } from "../../../../contracts/session/runtime.ts";
import { CommandFailed } from "../../command.ts";
import type { ChatRequest } from "../chat-request.ts";

/** The skills that the command line names, for the first prompt. Ends the command if one does not exist. */
export async function preloadedSkills(
  { skills }: ChatRequest,
  runtime: Pick<Runtime, "skills">,
  signal: AbortSignal,
): Promise<readonly ContentPart[]> {
  if (skills.length === 0) return [];
  const text = await runtime.skills.preload(skills, signal);
  if (!text.ok) throw new CommandFailed(text.error.message, "hermes skills list shows all skills.", 2);
  return [{ type: "text", text: `\n\n${text.value}` }];
}

/** Expands a prompt `/NAME request` to the skill of that name; other prompts stay unchanged. */
export async function withUsedSkill(
  content: readonly ContentPart[],
  runtime: Pick<Runtime, "skills">,
  signal: AbortSignal,
): Promise<readonly ContentPart[]> {
  const [first, ...rest] = content;
  const [, name, request = ""] =
    first?.type === "text" ? (/^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/u.exec(first.text.trim()) ?? []) : [];
  if (name === undefined) return content;
  const used = await runtime.skills.use(name, request, signal);
  if (used.ok) return [{ type: "text", text: used.value }, ...rest];
  if (used.error.kind === "no_skill") return content;
  throw new CommandFailed(used.error.message);
}
