import type { Http } from "../../base/http/http-client.ts";
import { authorizeAddress } from "../../base/oauth/authorize-address.ts";
import { createPkceProof, randomToken } from "../../base/oauth/pkce.ts";
import { type BrowserPrompts, openRedirectPage, type RedirectPage } from "../../base/oauth/redirect-page.ts";
import type { SignInDeps } from "../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import type { HttpTarget, OAuthSettings } from "../../contracts/mcp/server-entry.ts";
import { type Challenge, joinScopes, readChallenge } from "./challenge.ts";
import { discoverPlace, signInRevision, type SignInPlace, discoveryTimeouts, unsafeAddress } from "./discover.ts";
import { clientOf, findClient } from "./find-client.ts";
import { requestTokens } from "./request-tokens.ts";
import type { McpGrant, OAuthClient, SignInFiles, SignInRecord } from "./sign-in-file.ts";

/** A server to sign in to. */
export interface SignInTarget {
  readonly name: string;
  readonly target: HttpTarget;
  readonly settings: OAuthSettings;
}

/**
 * Signs the user in and stores the tokens. The errors complete a sentence that names the server. A failure changes
 * nothing in the store, except that a registration that did not work is not used again.
 */
export async function obtainGrant(
  { name, target, settings }: SignInTarget,
  talk: BrowserPrompts,
  deps: SignInDeps & { readonly files: SignInFiles },
  signal: AbortSignal,
): Promise<Result<McpGrant>> {
  const { http, files } = deps;
  const url = addressOf(target);
  const unsafe = unsafeAddress(url, url);
  if (unsafe !== undefined)
    return err({ message: "the server's address is not https, so others could read the token" });
  const stored = files.read(name, url);
  if (!stored.ok) return stored;
  const probe = await askForChallenge(target, http, signal);
  if (!probe.ok) return probe;
  const { challenge, wasRefused } = probe.value;
  const { resourceMetadata } = challenge;
  const discovered = await discoverPlace({ serverUrl: url, resourceMetadata, wasRefused, http, signal });
  if (!discovered.ok) return discovered;
  const place = discovered.value;
  const before = stored.value?.grant;
  if (settings.clientSecret !== undefined && before && before.issuer !== place.issuer)
    return err({
      message:
        `the server wants to send your client_secret to ${place.issuer} instead of ${before.issuer}.` +
        `If that is correct, run: hermes mcp logout ${name}`,
    });
  const scope = scopeFor(place, settings, challenge, stored.value);
  const granted = await grantFor({ place, settings, scope, stored: stored.value }, talk, deps, signal);
  if (!granted.ok) {
    if (granted.error.isRegistrationUsed) await files.change(name, url, (on) => on && withoutRegistration(on));
    return err({ message: granted.error.message });
  }
  const grant = granted.value;
  const { client } = grant;
  const registered = client.redirectUrl === undefined ? undefined : { issuer: grant.issuer, client };
  const written = await files.change(name, url, () => ({ url, grant, ...(registered && { registered }) }));
  return written.ok ? ok(grant) : written;
}

/** The address of a server in normalized form, for records and comparisons. */
export function addressOf({ url }: Pick<HttpTarget, "url">): string {
  const address = new URL(url);
  address.hash = "";
  return address.href;
}

/**
 * Sends a request without a token, because the refusal names the authorization server. Some servers accept the
 * handshake and refuse only the next request.
 */
async function askForChallenge(
  { kind, url, headers }: HttpTarget,
  http: Http,
  signal: AbortSignal,
): Promise<Result<{ readonly challenge: Challenge; readonly wasRefused: boolean }>> {
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization");
  const accepting = { ...Object.fromEntries(others), accept: "application/json, text/event-stream" };
  const posting = { ...accepting, "content-type": "application/json", "mcp-protocol-version": signInRevision };
  const requests =
    kind === "sse"
      ? [{ method: "GET", headers: accepting }]
      : [greeting, listRequest].map((body) => ({ method: "POST", headers: posting, body: JSON.stringify(body) }));
  let session = {};
  for (const request of requests) {
    const question = {
      ...request,
      headers: { ...request.headers, ...session },
      url: new URL(url),
      maxBytes: 1_000_000,
    };
    const sent = await http.send(question, discoveryTimeouts, signal);
    if (!sent.ok) return err({ message: sent.error.message });
    using response = sent.value;
    const { "www-authenticate": refusal, "mcp-session-id": id } = response.headers;
    if (response.status === 401) return ok({ challenge: readChallenge(String(refusal ?? "")), wasRefused: true });
    if (typeof id === "string") session = { "mcp-session-id": id };
  }
  return ok({ challenge: {}, wasRefused: false });
}

const clientInfo = { name: "hermes-agent-ts", version };
const greeting = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: signInRevision, capabilities: {}, clientInfo },
};
const listRequest = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/**
 * Scopes of the settings win over those in the refusal, which win over those in the metadata. Scopes that the server
 * requested later are added.
 */
function scopeFor(
  place: SignInPlace,
  settings: OAuthSettings,
  challenge: Challenge,
  stored: SignInRecord | undefined,
): string | undefined {
  const first = settings.scope ?? challenge.scope ?? place.scope;
  const scope = stored?.wantedScope === undefined ? first : joinScopes(first, stored.grant?.scope, stored.wantedScope);
  return scope !== undefined && place.hasOfflineScope ? joinScopes(scope, "offline_access") : scope;
}

interface GrantRequest {
  readonly place: SignInPlace;
  readonly settings: OAuthSettings;
  readonly scope: string | undefined;
  readonly stored: SignInRecord | undefined;
}

type GrantResult = Result<McpGrant, { readonly message: string; readonly isRegistrationUsed?: boolean }>;

async function grantFor(
  request: GrantRequest,
  talk: BrowserPrompts,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<GrantResult> {
  const { place, settings, scope, stored } = request;
  const { issuer, tokenUrl, resource, grantTypes } = place;
  const own = clientOf(settings, place.authMethods);
  const needsNobody = grantTypes?.includes("client_credentials") && !grantTypes.includes("authorization_code");
  if (needsNobody && own?.secret !== undefined) {
    const form = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
    const granted = await requestTokens({ tokenUrl, client: own, resource, form }, deps, signal);
    return granted.ok ? ok({ ...grantOf(request, own, granted.value), isOfProgram: true }) : granted;
  }
  if (place.authorizeUrl === "") return err({ message: `${issuer} does not name a sign-in page` });
  const opened = await openPage(settings, stored?.registered?.client.redirectUrl, deps);
  if (!opened.ok) return opened;
  await using page = opened.value;
  const { redirectUrl } = page;
  const on = { settings, registered: stored?.registered, redirectUrl, scope, http: deps.http };
  const client = await findClient(place, on, signal);
  if (!client.ok) return client;
  const code = await askForCode(request, client.value, page, talk, signal);
  const isRegistrationUsed = client.value === stored?.registered?.client;
  if (!code.ok) return err({ message: code.error.message, isRegistrationUsed });
  const form = {
    grant_type: "authorization_code",
    code: code.value.code,
    redirect_uri: redirectUrl,
    code_verifier: code.value.verifier,
  };
  const granted = await requestTokens({ tokenUrl, client: client.value, resource, form }, deps, signal);
  if (!granted.ok) return err({ message: granted.error.message, isRegistrationUsed });
  return ok(grantOf(request, client.value, granted.value));
}

async function askForCode(
  { place, scope, settings }: GrantRequest,
  client: OAuthClient,
  page: RedirectPage,
  talk: BrowserPrompts,
  signal: AbortSignal,
) {
  const { issuer, resource, isNamed } = place;
  const state = randomToken();
  const proof = createPkceProof();
  const params = {
    ...(resource !== undefined && { resource }),
    // OpenID servers issue refresh tokens only if the sign-in page asks the user for consent.
    ...(scope?.split(" ").includes("offline_access") && { prompt: "consent" }),
  };
  const words = { clientId: client.id, redirectUrl: page.redirectUrl, state, proof, scope, params };
  const url = authorizeAddress(place.authorizeUrl, words);
  const awaited = { state, timeoutMs: settings.timeoutMs, issuer: { id: issuer, isNamed } };
  const code = await page.askForCode(url, awaited, talk, signal);
  return code.ok ? ok({ code: code.value, verifier: proof.verifier }) : code;
}

/** Uses the port in the settings; otherwise the port of the registration, if it is free; otherwise any free port. */
async function openPage(settings: OAuthSettings, registered: string | undefined, { clock }: SignInDeps) {
  const fixed = settings.redirectPort === 0 ? undefined : `http://127.0.0.1:${settings.redirectPort}/callback`;
  const opened = await openRedirectPage(fixed ?? registered, clock);
  return opened.ok || fixed !== undefined || registered === undefined ? opened : openRedirectPage(undefined, clock);
}

function grantOf(
  { place, settings, scope }: GrantRequest,
  client: OAuthClient,
  tokens: Pick<McpGrant, "accessToken" | "refreshToken" | "expiresAt" | "scope">,
): McpGrant {
  const { issuer, tokenUrl, revocationUrl, resource } = place;
  const { accessToken, refreshToken, expiresAt } = tokens;
  const granted = tokens.scope ?? scope;
  const { secret: _secret, ...shown } = client;
  return {
    issuer,
    tokenUrl,
    ...(revocationUrl !== undefined && { revocationUrl }),
    ...(resource !== undefined && { resource }),
    client: settings.clientId === client.id ? shown : client,
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(granted !== undefined && { scope: granted }),
  };
}

function withoutRegistration({ registered: _registered, ...others }: SignInRecord): SignInRecord {
  return others;
}
