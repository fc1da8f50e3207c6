import { trySleep } from "../../../base/async/abort.ts";
import { isObject } from "../../../base/json.ts";
import { createPkceProof, randomToken } from "../../../base/oauth/pkce.ts";
import {
  postForm,
  expiryOf,
  type Grant,
  readGrant,
  type SignInRefusal,
  type SignInDeps,
} from "../../../base/oauth/token-endpoint.ts";
import { err, type Result } from "../../../base/result.ts";
import type { DeviceCode } from "./device-flow.ts";
import type { SignIn } from "./sign-in.ts";

/**
 * Runs the MiniMax sign-in: a device flow in which the token request contains the user code and a PKCE proof, and the
 * reply reports progress in `status` instead of an error.
 */
export async function signInByUserCode(
  { clientId, scope, deviceUrl, tokenUrl }: SignIn & { readonly deviceUrl: string; readonly clientId: string },
  show: (code: DeviceCode) => void,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<Result<Grant, SignInRefusal>> {
  const { clock } = deps;
  const proof = createPkceProof();
  const state = randomToken();
  const result = await postForm(
    deviceUrl,
    {
      response_type: "code",
      client_id: clientId,
      ...(scope !== undefined && { scope }),
      code_challenge: proof.challenge,
      code_challenge_method: "S256",
      state,
    },
    deps,
    signal,
  );
  if (!result.ok) return result;
  const { user_code: code, verification_uri: address, expired_in: end, interval, state: echoed } = result.value;
  const page = URL.parse(typeof address === "string" ? address : "");
  const isPlain = typeof code === "string" && /^[\w .-]{1,64}$/u.test(code);
  if (!isPlain || page?.protocol !== "https:" || (echoed !== undefined && echoed !== state))
    return err({
      code: "invalid_response",
      message: statusMessage(result.value) ?? "the server sent no code to sign in with",
    });
  const endsAt = expiryOf(end, clock.now()) ?? clock.now() + defaultMs;
  const lastsMs = Math.min(maxMs, Math.max(1_000, endsAt - clock.now()));
  show({ url: page.href, code, minutes: Math.max(1, Math.round(lastsMs / 60_000)) });

  const until = clock.elapsed() + lastsMs;
  const given = Number(interval ?? 2);
  let waitMs = Math.min(30_000, Math.max(1_000, (given > 100 ? given / 1000 : given) * 1000 || 2_000));
  for (;;) {
    if (clock.elapsed() + waitMs > until)
      return err({ code: "expired_token", message: "the code expired before it was entered" });
    if (!(await trySleep(waitMs, signal, clock))) return err({ message: "interrupted" });
    const form = { grant_type: grantType, client_id: clientId, user_code: code, code_verifier: proof.verifier };
    const result = await postForm(tokenUrl, form, deps, signal);
    if (signal.aborted) return err({ message: "interrupted" });
    if (result.ok && result.value["status"] === "success") return readGrant(result.value, clock.now());
    if (result.ok && result.value["status"] === "error")
      return err({
        code: "access_denied",
        message: statusMessage(result.value) ?? "the sign-in was refused on that page",
      });
    if (!result.ok && result.error.code !== undefined) return result;
    // The sign-in is still pending, or the server cannot be reached now; the next poll may succeed.
    waitMs = Math.min(10_000, waitMs * 1.5);
  }
}

/** Returns the status message of a reply. */
function statusMessage({ base_resp: about }: Readonly<Record<string, unknown>>): string | undefined {
  const words = isObject(about) ? about["status_msg"] : undefined;
  return typeof words === "string" && words !== "" && words !== "success" ? words.slice(0, 300) : undefined;
}

const grantType = "urn:ietf:params:oauth:grant-type:user_code";
const defaultMs = 600_000;
const maxMs = 3_600_000;
