import { systemClock } from "../../../base/clock.ts";
import { type SlashContext, slashRunner } from "../../../commands/slash-command.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import { servicesOf } from "../../../operations/operation.ts";
import { createRunner } from "../../../operations/run-operation.ts";
import type { CliContext } from "../command.ts";
import type { OpenedChat } from "./open-chat.ts";

/** Parts that differ between chats. */
export type SlashParts = Pick<SlashContext, "commands" | "offered" | "answersAs" | "confirm" | "fixedSettings">;

/** The context of one slash command in this chat. */
export function slashContext(
  { runtime }: OpenedChat,
  session: Session,
  parts: SlashParts,
  { principal, cwd, io, paint }: CliContext,
  signal: AbortSignal,
): SlashContext {
  const report = ({ message }: { readonly message: string }) => io.warn(`${paint.dim(`hermes: ${message}`)}\n`);
  const services = servicesOf(() => runtime.services, { session: () => session });
  const run = slashRunner(createRunner(services, { principal, signal, clock: systemClock, cwd, report }));
  return { ...parts, run, signal, sessionId: session.id, columns: io.columns };
}
