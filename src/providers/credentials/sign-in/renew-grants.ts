import { abortable } from "../../../base/async/abort.ts";
import { withFileLock } from "../../../base/files/atomic-file.ts";
import { postForm, readGrant, type SignInDeps } from "../../../base/oauth/token-endpoint.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import { changeCredentials, readCredentials, type StoredKey } from "../credential-file.ts";

/** `passing` is true if the server is only temporarily unreachable. */
type Fault = { readonly message: string; readonly passing?: boolean };

/** Provides the tokens of sign-ins and renews them before they expire. */
export interface GrantTokens {
  /** Returns a token that does not expire soon. `refused` is the token that the provider rejected. */
  tokenOf(
    provider: string,
    id: string,
    refused: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<string, Fault>>;
}

export function createGrantTokens({
  file,
  http,
  clock,
}: { readonly file: string; readonly http: () => SignInDeps["http"] } & Pick<SignInDeps, "clock">): GrantTokens {
  const never = new AbortController().signal;

  function find(provider: string, id: string): Result<StoredKey, Fault> {
    const read = readCredentials(file);
    if (!read.ok) return read;
    const match = read.value.keys[provider]?.find((one) => one.id === id);
    return match ? ok(match) : err({ message: `You are no longer signed in to ${provider}. ${again(provider)}` });
  }

  const lasts = ({ grant }: StoredKey, ms: number) =>
    grant?.expiresAt === undefined || grant.expiresAt > clock.now() + ms;

  /** Renews under a separate lock: other processes then use the new token, and stored keys can change meanwhile. */
  async function renew(provider: string, id: string, refused: string | undefined): Promise<Result<string, Fault>> {
    const now = find(provider, id);
    if (!now.ok) return now;
    const { key, grant } = now.value;
    if (key !== refused && lasts(now.value, earlyMs)) return ok(key);
    if (grant?.refreshToken === undefined)
      return err({ message: `The sign-in to ${provider} has expired. ${again(provider)}` });
    const form = { grant_type: "refresh_token", refresh_token: grant.refreshToken, client_id: grant.clientId };
    const result = await postForm(grant.tokenUrl, form, { http: http() }, never);
    if (!result.ok && result.error.code === undefined && key !== refused && lasts(now.value, 0)) return ok(key);
    if (!result.ok) {
      const passing = result.error.code === undefined;
      const advice = passing ? "" : ` ${again(provider)}`;
      const message = `The sign-in to ${provider} could not be renewed: ${result.error.message}.${advice}`;
      return err({ message, ...(passing && { passing }) });
    }
    const fresh = readGrant(result.value, clock.now(), grant);
    if (!fresh.ok) return err({ message: `The sign-in to ${provider} could not be renewed: ${fresh.error.message}` });
    const { accessToken, refreshToken, expiresAt } = fresh.value;
    const { clientId, tokenUrl, headers } = grant;
    const next: StoredKey = {
      ...now.value,
      key: accessToken,
      grant: {
        clientId,
        tokenUrl,
        ...(headers && { headers }),
        ...(refreshToken !== undefined && { refreshToken }),
        ...(expiresAt !== undefined && { expiresAt }),
      },
    };
    const written = await changeCredentials(
      file,
      (on) => ({
        ...on,
        keys: { ...on.keys, [provider]: (on.keys[provider] ?? []).map((one) => (one.id === id ? next : one)) },
      }),
      { clock, signal: never },
    );
    return written.ok ? ok(accessToken) : err({ message: written.error.message });
  }

  return {
    async tokenOf(provider, id, refused, signal) {
      const stored = find(provider, id);
      if (!stored.ok || (stored.value.key !== refused && lasts(stored.value, earlyMs)))
        return stored.ok ? ok(stored.value.key) : stored;
      // This step cannot be aborted: the old refresh token is already used, and the new one must be stored.
      const work = withFileLock(`${file}.renewing`, () => renew(provider, id, refused), {
        clock,
        signal: never,
        timeoutMs: 45_000,
      });
      try {
        const locked = await abortable(work, signal);
        return locked.ok ? locked.value : err({ message: locked.error.message });
      } catch (thrown) {
        return err({ message: signal.aborted ? "interrupted" : reasonOf(thrown) });
      }
    },
  };
}

/** A token is renewed this long before it expires, so that it is still valid when a request starts. */
const earlyMs = 120_000;

function again(provider: string): string {
  return `Sign in again: hermes auth add ${provider} --oauth`;
}
