import type { Clock } from "../clock.ts";
import type { Http } from "../http/http-client.ts";
import { isLocalAddress } from "../http/local-address.ts";
import { readBody } from "../http/read-body.ts";
import { type JsonObject, parsedObject } from "../json.ts";
import { err, ok, type Result } from "../result.ts";
import { oneLine } from "../text/text.ts";

export interface Grant {
  readonly accessToken: string;
  /** Undefined if the token cannot be renewed. */
  readonly refreshToken?: string;
  /** Undefined if the expiry is unknown. */
  readonly expiresAt?: number;
  readonly idToken?: string;
}

export interface SignInDeps {
  readonly http: Http;
  readonly clock: Clock;
}

/** `code` is the OAuth error code of the server; undefined if the server is unreachable. */
export interface SignInRefusal {
  readonly code?: string;
  readonly message: string;
}

const timeouts = { connectMs: 10_000, headMs: 20_000, stallMs: 20_000, totalMs: 30_000 };

type Reply = Result<Readonly<Record<string, unknown>>, SignInRefusal>;

/** Posts a form to an authorization server. Sends secrets only over https or to this machine. */
export function postForm(
  address: string,
  form: Readonly<Record<string, string>>,
  { http }: Pick<SignInDeps, "http">,
  signal: AbortSignal,
  authorization?: string,
): Promise<Reply> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(authorization !== undefined && { authorization }),
  };
  return post(address, { headers, body: new URLSearchParams(form).toString() }, http, signal);
}

/** Like `postForm`, with a JSON body. */
export function postJson(
  address: string,
  value: JsonObject,
  { http }: Pick<SignInDeps, "http">,
  signal: AbortSignal,
): Promise<Reply> {
  const headers = { "content-type": "application/json" };
  return post(address, { headers, body: JSON.stringify(value) }, http, signal);
}

async function post(
  address: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  http: Http,
  signal: AbortSignal,
): Promise<Reply> {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && !isLocalAddress(address)))
    return err({ code: "invalid_request", message: `${address} is not a safe address for signing in` });
  const accepting = { accept: "application/json", ...headers };
  const sent = await http.send({ method: "POST", url, headers: accepting, body, maxBytes }, timeouts, signal);
  if (!sent.ok) return err({ message: sent.error.message });
  using answer = sent.value;
  const read = await readBody(answer);
  if (!read.ok) return err({ message: read.error.message });
  const reply = parsedObject(read.value.toString());
  const { error, error_description: description } = reply;
  const isRefused = typeof error === "string" && error !== "";
  if (answer.status >= 200 && answer.status <= 299 && !isRefused) return ok(reply);
  const words = [description, error].find((word) => typeof word === "string" && word !== "");
  return err({
    ...(isRefused ? { code: error } : answer.status < 500 && { code: `status_${answer.status}` }),
    message: `${url.host} says: ${typeof words === "string" ? serverWords(words) : `status ${answer.status}`}`,
  });
}

/** Cleans a text from a server for a message: short and without control characters. */
export function serverWords(text: string): string {
  return oneLine(text.replaceAll(/\p{C}/gu, " "), 300);
}

/** Reads the tokens in a reply. `before` is the grant that is being renewed: its refresh token may still be valid. */
export function readGrant(
  reply: Readonly<Record<string, unknown>>,
  now: number,
  before?: Pick<Grant, "refreshToken">,
): Result<Grant, SignInRefusal> {
  const { access_token: accessToken, refresh_token: given, id_token: idToken } = reply;
  if (typeof accessToken !== "string" || !/^[\u0021-\u007e]{1,16384}$/u.test(accessToken))
    return err({ code: "invalid_response", message: "the response has no usable token" });
  const refreshToken = typeof given === "string" && given !== "" ? given : before?.refreshToken;
  const expiresAt = expiryOf(reply["expires_in"] ?? reply["expired_in"], now);
  return ok({
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(typeof idToken === "string" && { idToken }),
  });
}

/** Reads the expiry: a duration in seconds, or (MiniMax) a time in seconds or milliseconds. */
export function expiryOf(given: unknown, now: number): number | undefined {
  const value = Number(given);
  if (!Number.isFinite(value) || value <= 0) return undefined;
  return value > 1e12 ? value : value > 1e9 ? value * 1000 : now + value * 1000;
}

const maxBytes = 1_000_000;
