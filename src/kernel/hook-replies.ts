import { isObject, type JsonObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Intercepted, InterceptedName } from "../contracts/host/hook.ts";
import type { ModelError } from "../contracts/model/model.ts";
import { readResult } from "./dispatch/result/result-contract.ts";

export type Replies = { readonly [K in InterceptedName]: Intercepted[K]["reply"] };

/** The answer of a hook, as the reply that its event allows. The error names what was expected. */
export function readReply<K extends InterceptedName>(name: K, answer: unknown): Result<Replies[K], string> {
  return readers[name](answer);
}

const readers: { readonly [K in InterceptedName]: (answer: unknown) => Result<Replies[K], string> } = {
  beforeToolCall: readBefore,
  transformToolResult: readResult,
  transformTerminalOutput: readText,
  beforeTurn: (answer) => {
    const context = typeof answer === "string" ? answer : isObject(answer) ? answer.context : undefined;
    return typeof context === "string" ? ok({ context }) : err("expected { context: string }");
  },
  transformAnswer: readText,
  beforeVerify: (answer) =>
    isObject(answer) && typeof answer.continueWith === "string"
      ? ok({ continueWith: answer.continueWith })
      : err("expected { continueWith: string }"),
  classifyModelError: (answer) =>
    isModelError(answer) ? ok(answer) : err("expected { kind, message } of a model error"),
  beforeInbound: (answer) => {
    if (isObject(answer) && answer.skip === true) return ok({ skip: true });
    if (isObject(answer) && typeof answer.rewrite === "string") return ok({ rewrite: answer.rewrite });
    return err("expected { skip: true } or { rewrite: string }");
  },
};

/** A reply with `block` blocks, also when it is malformed or in the format of the original. */
function readBefore(answer: unknown): Result<Replies["beforeToolCall"], string> {
  if (!isObject(answer)) return err(beforeShape);
  const { block, ask, args, ...others } = inOurWords(answer);
  if (block !== undefined && block !== null && block !== false) {
    return ok({ block: typeof block === "string" && block.trim() !== "" ? block : "Blocked by a hook" });
  }
  if (Object.keys(others).length > 0) return err(beforeShape);
  if (ask !== undefined && typeof ask !== "string") return err(beforeShape);
  if (args !== undefined && !isObject(args)) return err(beforeShape);
  return ok({
    ...(ask !== undefined && { ask }),
    // Whether it is JSON all the way down is checked when it is prepared.
    ...(args !== undefined && { args: args as JsonObject }),
  });
}

/** The original's `{ action: "block" | "approve", message }` and `{ decision: "block", reason }`. */
function inOurWords(answer: Record<string, unknown>): Record<string, unknown> {
  const { action, decision, message, reason, rule_key: _, ...rest } = answer;
  const explanation = message ?? reason;
  if (action === "block" || decision === "block") return { ...rest, block: explanation ?? true };
  if (action === "approve")
    return { ...rest, ask: typeof explanation === "string" ? explanation : "a hook wants a person to decide" };
  return answer;
}

const beforeShape = "expected { block: string } or { ask?: string, args?: object }";

function readText(answer: unknown): Result<string, string> {
  return typeof answer === "string" ? ok(answer) : err("expected text");
}

const errorKinds: Readonly<Record<ModelError["kind"], true>> = {
  rate_limited: true,
  overloaded: true,
  server: true,
  auth: true,
  billing: true,
  not_found: true,
  content_policy: true,
  context_overflow: true,
  payload_too_large: true,
  schema_rejected: true,
  image_too_large: true,
  invalid_request: true,
  reasoning_rejected: true,
  certificate: true,
  stalled: true,
  network: true,
  malformed: true,
  aborted: true,
};

function isModelError(answer: unknown): answer is ModelError {
  return (
    isObject(answer) &&
    typeof answer.kind === "string" &&
    Object.hasOwn(errorKinds, answer.kind) &&
    typeof answer.message === "string" &&
    (answer.retryAfterMs === undefined || typeof answer.retryAfterMs === "number")
  );
}
