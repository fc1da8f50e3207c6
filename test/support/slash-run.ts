import { type SlashContext, slashRunner } from "../../src/commands/slash-command.ts";
import type { ServiceOpeners } from "../../src/operations/operation.ts";
import { createRunner } from "../../src/operations/run-operation.ts";
import { operationContext } from "./operation-context.ts";

/** Runs real operations over the services of a test, as a chat does for its slash commands. */
export function slashRun(services: ServiceOpeners): SlashContext["run"] {
  return slashRunner(createRunner(services, operationContext()));
}
