import { trySleep } from "../../../base/async/abort.ts";
import { createPkceProof } from "../../../base/oauth/pkce.ts";
import {
  postForm,
  type Grant,
  readGrant,
  type SignInRefusal,
  type SignInDeps,
} from "../../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { SignIn } from "./sign-in.ts";

/** The code to enter, and the address of the page. */
export interface DeviceCode {
  readonly url: string;
  readonly code: string;
  readonly minutes: number;
}

/**
 * Runs the device flow (RFC 8628): the user enters a code on a web page. Waits until the sign-in is confirmed, denied
 * or expired.
 */
export async function signInByCode(
  signIn: SignIn & { readonly deviceUrl: string; readonly clientId: string },
  show: (code: DeviceCode) => void,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<Result<Grant, SignInRefusal>> {
  const { clientId, scope, deviceUrl, tokenUrl } = signIn;
  const { clock } = deps;
  const proof = signIn.provesDevice ? createPkceProof() : undefined;
  const result = await postForm(
    deviceUrl,
    {
      client_id: clientId,
      ...(scope !== undefined && { scope }),
      ...(proof && { code_challenge: proof.challenge, code_challenge_method: "S256" }),
    },
    deps,
    signal,
  );
  if (!result.ok) return result;
  const started = readBegun(result.value);
  if (!started.ok) return started;
  const { deviceCode, url, code, seconds } = started.value;
  show({ url, code, minutes: Math.max(1, Math.round(seconds / 60)) });

  const until = clock.elapsed() + seconds * 1000;
  let intervalMs = started.value.intervalMs;
  for (;;) {
    if (clock.elapsed() + intervalMs > until) return err({ code: "expired_token", message: tooLate });
    if (!(await trySleep(intervalMs, signal, clock))) return err({ message: "interrupted" });
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: deviceCode,
      client_id: clientId,
      ...(proof && { code_verifier: proof.verifier }),
    };
    const result = await postForm(tokenUrl, form, deps, signal);
    if (result.ok) return readGrant(result.value, clock.now());
    if (signal.aborted) return err({ message: "interrupted" });
    switch (result.error.code) {
      case "authorization_pending":
        break;
      case "slow_down":
        intervalMs += slowerMs;
        break;
      case undefined:
        // The server cannot be reached now; the next poll may succeed.
        intervalMs = Math.min(2 * intervalMs, maxMs);
        break;
      case "access_denied":
        return err({ code: "access_denied", message: "the sign-in was refused on that page" });
      case "expired_token":
        return err({ code: "expired_token", message: tooLate });
      default:
        return result;
    }
  }
}

const slowerMs = 5_000;
const maxMs = 60_000;
const tooLate = "the code expired before it was entered";

function readBegun(reply: Readonly<Record<string, unknown>>): Result<
  {
    readonly deviceCode: string;
    readonly url: string;
    readonly code: string;
    readonly seconds: number;
    readonly intervalMs: number;
  },
  SignInRefusal
> {
  const text = (...names: readonly string[]) => names.map((name) => reply[name]).find((one) => typeof one === "string");
  const deviceCode = text("device_code");
  const code = text("user_code");
  const url = text("verification_uri_complete", "verification_uri", "verification_url");
  const page = URL.parse(url ?? "");
  if (deviceCode === undefined || code === undefined || !/^[\w .-]{1,64}$/u.test(code) || !page || !isPage(page))
    return err({ code: "invalid_response", message: "the server sent no code to sign in with" });
  const interval = Number(reply["interval"] ?? 5);
  return ok({
    deviceCode,
    code,
    url: page.href,
    seconds: Math.min(3_600, Math.max(1, Number(reply["expires_in"]) || 600)),
    intervalMs: (interval >= 0 && interval <= 60 ? Math.max(interval, 1) : 5) * 1000,
  });
}

function isPage({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}
