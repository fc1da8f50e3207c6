import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Credential } from "../../providers/credentials/credential-pool.ts";
import type { Lookup } from "../../providers/endpoint.ts";

/** Access tokens of accounts, created or renewed on demand. */
export interface AccountTokens {
  /** `wasRefused`: the provider rejected the previous token. */
  tokenOf(
    credential: Credential,
    provider: string,
    wasRefused: boolean,
    signal: AbortSignal,
  ): Promise<Result<string, { readonly message: string; readonly passing?: boolean }>>;
}

export function createAccountTokens(deps: {
  /** Where sign-ins are stored. */
  readonly file: string;
  readonly env: Lookup;
  readonly userFolder: string;
  readonly http: () => Http;
  readonly clock: Clock;
}): AccountTokens {
  const google = once(async () =>
    (await import("../../providers/credentials/google-token.ts")).createGoogleTokens(deps),
  );
  const aws = once(async () =>
    (await import("../../providers/credentials/aws/aws-key-provider.ts")).createAwsKeyProvider(deps),
  );
  const borrowed = once(() => import("../../providers/credentials/external-tokens.ts"));
  const grants = once(async () =>
    (await import("../../providers/credentials/sign-in/renew-grants.ts")).createGrantTokens(deps),
  );
  const borrowedTokens = new Map<string, { readonly token: string; readonly until: number }>();
  const notices = new Map<string, string>();
  return {
    async tokenOf({ key, account }, provider, wasRefused, signal) {
      if (account === "file") return (await google()).tokenOf(key, signal);
      if (account === "claude") return (await borrowed()).claudeToken(key, deps.clock);
      if (account === "gh" || account === "az" || account === "entra") {
        const kept = borrowedTokens.get(account);
        if (kept && !wasRefused && kept.until > deps.clock.now()) return ok(kept.token);
        const { entraToken, programToken } = await borrowed();
        const match =
          account === "entra"
            ? await entraToken(deps.env, { http: deps.http(), clock: deps.clock }, signal)
            : await programToken(account, signal);
        if (!match.ok) return match;
        const token = typeof match.value === "string" ? match.value : match.value.accessToken;
        borrowedTokens.set(account, { token, until: deps.clock.now() + keptMs });
        return ok(token);
      }
      if (account === "aws") return (await aws()).keys(wasRefused, signal);
      const refused = wasRefused ? notices.get(key) : undefined;
      const token = await (await grants()).tokenOf(provider, key, refused, signal);
      if (token.ok) notices.set(key, token.value);
      return token;
    },
  };
}

/**
 * How long tokens of other programs are cached, because these programs are slow and their tokens are valid for longer.
 */
const keptMs = 240_000;
