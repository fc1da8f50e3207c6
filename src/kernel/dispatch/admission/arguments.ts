import { waitFor } from "../../../base/async/bounded-wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { checkJson, isCleanJson, isObject, type JsonLimits, type JsonObject, parseJson } from "../../../base/json.ts";
import type { Logger } from "../../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import { fail, type ToolFailure } from "../../../contracts/tool/tool-result.ts";
import type { PreparedCall, Tool } from "../../../contracts/tool/tool.ts";
import { cancelled } from "../cancelled.ts";
import { coerceArguments } from "./coerce.ts";

/**
 * Parses arguments, given as text or already decoded, to a JSON object within the limits. An empty text means no
 * arguments.
 */
export function readArguments(raw: unknown, limits: JsonLimits): Result<JsonObject, ToolFailure> {
  if (typeof raw === "string" && raw.length <= limits.maxChars && raw.trim() === "") return ok({});
  const read = typeof raw === "string" ? parseJson(raw, limits) : checkJson(raw, limits);
  if (!read.ok) return err(invalidArguments(read.error));
  return isObject(read.value) ? ok(read.value) : err(invalidArguments("arguments must be a JSON object"));
}

/**
 * Converts arguments to the types of the schema that the model saw, then validates them with the tool. The result is
 * still JSON.
 */
export function prepareArguments(
  tool: Tool,
  args: JsonObject,
  signal: AbortSignal,
  { limits, log, clock }: { readonly limits: JsonLimits; readonly log: Logger; readonly clock: Clock },
): Result<PreparedCall, ToolFailure> | Promise<Result<PreparedCall, ToolFailure>> {
  const broken = (thrown: unknown) => {
    log.error("tool.prepare_failed", { tool: tool.name, error: reasonOf(thrown) });
    return fail(`Invalid arguments for ${tool.name}: they could not be checked (${reasonOf(thrown)})`, "invalid_args");
  };
  const recordable = (judged: Result<PreparedCall, ToolFailure>): Result<PreparedCall, ToolFailure> => {
    if (!judged.ok || isCleanJson(judged.value.args, limits)) return judged;
    const read = checkJson(judged.value.args, limits);
    return read.ok ? judged : fail(`${tool.name} was not run: its arguments cannot be recorded: ${read.error}`);
  };
  try {
    const prepared = tool.prepare(coerceArguments(args, tool.inputSchema));
    return prepared instanceof Promise
      ? settled(prepared, tool, signal, clock).then(recordable).catch(broken)
      : recordable(prepared);
  } catch (thrown) {
    return broken(thrown);
  }
}

/** Waits for an asynchronous validator, or for code that is still loading, up to a limit. */
async function settled(
  prepared: Promise<Result<PreparedCall, ToolFailure>>,
  tool: Tool,
  signal: AbortSignal,
  clock: Clock,
): Promise<Result<PreparedCall, ToolFailure>> {
  const waited = await waitFor(prepared, { signal, ms: prepareMs, clock });
  if (waited.how === "done") return waited.value;
  if (waited.how === "aborted") return err(cancelled(tool.name));
  return fail(`${tool.name} was not run: its arguments were not checked within ${prepareMs / 1000} s`, "timeout");
}

const prepareMs = 30_000;

function invalidArguments(message: string): ToolFailure {
  return fail("Invalid tool arguments", "invalid_args", { data: { message } }).error;
}
