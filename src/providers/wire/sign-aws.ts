import type { HttpRequest } from "../../base/http/http-client.ts";

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The session token. Set for temporary keys. */
  readonly sessionToken?: string;
}

export interface AwsScope {
  readonly region: string;
  readonly service: string;
  readonly now: number;
}

/** Returns the headers that sign the request (Signature Version 4). The request must be sent exactly as signed. */
export function signAws(
  { method, url, headers, body = "" }: HttpRequest,
  keys: AwsKeys,
  { region, service, now }: AwsScope,
): Readonly<Record<string, string>> {
  const { createHash, createHmac } = process.getBuiltinModule("node:crypto");
  const hash = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
  const mac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest();

  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/gu, "");
  const day = time.slice(0, 8);
  const own = {
    "x-amz-date": time,
    ...(keys.sessionToken !== undefined && { "x-amz-security-token": keys.sessionToken }),
  };
  const signed = Object.entries({ ...headers, host: url.host, ...own })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/gu, " ")] as const)
    .filter(([name]) => name === "host" || name === "content-type" || name.startsWith("x-amz-"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    canonicalPath(url),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hash(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\n");
  const key = [region, service, "aws4_request"].reduce(mac, mac(`AWS4${keys.secretAccessKey}`, day));
  const signature = mac(key, text).toString("hex");
  return {
    ...own,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The path is encoded once more than in the request, as every service except S3 requires. */
function canonicalPath({ pathname }: URL): string {
  return pathname.split("/").map(encoded).join("/");
}

function canonicalQuery({ searchParams }: URL): string {
  return Array.from(searchParams, ([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join("&");
}

function encoded(text: string): string {
  const hex = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replaceAll(/[!'()*]/gu, hex);
}
