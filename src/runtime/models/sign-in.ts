import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { BrowserPrompts } from "../../base/oauth/redirect-page.ts";
import type { Grant, SignInRefusal } from "../../base/oauth/token-endpoint.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { changeCredentials } from "../../providers/credentials/credential-file.ts";
import type { DeviceCode } from "../../providers/credentials/sign-in/device-flow.ts";
import { claimHeaders, type SignIn } from "../../providers/credentials/sign-in/sign-in.ts";
import { findRow } from "../../providers/endpoints/find-row.ts";
import { withCanonicalIds } from "../../providers/endpoints/known-ids.ts";
import { credentialsFile } from "./key-store.ts";
import type { Models } from "./models.ts";

export interface SignInPrompts extends BrowserPrompts {
  showCode(code: DeviceCode): void;
}

/** Signs a user in at a provider and stores the token. */
export async function signInToProvider(
  provider: string,
  label: string | undefined,
  talk: SignInPrompts,
  { config, models, clock }: { readonly config: LoadedConfig; readonly models: Models; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Result<{ readonly id: string; readonly label: string; readonly file: string }>> {
  const result = signInOf(provider, config);
  if (!result.ok) return result;
  const signIn = result.value;
  const granted = await grantFor(signIn, talk, { http: models.http, clock }, signal);
  if (!granted.ok) return err({ message: `You are not signed in at ${provider}: ${granted.error.message}.` });
  return keep(provider, label, signIn, granted.value, { config, clock });
}

/** The sign-in data of a provider, with overrides from the settings. */
function signInOf(provider: string, { values }: LoadedConfig): Result<SignIn & { readonly clientId: string }> {
  const row = findRow(provider)?.signIn;
  const own = withCanonicalIds(values).providers[provider]?.sign_in;
  const chosen = (mine: string | undefined, theirs: string | undefined) => (mine ? mine : theirs);
  const tokenUrl = chosen(own?.token_url, row?.tokenUrl);
  const deviceUrl = own?.authorize_url ? own.device_url : chosen(own?.device_url, row?.deviceUrl);
  const authorizeUrl = own?.device_url ? own.authorize_url : chosen(own?.authorize_url, row?.authorizeUrl);
  const setting = `providers.${provider}.sign_in`;
  if (!tokenUrl || !(deviceUrl || authorizeUrl))
    return err({
      message: `Hermes does not know how to sign in at ${provider}. Set ${setting}.token_url, ${setting}.device_url or authorize_url, and ${setting}.client_id; or store a key: hermes auth add ${provider}`,
    });
  const clientId = chosen(own?.client_id, row?.clientId);
  if (!clientId)
    return err({
      message: `${provider} requires a client id, and none is registered for Hermes. Register an application there, then: hermes config set ${setting}.client_id ID`,
    });
  const scope = chosen(own?.scope, row?.scope);
  const redirectUrl = chosen(own?.redirect_url, row?.redirectUrl);
  const isOwnPage = Boolean(own?.authorize_url);
  return ok({
    tokenUrl,
    clientId,
    ...(deviceUrl && { deviceUrl }),
    ...(authorizeUrl && { authorizeUrl }),
    ...(scope && { scope }),
    ...(redirectUrl && { redirectUrl }),
    ...(row?.params && !isOwnPage && { params: row.params }),
    ...(row?.provesDevice && { provesDevice: true }),
    ...(row?.byUserCode && { byUserCode: true }),
    ...(row?.claim && { claim: row.claim }),
  });
}

async function grantFor(
  signIn: SignIn & { readonly clientId: string },
  talk: SignInPrompts,
  deps: { readonly http: Models["http"]; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Result<Grant, SignInRefusal>> {
  const { deviceUrl, authorizeUrl = "" } = signIn;
  if (deviceUrl !== undefined && signIn.byUserCode) {
    const { signInByUserCode } = await import("../../providers/credentials/sign-in/user-code-flow.ts");
    return signInByUserCode({ ...signIn, deviceUrl }, talk.showCode, deps, signal);
  }
  if (deviceUrl !== undefined) {
    const { signInByCode } = await import("../../providers/credentials/sign-in/device-flow.ts");
    return signInByCode({ ...signIn, deviceUrl }, talk.showCode, deps, signal);
  }
  const { signInByBrowser } = await import("../../providers/credentials/sign-in/browser-flow.ts");
  return signInByBrowser({ ...signIn, authorizeUrl }, talk, deps, signal);
}

async function keep(
  provider: string,
  requested: string | undefined,
  signIn: SignIn & { readonly clientId: string },
  grant: Grant,
  { config, clock }: { readonly config: LoadedConfig; readonly clock: Clock },
): Promise<Result<{ readonly id: string; readonly label: string; readonly file: string }>> {
  const file = credentialsFile(config.home);
  const id = newId("key").slice(0, 10);
  const headers = claimHeaders(signIn, grant);
  const label = requested ?? "signed in";
  const changed = await changeCredentials(
    file,
    (on) => {
      // A new sign-in with the same name replaces the previous one.
      const others = (on.keys[provider] ?? []).filter((one) => one.grant === undefined || one.label !== label);
      const entry = {
        id,
        label,
        key: grant.accessToken,
        addedAt: clock.now(),
        grant: {
          clientId: signIn.clientId,
          tokenUrl: signIn.tokenUrl,
          ...(grant.refreshToken !== undefined && { refreshToken: grant.refreshToken }),
          ...(grant.expiresAt !== undefined && { expiresAt: grant.expiresAt }),
          ...(Object.keys(headers).length > 0 && { headers }),
        },
      };
      return { ...on, keys: { ...on.keys, [provider]: [...others, entry] } };
    },
    { clock, signal: new AbortController().signal },
  );
  return changed.ok ? ok({ id, label, file }) : changed;
}
