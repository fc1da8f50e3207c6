import type { Clock } from "../../../base/clock.ts";
import type { Http, HttpRequest } from "../../../base/http/http-client.ts";
import { isLocalAddress } from "../../../base/http/local-address.ts";
import { readBody } from "../../../base/http/read-body.ts";
import { parsedObject } from "../../../base/json.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { Lookup } from "../../endpoint.ts";
import type { AwsKeys } from "../../wire/sign-aws.ts";
import { staticKeysIn } from "./aws-keys.ts";

/** `passing` is true if the key source is only temporarily unreachable. */
export interface AwsFault {
  readonly message: string;
  readonly passing?: boolean;
}

export interface TemporaryAwsKeys {
  readonly keys: AwsKeys;
  /** The expiry time of the keys. Undefined if it is unknown. */
  readonly expiresAt?: number;
}

export interface AwsSourceDeps {
  readonly env: Lookup;
  readonly http: () => Http;
  readonly clock: Clock;
}

/** Sends a request to AWS and returns the body of a successful response. */
export async function askAws(
  http: Http,
  request: HttpRequest,
  signal: AbortSignal,
  connectMs = 5_000,
): Promise<Result<string, AwsFault>> {
  const timeouts = { connectMs, headMs: 20_000, stallMs: 20_000, totalMs: 30_000 };
  const sent = await http.send({ ...request, maxBytes }, timeouts, signal);
  if (!sent.ok) return err({ message: sent.error.message, passing: true });
  using answer = sent.value;
  const body = await readBody(answer);
  if (!body.ok) return err({ message: body.error.message, passing: true });
  const text = body.value.toString();
  if (answer.status >= 200 && answer.status <= 299) return ok(text);
  const reply = parsedObject(text);
  const words = [reply["message"], reply["Message"], reply["error_description"], xmlTagText(text, "Message")].find(
    (one) => typeof one === "string" && one !== "",
  );
  const message = `${request.url.host} says: ${typeof words === "string" ? words.slice(0, 300) : `status ${answer.status}`}`;
  return err({ message, ...(answer.status >= 500 && { passing: true }) });
}

/** The endpoint of an AWS service, unless an AWS endpoint variable overrides it. */
export function serviceUrl(env: Lookup, service: string, defaultUrl: string): Result<URL, AwsFault> {
  const name = [`AWS_ENDPOINT_URL_${service}`, "AWS_ENDPOINT_URL"].find((one) => (env(one)?.trim() ?? "") !== "");
  const address = name === undefined ? defaultUrl : (env(name)?.trim() ?? "");
  const url = URL.parse(address);
  if (url && (url.protocol === "https:" || isLocalAddress(address))) return ok(url);
  return err({ message: `${name ?? "the region of AWS"} results in an unsafe address: ${address}` });
}

/** Parses keys in the format of the metadata services, of programs, or of SSO. */
export function readTemporaryKeys(
  reply: Readonly<Record<string, unknown>>,
  who: string,
): Result<TemporaryAwsKeys, AwsFault> {
  const text = (...names: readonly string[]) =>
    names.map((name) => reply[name]).find((one) => typeof one === "string") ?? "";
  const keys = staticKeysIn(
    new Map([
      ["aws_access_key_id", text("AccessKeyId", "accessKeyId")],
      ["aws_secret_access_key", text("SecretAccessKey", "secretAccessKey")],
      ["aws_session_token", text("SessionToken", "Token", "sessionToken")],
    ]),
  );
  if (!keys) return err({ message: `${who} returned no AWS keys` });
  const end = reply["Expiration"] ?? reply["expiration"];
  const expiresAt = typeof end === "number" ? end : Date.parse(String(end));
  return ok({ keys, ...(Number.isFinite(expiresAt) && { expiresAt }) });
}

/** The text of the first element with this name. */
export function xmlTagText(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(xml)?.[1]?.trim() ?? "";
}

const maxBytes = 1_000_000;
