import type { Http } from "../../base/http/http-client.ts";
import { postJson } from "../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { OAuthSettings } from "../../contracts/mcp/server-entry.ts";
import type { SignInPlace } from "./discover.ts";
import type { OAuthClient, SignInRecord } from "./sign-in-file.ts";

/**
 * Selects the client to sign in as: the client in the settings, the metadata document in the settings if the server
 * supports documents, the client that Hermes registered before, or a new registration.
 */
export async function findClient(
  place: SignInPlace,
  on: {
    readonly settings: OAuthSettings;
    readonly registered: SignInRecord["registered"];
    readonly redirectUrl: string;
    readonly scope: string | undefined;
    readonly http: Http;
  },
  signal: AbortSignal,
): Promise<Result<OAuthClient>> {
  const { settings, registered, redirectUrl } = on;
  const own = clientOf(settings, place.authMethods);
  if (own) return ok(own);
  if (place.takesDocuments && settings.clientMetadataUrl !== undefined)
    return ok({ id: settings.clientMetadataUrl, method: "none" });
  if (registered?.issuer === place.issuer && registered.client.redirectUrl === redirectUrl)
    return ok(registered.client);
  if (place.registrationUrl === undefined)
    return err({
      message:
        `${place.issuer} does not let programs register themselves. Register a client there with the redirect address` +
        `${redirectUrl}, then set client_id and redirect_port under oauth`,
    });
  return register(place, place.registrationUrl, on, signal);
}

/** The client of the settings. */
export function clientOf(
  { clientId, clientSecret }: OAuthSettings,
  authMethods: readonly string[] | undefined,
): OAuthClient | undefined {
  if (clientId === undefined) return undefined;
  if (clientSecret === undefined) return { id: clientId, method: "none" };
  return { id: clientId, secret: clientSecret, method: secretMethod(authMethods) };
}

async function register(
  { issuer, authMethods }: SignInPlace,
  address: string,
  {
    settings,
    redirectUrl,
    scope,
    http,
  }: {
    readonly settings: OAuthSettings;
    readonly redirectUrl: string;
    readonly scope: string | undefined;
    readonly http: Http;
  },
  signal: AbortSignal,
): Promise<Result<OAuthClient>> {
  const isPublic = authMethods === undefined || authMethods.includes("none");
  const about = {
    client_name: settings.clientName,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: isPublic ? "none" : secretMethod(authMethods),
    application_type: "native",
    ...(scope !== undefined && { scope }),
  };
  const reply = await postJson(address, about, { http }, signal);
  if (!reply.ok) return err({ message: `Hermes could not register at ${issuer}: ${reply.error.message}` });
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = reply.value;
  if (!isPlain(id)) return err({ message: `${issuer} registered Hermes without a client id` });
  if (!isPlain(secret) || method === "none") return ok({ id, method: "none", redirectUrl });
  const isKnown = method === "client_secret_post" || method === "client_secret_basic";
  return ok({ id, secret, method: isKnown ? method : secretMethod(authMethods), redirectUrl });
}

/** How a client secret is sent. Servers that do not specify it accept a header. */
function secretMethod(authMethods: readonly string[] = []): string {
  const isInBody = authMethods.includes("client_secret_post") && !authMethods.includes("client_secret_basic");
  return isInBody ? "client_secret_post" : "client_secret_basic";
}

function isPlain(text: unknown): text is string {
  return typeof text === "string" && /^[\u0021-\u007e]{1,4096}$/u.test(text);
}
