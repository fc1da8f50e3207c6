import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { formFault } from "../../contracts/host/form.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import type { McpRefusal } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { elicitedForm } from "./elicited-form.ts";
import { invalidRequest } from "./invalid-request.ts";

/**
 * Answers `elicitation/create`. Without an `asker`, the question is declined, because nobody can answer. Never
 * rejects.
 */
export async function elicit(
  { name, elicitation }: Pick<McpServerEntry, "name" | "elicitation">,
  request: JsonObject,
  { asker, clock }: { readonly asker: Asker | undefined; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Result<JsonObject, McpRefusal>> {
  const form = elicitedForm(`the MCP server ${name}`, request);
  if (!form.ok) return err(invalidRequest(form.error));
  if (!elicitation.isEnabled || !asker) return ok({ action: "decline" });
  using link = linkAbort(signal);
  using _timer = clock.after(elicitation.timeoutMs, () => link.abort(new Error("nobody answered in time")));
  const filled = await asker.fillIn(form.value, link.signal);
  if (!filled.ok) return ok({ action: filled.error.reason === "declined" ? "decline" : "cancel" });
  if (form.value.address !== undefined) return ok({ action: "accept" });
  // The answer is checked again, because a host may have passed the question to another program.
  const fault = formFault(form.value, filled.value);
  return ok(fault === undefined ? { action: "accept", content: filled.value } : { action: "cancel" });
}
