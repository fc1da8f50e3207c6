import { systemClock } from "../../../base/clock.ts";
import { userName } from "../../../base/this-user.ts";
import { type SlashContext, slashRunner } from "../../../commands/slash-command.ts";
import type { DisplayState } from "../../../contracts/host/command.ts";
import type { Session } from "../../../contracts/session/runtime.ts";
import { servicesOf } from "../../../operations/operation.ts";
import { createRunner, type RunOperation } from "../../../operations/run-operation.ts";
import type { CliContext } from "../command.ts";
import type { OpenedChat } from "./open-chat.ts";

/** Parts that differ between chats. */
export type SlashParts = Pick<
  SlashContext,
  "commands" | "offered" | "answersAs" | "confirm" | "fillIn" | "fixedSettings" | "hasPanels"
> & {
  /** How the chat looks now. */
  display(): DisplayState;
};

/** The context of one slash command in this chat. */
export function slashContext(
  opened: OpenedChat,
  session: Session,
  parts: SlashParts,
  ctx: CliContext,
  signal: AbortSignal,
): SlashContext {
  const run = slashRunner(sessionRunner(opened, session, ctx, signal));
  const started = (command: string, args: string) => {
    const facts = { sessionId: session.id, platform: "cli", senderId: ctx.principal.id };
    void opened.runtime.hooks.notify("commandRun", { ...facts, command, args }, signal);
  };
  return { ...parts, display: parts.display(), run, signal, started, sessionId: session.id, columns: ctx.io.columns };
}

/** Runs operations with the services of this chat. */
export function sessionRunner(
  { runtime }: OpenedChat,
  session: Session,
  { principal, cwd, io, paint, env, profile }: CliContext,
  signal: AbortSignal,
  report = ({ message }: { readonly message: string }) => io.warn(`${paint.dim(`hermes: ${message}`)}\n`),
): RunOperation {
  const services = servicesOf(() => runtime.services, {
    session: () => session,
    configPlace: () => ({ env, cwd, profile, user: userName() }),
  });
  return createRunner(services, { principal, signal, clock: systemClock, cwd, report });
}
