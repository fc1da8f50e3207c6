import {
  type Grant,
  postForm,
  readGrant,
  type SignInDeps,
  type SignInRefusal,
} from "../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { scopeOf } from "./challenge.ts";
import type { OAuthClient } from "./sign-in-file.ts";

interface TokenRequest {
  readonly tokenUrl: string;
  readonly client: OAuthClient;
  readonly resource: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

/** Requests tokens. `before` is the grant that is renewed, whose refresh token may still be valid. */
export async function requestTokens(
  { tokenUrl, client, resource, form }: TokenRequest,
  deps: SignInDeps,
  signal: AbortSignal,
  before?: Pick<Grant, "refreshToken">,
): Promise<Result<Grant & { readonly scope?: string }, SignInRefusal>> {
  const about = resource === undefined ? form : { ...form, resource };
  const reply = await postAs(client, tokenUrl, about, deps, signal);
  if (!reply.ok) return reply;
  const { token_type: kind = "bearer" } = reply.value;
  if (typeof kind !== "string" || kind.toLowerCase() !== "bearer")
    return err({ code: "invalid_response", message: "the response contains a token of an unknown type" });
  const grant = readGrant(reply.value, deps.clock.now(), before);
  const scope = scopeOf(reply.value["scope"]);
  return grant.ok ? ok({ ...grant.value, ...(scope !== undefined && { scope }) }) : grant;
}

/** Posts a form and authenticates as the registered client. */
export function postAs(
  { id, secret, method }: OAuthClient,
  address: string,
  form: Readonly<Record<string, string>>,
  deps: Pick<SignInDeps, "http">,
  signal: AbortSignal,
): ReturnType<typeof postForm> {
  if (secret === undefined) return postForm(address, { ...form, client_id: id }, deps, signal);
  if (method === "client_secret_post")
    return postForm(address, { ...form, client_id: id, client_secret: secret }, deps, signal);
  const encoded = [id, secret].map((text) => new URLSearchParams({ text }).toString().slice("text=".length));
  return postForm(address, form, deps, signal, `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`);
}
