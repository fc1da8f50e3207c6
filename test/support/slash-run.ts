import { type SlashContext, slashRunner } from "../../src/commands/slash-command.ts";
import type { DisplayState } from "../../src/contracts/host/command.ts";
import { defaultDisplay } from "../../src/hosts/cli/chat/chat-display.ts";
import type { OpenService, OperationServices } from "../../src/operations/operation.ts";
import { createRunner } from "../../src/operations/run-operation.ts";
import { operationContext } from "./operation-context.ts";

/** The display of a chat with default settings. */
export const plainDisplay: DisplayState = defaultDisplay;

/** Runs real operations over the services of a test, as a chat does for its slash commands. */
export function slashRun(services: Partial<OperationServices>): SlashContext["run"] {
  return slashRunner(createRunner(servicesFrom(services), operationContext()));
}

/** Services that a test provides. */
export function servicesFrom(services: Partial<OperationServices>): OpenService {
  return (name) => (name in services ? Promise.resolve(services[name]) : undefined) as ReturnType<OpenService> as never;
}
