import { abortable } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { SignInRefusal } from "../../base/oauth/token-endpoint.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { OAuthSettings } from "../../contracts/mcp/server-entry.ts";
import { requestTokens } from "./request-tokens.ts";
import { type McpGrant, type OAuthClient, type RenewalFault, type SignInFiles, withoutGrant } from "./sign-in-file.ts";

/** The access token of one server. */
export interface CurrentToken {
  /**
   * Returns a token that does not expire soon; undefined if the user is not signed in. `refused` is a token that the
   * server did not accept. It is renewed once for all processes, which then share the new token.
   */
  get(refused: string | undefined, signal: AbortSignal): Promise<Result<string | undefined, RenewalFault>>;
}

export function createCurrentToken(
  server: string,
  url: string,
  settings: OAuthSettings | undefined,
  { files, http, clock }: { readonly files: SignInFiles; readonly http: () => Http; readonly clock: Clock },
): CurrentToken {
  const never = new AbortController().signal;

  function stored(): Result<McpGrant | undefined, RenewalFault> {
    const read = files.read(server, url);
    return read.ok ? ok(read.value?.grant) : err({ ...read.error, isPassing: false });
  }

  const lasts = ({ expiresAt }: McpGrant, ms: number) => expiresAt === undefined || expiresAt > clock.now() + ms;
  const canRenew = ({ refreshToken, isOfProgram }: McpGrant) => refreshToken !== undefined || isOfProgram === true;

  async function renew(refused: string | undefined): Promise<Result<string | undefined, RenewalFault>> {
    const record = stored();
    if (!record.ok || !record.value) return ok(undefined);
    const grant = record.value;
    if (grant.accessToken !== refused && lasts(grant, earlyMs)) return ok(grant.accessToken);
    if (!canRenew(grant)) return ok(grant.accessToken === refused ? undefined : grant.accessToken);
    const { tokenUrl, resource, scope, refreshToken = "" } = grant;
    const form = grant.isOfProgram
      ? { grant_type: "client_credentials", ...(scope !== undefined && { scope }) }
      : { grant_type: "refresh_token", refresh_token: refreshToken };
    const client = withSecret(grant.client, settings);
    const fresh = await requestTokens({ tokenUrl, client, resource, form }, { http: http(), clock }, never, grant);
    if (!fresh.ok) {
      if (!isPassing(fresh.error)) return ended(grant);
      if (grant.accessToken !== refused && lasts(grant, 0)) return ok(grant.accessToken);
      return err({ message: `the sign-in could not be renewed: ${fresh.error.message}`, isPassing: true });
    }
    const { expiresAt: _expiresAt, ...rest } = grant;
    const { idToken: _idToken, ...tokens } = fresh.value;
    // A sign-in or sign-out that happens in the meantime wins.
    const written = await files.change(server, url, (on) =>
      on?.grant?.accessToken === grant.accessToken ? { ...on, grant: { ...rest, ...tokens } } : on,
    );
    if (!written.ok) return err({ ...written.error, isPassing: false });
    const now = stored();
    return now.ok ? ok(now.value?.accessToken) : now;
  }

  /** The authorization server ended the grant, so it is deleted for all processes. */
  async function ended({ accessToken }: McpGrant): Promise<Result<undefined, RenewalFault>> {
    const written = await files.change(server, url, (on) => on && withoutGrant(on, accessToken));
    return written.ok ? ok(undefined) : err({ ...written.error, isPassing: false });
  }

  return {
    async get(refused, signal) {
      const record = stored();
      if (!record.ok) return record;
      const grant = record.value;
      if (!grant) return ok(undefined);
      if (grant.accessToken !== refused && (lasts(grant, earlyMs) || !canRenew(grant))) return ok(grant.accessToken);
      // This cannot be aborted: the old refresh token is already used, and the new one must be stored.
      const work = files.renewing(server, () => renew(refused));
      try {
        return await abortable(work, signal);
      } catch (thrown) {
        return err({ message: signal.aborted ? "interrupted" : reasonOf(thrown), isPassing: true });
      }
    },
  };
}

/** A client secret from the settings is not stored with the tokens. */
export function withSecret(client: OAuthClient, settings: OAuthSettings | undefined): OAuthClient {
  const secret = settings?.clientId === client.id ? settings.clientSecret : undefined;
  return secret === undefined ? client : { ...client, secret };
}

function isPassing({ code }: SignInRefusal): boolean {
  return code === undefined || passingCodes.has(code);
}

const passingCodes: ReadonlySet<string> = new Set([
  "server_error",
  "temporarily_unavailable",
  "slow_down",
  "status_408",
  "status_425",
  "status_429",
]);

/** Tokens are renewed this long before they expire, so that a token is still valid when a request arrives. */
const earlyMs = 30_000;
