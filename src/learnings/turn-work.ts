import { parsedObject } from "../base/json.ts";
import type { Message, ToolCall } from "../contracts/model/message.ts";

/** The work since the user's last message. */
export interface TurnWork {
  readonly calls: readonly ToolCall[];
  readonly failed: number;
}

export function lastTurn(messages: readonly Message[]): TurnWork {
  const from = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(from + 1);
  return {
    calls: since.flatMap((message) => (message.role === "assistant" ? message.calls : [])),
    failed: since.filter((message) => message.role === "tool" && (message.failed || hasExitCode(message))).length,
  };
}

export function skillsUsed({ calls }: TurnWork): readonly string[] {
  return calls.flatMap(({ name, args }) => {
    const given = name === "skill_view" ? argsOf(args)["name"] : undefined;
    return typeof given === "string" ? [given] : [];
  });
}

function argsOf(args: ToolCall["args"]): Readonly<Record<string, unknown>> {
  return typeof args === "string" ? parsedObject(args) : args;
}

/** Returns whether a command exited with a code other than 0. */
function hasExitCode({ content }: Message): boolean {
  const [part] = content;
  return part?.type === "text" && /^\{"exit_code":(?!0,)/u.test(part.text);
}
