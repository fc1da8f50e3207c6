import type { HttpFailure } from "../../base/http/http-failure.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { plainText } from "../../base/text/ansi.ts";
import type { ModelError, ModelErrorKind } from "../../contracts/model/model.ts";
import { describeUnexpectedBody } from "./body-reader.ts";
import { errorRules } from "./error-rules.ts";
import { resetsAt, retryAfterMs } from "./retry-after.ts";

export interface ErrorResponse {
  /** The HTTP status. Undefined: the error was inside a stream with status 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as text or as parsed JSON. */
  readonly body: unknown;
}

export interface ErrorContext {
  /** The current time, needed to interpret dates in headers. */
  readonly now: number;
  /** The host of the endpoint, for messages. */
  readonly host: string;
  /** The key, which is masked if the server repeats it. */
  readonly key: string | undefined;
}

/** Classifies an error response of any provider. All other code relies on this classification. */
export function classifyError({ status, headers = {}, body }: ErrorResponse, context: ErrorContext): ModelError {
  const json = typeof body === "string" ? parsedJson(body) : undefined;
  const value = json === undefined ? body : json;
  const error = readError(value);
  const words =
    `${error.message.slice(0, 8000)}\n${error.type.slice(0, 200)}\n${error.code.slice(0, 4200)}`.toLowerCase();
  const effective = status ?? error.status;
  const rule = errorRules.find(
    ({ statuses, words: pattern }) =>
      (statuses === undefined || statuses(effective)) && (pattern === undefined || pattern.test(words)),
  );
  const result: ModelErrorKind = rule?.kind ?? "server";
  // Some servers state whether a retry can succeed.
  const again = headers["x-should-retry"];
  const kind = result === "invalid_request" && again === "true" ? "server" : result;
  const isFinal = again === "false" && (kind === "server" || kind === "overloaded" || kind === "rate_limited");
  const wait = retryAfterMs(headers, value, `${error.message}\n${error.code}`, context.now);
  const reset = resetsAt(headers, value, context.now);
  const window = kind === "context_overflow" ? (error.window ?? windowIn(error.message)) : undefined;
  const what = error.message === "" ? (rule?.says ?? "no reason given") : error.message;
  const numbered = effective === undefined ? "" : ` (${effective})`;
  const advice = rule?.advice === undefined ? "" : `. ${rule.advice}`;
  return {
    kind,
    message: withoutKey(`${context.host}${numbered}: ${shortened(what)}${advice}`, context.key),
    ...(effective === undefined ? {} : { status: effective }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(reset === undefined ? {} : { resetsAt: reset }),
    ...(window === undefined ? {} : { contextTokens: window }),
    ...(rule?.plan || isFinal ? { plan: true } : {}),
  };
}

/** Converts a transport failure into a model error. */
export function classifyFailure({ kind, message }: HttpFailure, key: string | undefined): ModelError {
  const kinds = { redirected: "not_found", too_large: "malformed" } as const;
  const mapped = kind === "redirected" || kind === "too_large" ? kinds[kind] : kind;
  return { kind: mapped, message: withoutKey(message, key) };
}

export function withoutKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < 6) return text;
  return text.replaceAll(key, "***").replaceAll(encodeURIComponent(key), "***");
}

interface SaidError {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly status: number | undefined;
  /** The context window, if the error contains it as a field. */
  readonly window?: number;
}

/** Parses an error in any format that providers use. */
function readError(value: unknown): SaidError {
  if (typeof value === "string")
    return { message: describeUnexpectedBody(value), type: "", code: "", status: undefined };
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(one)) return { message: "", type: "", code: "", status: undefined };
  const listed: unknown = Array.isArray(one["errors"]) ? one["errors"][0] : undefined;
  const inner = [one["error"], one["detail"], one["base_resp"], listed].find(isObject) ?? one;
  // OpenRouter forwards the error of the upstream provider.
  const metadata = isObject(inner["metadata"]) ? inner["metadata"] : {};
  const nested = quoted(text(metadata["raw"]));
  const message = quoted(
    [...[inner, one].flatMap((place) => messageFields.map((field) => text(place[field]))), text(one["error"])].find(
      (match) => match !== "",
    ) ?? validation(one["detail"]),
  );
  const param = text(inner["param"]);
  const named = param === "" || message.includes(param) ? message : `${message} (${param})`;
  return {
    message: nested === "" || named.includes(nested) ? named : `${named}: ${nested}`,
    type:
      ["type", "status", "error_type", "__type"].map((field) => text(inner[field])).join(" ") + ` ${text(one["type"])}`,
    code: `${text(inner["code"] ?? inner["errorCode"])} ${detailsIn(inner["details"])}`,
    // llama.cpp
    ...(typeof inner["n_ctx"] === "number" && inner["n_ctx"] >= minWindow && { window: inner["n_ctx"] }),
    status: statusIn(inner["code"]) ?? statusIn(inner["status_code"]) ?? statusIn(inner["status"]),
  };
}

const messageFields = ["message", "msg", "status_msg", "Message", "errorMessage", "error_description", "detail"];

/** Some servers forward a whole error response as their message. */
function quoted(message: string): string {
  if (!message.trimStart().startsWith("{")) return message;
  const inside = parsedJson(message);
  return inside === undefined ? message : readError(inside).message || message;
}

/** FastAPI lists invalid fields: `[{ loc: ["body", "tools", 0], msg }]`. */
function validation(detail: unknown): string {
  if (!Array.isArray(detail)) return "";
  return detail
    .slice(0, 3)
    .map((one: unknown) => {
      if (!isObject(one)) return text(one);
      return [Array.isArray(one["loc"]) ? one["loc"].join(".") : "", text(one["msg"])].filter(Boolean).join(": ");
    })
    .join("; ");
}

/** Google names the exceeded quota here, and the reason why a key is invalid. */
function detailsIn(details: unknown): string {
  return Array.isArray(details) ? JSON.stringify(details).slice(0, 4000) : "";
}

function statusIn(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{3}$/u.test(value) ? Number(value) : value;
  return typeof number === "number" && number >= 400 && number <= 599 ? number : undefined;
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : "";
}

function shortened(message: string): string {
  const line = plainText(message.slice(0, 4000)).replaceAll(/\s+/gu, " ").trim().replace(/\.$/u, "");
  return line.length > 600 ? `${line.slice(0, 599).toWellFormed()}…` : line;
}

/** Returns the context window that the message states. If it contains several numbers, returns the limit. */
function windowIn(message: string): number | undefined {
  for (const pattern of windowPatterns) {
    const [, digits = "", thousands] = pattern.exec(message.slice(0, 2000)) ?? [];
    const tokens = Number(digits.replaceAll(/[,._\s]/gu, "") || NaN) * (thousands === undefined ? 1 : 1000);
    if (tokens >= minWindow && tokens <= 100_000_000) return tokens;
  }
  return undefined;
}

/** Smaller numbers have another meaning, such as an error code or a number of minutes. */
const minWindow = 256;

const number = String.raw`(\d[\d,._]*\d|\d)(k\b)?`;
const windowPatterns = [
  String.raw`(?:\d|tokens) > ?${number}`,
  String.raw`must be <= ?${number}`,
  String.raw`max(?:imum )?_?model_?(?: length|_len)[\s:=(]*(?:is |of )?${number}`,
  String.raw`maximum[\w\s']{0,60}?(?:is|of|:|=)\s*\(?${number}`,
  String.raw`(?:context|window|n_ctx)[\w\s]{0,40}?(?:is|of|:|=|(?<!limit )\()\s*(?:only )?\(?${number}`,
  String.raw`long context requests over ${number}`,
  String.raw`limit(?: of| is|:)? ${number}`,
  String.raw`should be \[\d+, ?${number}\]`,
  String.raw`less than ${number} tokens`,
  String.raw`cannot exceed ${number}`,
  String.raw`exceeds? [\w\s]{0,60}?tokens?[\w\s]{0,20}\(${number}`,
  String.raw`at most ${number}`,
  String.raw`up to ${number}`,
  String.raw`${number}(?:[- ]tokens?)? (?:limit|context|maximum|window)`,
].map((source) => new RegExp(source, "iu"));
