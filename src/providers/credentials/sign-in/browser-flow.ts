import { authorizeAddress } from "../../../base/oauth/authorize-address.ts";
import { createPkceProof, randomToken } from "../../../base/oauth/pkce.ts";
import { type BrowserPrompts, openRedirectPage } from "../../../base/oauth/redirect-page.ts";
import {
  type Grant,
  postForm,
  readGrant,
  type SignInDeps,
  type SignInRefusal,
} from "../../../base/oauth/token-endpoint.ts";
import type { Result } from "../../../base/result.ts";
import type { SignIn } from "./sign-in.ts";

/** Signs in on a page that sends the browser back to this machine (PKCE, RFC 8252). */
export async function signInByBrowser(
  signIn: SignIn & { readonly authorizeUrl: string; readonly clientId: string },
  talk: BrowserPrompts,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<Result<Grant, SignInRefusal>> {
  const { clock } = deps;
  const { clientId, scope, params } = signIn;
  const opened = await openRedirectPage(signIn.redirectUrl, clock);
  if (!opened.ok) return opened;
  await using page = opened.value;
  const { redirectUrl } = page;
  const state = randomToken();
  const proof = createPkceProof();
  const url = authorizeAddress(signIn.authorizeUrl, { clientId, redirectUrl, state, proof, scope, params });
  const code = await page.askForCode(url, { state, timeoutMs: maxMs }, talk, signal);
  if (!code.ok) return code;
  const form = {
    grant_type: "authorization_code",
    code: code.value,
    redirect_uri: redirectUrl,
    client_id: clientId,
    code_verifier: proof.verifier,
  };
  const result = await postForm(signIn.tokenUrl, form, deps, signal);
  return result.ok ? readGrant(result.value, clock.now()) : result;
}

const maxMs = 300_000;
