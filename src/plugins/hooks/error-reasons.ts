import { isObject } from "../../base/json.ts";
import type { ModelError, ModelErrorKind } from "../../contracts/model/model.ts";

/** The reasons that Python Hermes uses for a failed request. */
const reasons: Readonly<Record<string, ModelErrorKind>> = {
  auth: "auth",
  auth_permanent: "auth",
  billing: "billing",
  rate_limit: "rate_limited",
  overloaded: "overloaded",
  server_error: "server",
  timeout: "stalled",
  connection: "network",
  context_overflow: "context_overflow",
  long_context_tier: "context_overflow",
  payload_too_large: "payload_too_large",
  image_too_large: "image_too_large",
  model_not_found: "not_found",
  content_policy_blocked: "content_policy",
  format_error: "invalid_request",
  invalid_request: "invalid_request",
  thinking_signature: "reasoning_rejected",
  ssl_cert_verification: "certificate",
};

const retried: ReadonlySet<ModelErrorKind> = new Set(["rate_limited", "overloaded", "server", "stalled", "network"]);

/** Reads how a plugin classifies an error: `{reason, retryable?, message?}` as in Python Hermes, or our `{kind}`. */
export function readClassification(answer: unknown, error: ModelError): unknown {
  if (answer === undefined || answer === null) return undefined;
  if (!isObject(answer)) throw new TypeError("the plugin returned a malformed answer");
  if (answer.kind !== undefined) return { ...error, ...answer };
  const { reason, retryable, message } = answer;
  if (reason === undefined && retryable === undefined && message === undefined) return undefined;
  const named = typeof reason === "string" ? (reasons[reason] ?? ownKind(reason)) : undefined;
  if (reason !== undefined && reason !== "unknown" && !named) {
    throw new TypeError(`unknown reason ${JSON.stringify(reason)}`);
  }
  let kind = named ?? error.kind;
  if (retryable === false && retried.has(kind)) kind = "invalid_request";
  if (retryable === true && !retried.has(kind)) kind = "server";
  const text = typeof message === "string" && message.trim() !== "" ? { message: message.trim() } : {};
  return { ...error, kind, ...text };
}

function ownKind(reason: string): ModelErrorKind | undefined {
  return Object.values(reasons).find((kind) => kind === reason);
}
