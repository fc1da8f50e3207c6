import type { Clock } from "../../base/clock.ts";
import { once } from "../../base/once.ts";
import type { Result } from "../../base/result.ts";
import type { Credential } from "../../providers/credentials/credential-pool.ts";
import type { Http } from "../../providers/wire/http.ts";

/** What is sent for accounts: tokens that are made or renewed when they are needed. */
export interface AccountTokens {
  /** `wasRefused`: the one that was told before was not taken. */
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
  readonly http: () => Http;
  readonly clock: Clock;
}): AccountTokens {
  const google = once(async () =>
    (await import("../../providers/credentials/google-token.ts")).createGoogleTokens(deps),
  );
  const grants = once(async () =>
    (await import("../../providers/credentials/sign-in/renew-grants.ts")).createGrantTokens(deps),
  );
  const told = new Map<string, string>();
  return {
    async tokenOf({ key, account }, provider, wasRefused, signal) {
      if (account === "file") return (await google()).tokenOf(key, signal);
      const refused = wasRefused ? told.get(key) : undefined;
      const token = await (await grants()).tokenOf(provider, key, refused, signal);
      if (token.ok) told.set(key, token.value);
      return token;
    },
  };
}
