import type { SlashContext } from "../slash-command.ts";

/** Asks before a chat leaves its session for a new one. */
export async function leaveSession(
  args: string,
  { run, confirm, signal }: SlashContext,
): Promise<{ readonly isLeft: boolean; readonly text: string }> {
  const isSure = sureEnd.test(args);
  const { id, isEmpty, isBusy } = await run("session.status", {});
  const question = isBusy ? "Stop the turn and leave this session?" : "Leave this session?";
  if (!isSure && !isEmpty && confirm && !(await confirm(question, signal))) return { isLeft: false, text: "" };
  return { isLeft: true, text: isEmpty ? "" : `Session ${id} is kept: hermes -r ${id}` };
}

/** A word at the end that skips the confirmation. */
export const sureEnd = /(?:^|\s)(?:now|--yes|-y)$/u;
