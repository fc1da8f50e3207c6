import { systemClock } from "../../../base/clock.ts";
import { type SlashContext, slashRunner } from "../../../commands/slash-command.ts";
import { servicesOf } from "../../../operations/operation.ts";
import { createRunner } from "../../../operations/run-operation.ts";
import type { CliContext } from "../command.ts";
import type { OpenedChat } from "./open-chat.ts";

/** What one slash command works with in this chat. */
export function slashContext(
  { runtime }: OpenedChat,
  { session, host, signal }: Pick<SlashContext, "session" | "host" | "signal">,
  { principal, cwd, io, paint }: CliContext,
): SlashContext {
  const report = ({ message }: { readonly message: string }) => io.warn(`${paint.dim(`hermes: ${message}`)}\n`);
  const context = { principal, signal, clock: systemClock, cwd, report };
  return {
    session,
    host,
    signal,
    run: slashRunner(
      createRunner(
        servicesOf(() => runtime.services, { session: () => session }),
        context,
      ),
    ),
  };
}
