import { isObject, type JsonValue, parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Web, WebAnswer, WebFault } from "../safety/web.ts";

/** A request to the API of a service: search, speech, images and the like. */
export interface ApiCall {
  /** The name of the service in messages, such as `tavily`. */
  readonly service: string;
  readonly url: string;
  /** The HTTP method. Default: POST with a body, otherwise GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request, in exactly one of three fields. */
  readonly json?: JsonValue;
  readonly form?: FormData;
  readonly bytes?: Uint8Array;
  /** The environment variable that contains the key, for hints in messages. */
  readonly keyVar?: string;
  /** True if the settings contain the address of this server, so that it may be private. */
  readonly isNamedBySettings?: boolean;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export interface ApiAnswer extends WebAnswer {
  /** The body as JSON; undefined if it is not JSON. */
  json(): unknown;
}

export interface CallFault {
  /** `refused`: the service rejected this request. `unavailable`: the service failed, or no connection was possible. */
  readonly kind: "key" | "credit" | "limit" | "refused" | "unavailable" | "blocked" | "timeout" | "aborted";
  /** The error text of the service, and what to do. */
  readonly message: string;
  readonly status?: number;
  /** The time at which the service allows the next request. */
  readonly retryAfterMs?: number;
}

/** Calls the API of a service, subject to the URL rules. Only a status of 2xx is a success. Never rejects. */
export async function callApi(web: Web, call: ApiCall, signal: AbortSignal): Promise<Result<ApiAnswer, CallFault>> {
  const { body, type } = await encode(call);
  const origin = call.isNamedBySettings ? URL.parse(call.url)?.origin : undefined;
  const answered = await web.fetch(
    {
      url: call.url,
      ...(call.method !== undefined && { method: call.method }),
      headers: { accept: "application/json", ...(type !== undefined && { "content-type": type }), ...call.headers },
      ...(body !== undefined && { body }),
      ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
      ...(call.maxBytes !== undefined && { maxBytes: call.maxBytes }),
      ...(origin !== undefined && { trustedOrigin: origin }),
    },
    signal,
  );
  if (!answered.ok) return err(webFault(call, answered.error));
  const { status } = answered.value;
  if (status < 200 || status > 299) return err(statusFault(call, answered.value));
  const answer = answered.value;
  return ok({ ...answer, json: () => parsedJson(textOf(answer)) });
}

async function encode({ json, form, bytes }: ApiCall): Promise<{ body?: string | Uint8Array; type?: string }> {
  if (json !== undefined) return { body: JSON.stringify(json), type: "application/json" };
  if (form !== undefined) {
    const packed = new Response(form);
    return { body: new Uint8Array(await packed.arrayBuffer()), type: packed.headers.get("content-type") ?? "" };
  }
  return bytes === undefined ? {} : { body: bytes, type: "application/octet-stream" };
}

function webFault({ service }: ApiCall, { kind, message }: WebFault): CallFault {
  if (kind === "aborted" || kind === "blocked") return { kind, message: `${service}: ${message}` };
  if (kind === "timeout") return { kind, message: `${service}: ${message}. Try again later, or use another service.` };
  if (kind === "unreachable")
    return { kind: "unavailable", message: `${service} cannot be reached: ${message}. Check the network.` };
  return { kind: "refused", message: `${service}: ${message}` };
}

function statusFault({ service, keyVar }: ApiCall, answer: WebAnswer): CallFault {
  const { status } = answer;
  const words = serviceWords(answer);
  const message = `${service} answered ${status}${words === "" ? "" : `: ${words}`}`;
  const fault = (kind: CallFault["kind"], advice: string): CallFault => ({
    kind,
    message: `${message}${/[.!?]$/u.test(message) ? "" : "."}${advice === "" ? "" : ` ${advice}`}`,
    status,
  });
  if (status === 401 || status === 403)
    return fault("key", keyVar === undefined ? "Check its key." : `Check its key: hermes config set ${keyVar} …`);
  if (status === 402) return fault("credit", `Check the credit of your account at ${service}.`);
  if (status === 429) {
    const retryAfterMs = retryAfter(answer.headers["retry-after"]);
    const wait = retryAfterMs === undefined ? "a while" : `${Math.ceil(retryAfterMs / 1000)} s`;
    return { ...fault("limit", `Wait ${wait} and try again.`), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  return status >= 500 ? fault("unavailable", "Try again later.") : fault("refused", "");
}

/** Only seconds are supported: a date would need a clock. */
function retryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/u.test(header.trim()) ? Number(header) * 1000 : undefined;
}

const maxWords = 300;

/** Extracts the error message of the service as one line, from the fields that the supported APIs use. */
function serviceWords(answer: WebAnswer): string {
  const text = textOf(answer);
  const words = firstText(parsedJson(text), 0) ?? (/^\s*</u.test(text) ? "" : text);
  const line = words.replaceAll(/\s+/gu, " ").trim();
  return line.length > maxWords ? `${line.slice(0, maxWords)}…` : line;
}

const reasonFields = [
  "error",
  "message",
  "detail",
  "error_message",
  "status_msg",
  "description",
  "title",
  "msg",
  "code",
];

function firstText(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value;
  if (depth > 4) return undefined;
  if (Array.isArray(value)) return firstText(value[0], depth + 1);
  if (!isObject(value)) return undefined;
  for (const field of reasonFields) {
    const reason = Object.hasOwn(value, field) ? firstText(value[field], depth + 1) : undefined;
    if (reason !== undefined && reason !== "") return reason;
  }
  return undefined;
}

function textOf({ body }: WebAnswer): string {
  return new TextDecoder().decode(body);
}
