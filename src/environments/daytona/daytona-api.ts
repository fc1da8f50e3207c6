import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { HttpResponse } from "../../base/http/exchange.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { HttpFailure } from "../../base/http/http-failure.ts";
import { totalTimeout } from "../../base/http/http-timeouts.ts";
import { readBody } from "../../base/http/read-body.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import type { ServiceFault } from "../hosted/service-fault.ts";

export interface ApiFault extends ServiceFault {
  /**
   * `settings`: the key or the request is wrong, so a retry is useless. `absent`: the object does not exist or is in
   * the wrong state. `unclear`: the request may have been executed.
   */
  readonly kind: "settings" | "absent" | "refused" | "unclear" | "aborted";
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  /** The request is idempotent: it is retried on network or service errors. */
  readonly isRepeatable: boolean;
}

/** Daytona's REST interface: the response and error handling that all calls share. */
export interface DaytonaApi {
  /** Returns the JSON of the response; undefined for an empty response. */
  send(request: ApiRequest, signal: AbortSignal): Promise<Result<unknown, ApiFault>>;
}

export interface ApiDeps {
  readonly apiKey: string;
  readonly organization?: string;
  readonly http: Http;
  readonly clock: Clock;
}

export function createDaytonaApi({ apiKey, organization, http, clock }: ApiDeps): DaytonaApi {
  const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, "x-daytona-source": "hermes" };
  if (organization !== undefined) headers["x-daytona-organization-id"] = organization;

  async function once(request: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const { method, url, body, timeoutMs, isRepeatable } = request;
    const sent = await http.send(
      { method, url: new URL(url), canRepeat: isRepeatable, ...(await encoded(body, headers)) },
      totalTimeout(timeoutMs),
      signal,
    );
    if (!sent.ok) return noResponse(sent.error);
    using response = sent.value;
    const read = await readBody(response);
    if (!read.ok) return noResponse(read.error);
    const [text, { status }] = [read.value.toString(), response];
    if (status >= 200 && status <= 299) return { result: ok(text === "" ? undefined : parsed(text)) };
    return { result: err(faultOf(status, wordsOf(text), url)), ...pauseAfter(response) };
  }

  return {
    async send(request, signal) {
      for (let attempt = 0; ; attempt++) {
        const { result, pauseMs, wasNotDone } = await once(request, signal);
        const mayRepeat = pauseMs !== undefined && (request.isRepeatable || wasNotDone === true);
        if (result.ok || !mayRepeat || attempt >= maxRepeats) return result;
        if (!(await trySleep(Math.max(pauseMs, firstPauseMs * 2 ** attempt), signal, clock)))
          return err({ kind: "aborted", message: "interrupted" });
      }
    },
  };
}

interface Answer {
  readonly result: Result<unknown, ApiFault>;
  /** The delay before a retry. Undefined: a retry does not help. */
  readonly pauseMs?: number;
  /** The service rejected the request without executing it. */
  readonly wasNotDone?: boolean;
}

function noResponse({ kind, message }: HttpFailure): Answer {
  if (kind === "aborted") return { result: err({ kind, message: "interrupted" }) };
  const hint = "Check the network, and the address of the service if you have set one.";
  return { result: err({ kind: "unclear", message, hint }), pauseMs: 0 };
}

async function encoded(body: unknown, headers: Record<string, string>) {
  if (body === undefined) return { headers };
  if (!(body instanceof FormData))
    return { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  const form = new Response(body);
  const type = form.headers.get("content-type") ?? "";
  return { headers: { ...headers, "content-type": type }, body: new Uint8Array(await form.arrayBuffer()) };
}

/** Daytona names the exceeded limit in the header: `retry-after-sandbox-create`. */
function pauseAfter(response: HttpResponse): Pick<Answer, "pauseMs" | "wasNotDone"> {
  const { status } = response;
  if (status !== 429) return [502, 503, 504].includes(status) ? { pauseMs: 0 } : {};
  const named = Object.entries(response.headers).filter(([name]) => name.startsWith("retry-after"));
  const seconds = named.map(([, value]) => Number(value));
  const pauseMs = Math.max(0, ...seconds.filter((value) => value > 0)) * 1000;
  return pauseMs <= maxPauseMs ? { pauseMs, wasNotDone: true } : {};
}

function faultOf(status: number, words: string, url: string): ApiFault {
  const reason = `Daytona answered ${status}${words === "" ? "" : `: ${words}`}`;
  switch (status) {
    case 401:
      return {
        kind: "settings",
        message: `Daytona does not accept the key (${reason})`,
        hint: "Set DAYTONA_API_KEY to a valid key; create keys in the Daytona dashboard.",
      };
    case 403:
      return {
        kind: "settings",
        message: `the key lacks the permission for this (${reason})`,
        hint: "Give the key the permissions to write and delete sandboxes, or check the organization.",
      };
    case 404:
      return { kind: "absent", message: reason, hint: `Check the address of the service: ${new URL(url).origin}.` };
    case 429:
      return {
        kind: "refused",
        message: `the Daytona request limit is exceeded (${reason})`,
        hint: "Wait a minute and try again, or ask Daytona for a higher limit.",
      };
    default:
      return status >= 500 || status === 408
        ? { kind: "unclear", message: reason, hint: "The service has a problem: try again, or check its status page." }
        : { kind: "refused", message: reason, hint: "Check the terminal settings for daytona." };
  }
}

function wordsOf(text: string): string {
  const value = parsed(text);
  const words = isObject(value) ? (value["message"] ?? value["error"] ?? "") : text;
  return (typeof words === "string" ? words : JSON.stringify(words)).slice(0, 400);
}

function parsed(text: string): unknown {
  return valueOr((): unknown => JSON.parse(text), text);
}

const maxRepeats = 4;
const firstPauseMs = 200;
const maxPauseMs = 30_000;
