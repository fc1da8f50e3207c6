import type { HttpResponse } from "../../base/http/exchange.ts";
import type { WebRequest } from "../../contracts/safety/web.ts";

export interface NextHop {
  /** The target exactly as the server sent it. */
  readonly location: string;
  readonly method: string;
  readonly body: WebRequest["body"];
}

/** Returns the request that the response redirects to, or undefined if it is not a redirect. */
export function nextHop(
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  { method, body }: Pick<NextHop, "method" | "body">,
): NextHop | undefined {
  const { location } = headers;
  if (typeof location !== "string" || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const isPlainGet = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  const next = isPlainGet ? { method: "GET", body: undefined } : { method, body };
  return { location: readable(location), ...next };
}

/** Returns the headers that a redirect keeps, without those of the protocol. */
export function headersFor(headers: Readonly<Record<string, string>>, isFirstHost: boolean): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    given.filter(([name]) => (isFirstHost ? !ofProtocol.test(name) : sayNothing.has(name) || name.startsWith("if-"))),
  );
}

const ofProtocol =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|expect|proxy-.*|accept-encoding)$/u;

const sayNothing: ReadonlySet<string> = new Set(
  "accept accept-language cache-control content-type content-language pragma range user-agent".split(" "),
);

/** Decodes UTF-8, because Node reads header bytes as Latin-1. */
function readable(location: string): string {
  const utf8 = Buffer.from(location, "latin1").toString("utf8");
  return utf8.includes("\uFFFD") ? location : utf8;
}
