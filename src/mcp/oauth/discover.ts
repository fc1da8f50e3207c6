import type { Http } from "../../base/http/http-client.ts";
import { isLocalAddress } from "../../base/http/local-address.ts";
import { readBody } from "../../base/http/read-body.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { serverWords } from "../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { scopeOf } from "./challenge.ts";

/** The authorization server that issues the tokens of an MCP server. */
export interface SignInPlace {
  readonly issuer: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly registrationUrl?: string;
  readonly revocationUrl?: string;
  /** The authentication methods of the token endpoint; undefined if the metadata does not state them. */
  readonly authMethods?: readonly string[];
  /** Undefined if the metadata does not state them. */
  readonly grantTypes?: readonly string[];
  /** Whether a client id may be the URL of a metadata document. */
  readonly takesDocuments: boolean;
  /** Whether its replies contain the issuer (RFC 9207). */
  readonly isNamed: boolean;
  /** Whether it issues refresh tokens for the scope `offline_access`. */
  readonly hasOfflineScope: boolean;
  /** The resource name in the server's metadata (RFC 8707); undefined if there is none. */
  readonly resource?: string;
  /** The scopes in the metadata of the server. */
  readonly scope?: string;
}

interface Discovery {
  readonly http: Http;
  /** The address of the MCP server. */
  readonly serverUrl: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the authorization server of an MCP server: by the metadata of the resource (RFC 9728) and of the
 * authorization server (RFC 8414, OpenID Connect). `wasRefused` means that the server required a token. Then servers
 * of 2025 without metadata are tried too, with the default paths of that time.
 */
export async function discoverPlace(
  from: Discovery & { readonly resourceMetadata: string | undefined; readonly wasRefused: boolean },
): Promise<Result<SignInPlace>> {
  const { serverUrl } = from;
  const { origin } = new URL(serverUrl);
  const read = await resourceMetadata(from);
  if (!read.ok) return read;
  const about = read.value;
  if (about && !isResourceOf(about["resource"], serverUrl))
    return err({
      message: `the server's metadata is for another server (${shown(about["resource"])}); no token was requested`,
    });
  const [named] = textsOf(about?.["authorization_servers"]) ?? [];
  const issuer = named ?? `${origin}/`;
  const unsafe = unsafeAddress(issuer, serverUrl);
  if (unsafe !== undefined) return err({ message: unsafe });
  // The protocol revision of March 2025 allows one authorization server per host, which may use its own path.
  const isRight = (claimed: string) =>
    isSameIssuer(claimed, issuer) || (named === undefined && URL.parse(claimed)?.origin === origin);
  const metadata = await serverMetadata(issuer, isRight, from);
  if (!metadata.ok) return metadata;
  const scope = scopeOf(textsOf(about?.["scopes_supported"])?.join(" "));
  const resource = about?.["resource"];
  const more = { ...(scope !== undefined && { scope }), ...(typeof resource === "string" && { resource }) };
  if (metadata.value) return placeOf(metadata.value, more, serverUrl);
  if (about) return err({ message: `${shown(issuer)} has no metadata that describes how to sign in` });
  if (!from.wasRefused) return err({ message: "the server does not require a sign-in" });
  const onServer = (path: string) => new URL(path, origin).href;
  const oldRule = {
    authorizeUrl: onServer("/authorize"),
    tokenUrl: onServer("/token"),
    registrationUrl: onServer("/register"),
  };
  return ok({ issuer, ...oldRule, takesDocuments: false, isNamed: false, hasOfflineScope: false });
}

async function resourceMetadata(
  from: Discovery & { readonly resourceMetadata: string | undefined },
): Promise<Result<Record<string, unknown> | undefined>> {
  const { origin, pathname } = new URL(from.serverUrl);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/+$/u, "");
  const unsafe = from.resourceMetadata && unsafeAddress(from.resourceMetadata, from.serverUrl);
  if (unsafe) return err({ message: unsafe });
  const addresses = from.resourceMetadata ? [from.resourceMetadata] : [...new Set([`${root}${path}`, root])];
  for (const address of addresses) {
    const read = await fetchObject(address, from);
    if (!read.ok) return read;
    if (read.value && "resource" in read.value) return read;
  }
  return ok(undefined);
}

/** Returns undefined if there is no metadata. */
async function serverMetadata(
  issuer: string,
  isRight: (claimed: string) => boolean,
  from: Discovery,
): Promise<Result<Record<string, unknown> | undefined>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/u, "");
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  let nonsense: string | undefined;
  for (const address of addresses) {
    const read = await fetchObject(address, from);
    if (!read.ok) return read;
    const claimed = read.value?.["issuer"];
    if (typeof claimed === "string") {
      if (isRight(claimed)) return read;
      return err({
        message: `the metadata at ${address} is for another server (${shown(claimed)}); no token was requested`,
      });
    }
    if (read.value) nonsense = address;
  }
  return nonsense === undefined
    ? ok(undefined)
    : err({ message: `${nonsense} does not describe an authorization server` });
}

function placeOf(
  metadata: Readonly<Record<string, unknown>>,
  more: Pick<SignInPlace, "resource" | "scope">,
  serverUrl: string,
): Result<SignInPlace> {
  const text = (name: string) => (typeof metadata[name] === "string" ? metadata[name] : undefined);
  const issuer = text("issuer") ?? "";
  const authorizeUrl = text("authorization_endpoint") ?? "";
  const tokenUrl = text("token_endpoint");
  if (tokenUrl === undefined) return err({ message: `the metadata of ${issuer} has no token endpoint` });
  const registrationUrl = text("registration_endpoint");
  const revocationUrl = text("revocation_endpoint");
  const used = [authorizeUrl, tokenUrl, registrationUrl, revocationUrl];
  const unsafe = used
    .filter((url) => url !== undefined && url !== "")
    .map((url) => unsafeAddress(url ?? "", serverUrl));
  const flaw = unsafe.find((each) => each !== undefined);
  if (flaw !== undefined) return err({ message: flaw });
  const methods = textsOf(metadata["code_challenge_methods_supported"]);
  if (methods && !methods.includes("S256")) return err({ message: `${issuer} does not support PKCE with SHA-256` });
  const isNamed = metadata["authorization_response_iss_parameter_supported"] === true;
  if (authorizeUrl !== "" && !isNamed && isMixedUp(issuer, authorizeUrl, tokenUrl)) {
    const [page, keeper] = [new URL(authorizeUrl).host, new URL(tokenUrl).host];
    return err({ message: `refused, because you would sign in at ${page} but ${keeper} would get the code` });
  }
  const authMethods = textsOf(metadata["token_endpoint_auth_methods_supported"]);
  const grantTypes = textsOf(metadata["grant_types_supported"]);
  return ok({
    issuer,
    authorizeUrl,
    tokenUrl,
    ...(registrationUrl !== undefined && { registrationUrl }),
    ...(revocationUrl !== undefined && { revocationUrl }),
    ...(authMethods && { authMethods }),
    ...(grantTypes && { grantTypes }),
    takesDocuments: metadata["client_id_metadata_document_supported"] === true,
    isNamed,
    hasOfflineScope: textsOf(metadata["scopes_supported"])?.includes("offline_access") ?? false,
    ...more,
  });
}

/**
 * A malicious server can combine an honest server's sign-in page with its own token endpoint. Replies that name their
 * issuer reveal this; otherwise the page must belong to the issuer or to the host that gets the code.
 */
function isMixedUp(issuer: string, authorizeUrl: string, tokenUrl: string): boolean {
  const page = siteOf(authorizeUrl);
  return page !== siteOf(issuer) && page !== siteOf(tokenUrl);
}

/**
 * The last two labels of a host name. In some countries that is wider than a registered domain. An IP address is
 * returned unchanged.
 */
function siteOf(url: string): string {
  const { hostname } = new URL(url);
  return /^[\d.]+$|^\[|^[^.]+$/u.test(hostname) ? new URL(url).host : hostname.split(".").slice(-2).join(".");
}

/** Whether tokens for `resource` are valid for this server: the same origin, and the same path or a path above it. */
function isResourceOf(resource: unknown, serverUrl: string): boolean {
  const [claimed, server] = [URL.parse(typeof resource === "string" ? resource : ""), new URL(serverUrl)];
  const folder = (path: string) => (path.endsWith("/") ? path : `${path}/`);
  return claimed?.origin === server.origin && folder(server.pathname).startsWith(folder(claimed.pathname));
}

/**
 * Returns why nothing may be sent to an address that a server names. Only https is allowed, or http on this machine
 * and network; a public server cannot name a private address.
 */
export function unsafeAddress(address: string, serverUrl: string): string | undefined {
  const url = URL.parse(address);
  const isOwn = isLocalAddress(address);
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isOwn))
    return `the server names ${shown(address)} for signing in, which is not a safe address`;
  if (url.username !== "" || url.password !== "") return `the server names an address with a password for signing in`;
  if (isOwn && !isLocalAddress(serverUrl))
    return `the server names ${shown(address)} for signing in, which is an address in a private network`;
  return undefined;
}

/** Returns undefined if there is no such document at the address. */
async function fetchObject(
  address: string,
  { http, signal }: Discovery,
): Promise<Result<Record<string, unknown> | undefined>> {
  const url = new URL(address);
  const headers = { accept: "application/json", "mcp-protocol-version": signInRevision };
  const sent = await http.send({ method: "GET", url, headers, maxBytes }, discoveryTimeouts, signal);
  if (!sent.ok) return err({ message: sent.error.message });
  using response = sent.value;
  if (response.status >= 500 && response.status !== 502)
    return err({ message: `${url.host} answers with status ${response.status}` });
  if (response.status !== 200) return ok(undefined);
  const body = await readBody(response);
  if (!body.ok) return err({ message: body.error.message });
  const value = parsedJson(body.value.toString());
  // A web page is not a document: web sites respond to every path with a page.
  return ok(isObject(value) ? value : undefined);
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}

/** Compares two addresses and ignores a slash at the end. */
function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/u, "") === other.replace(/\/$/u, "");
}

function shown(value: unknown): string {
  return typeof value === "string" ? serverWords(value) : "an invalid address";
}

/** The protocol revision whose sign-in rules this code follows. */
export const signInRevision = "2025-11-25";

export const discoveryTimeouts = { connectMs: 10_000, headMs: 20_000, stallMs: 20_000, totalMs: 30_000 };
const maxBytes = 1_000_000;
