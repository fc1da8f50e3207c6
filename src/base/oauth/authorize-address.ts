import type { PkceProof } from "./pkce.ts";

/** The sign-in URL that the browser opens. Parameters that the page's URL already has are kept. */
export function authorizeAddress(
  page: string,
  request: {
    readonly clientId: string;
    readonly redirectUrl: string;
    readonly state: string;
    readonly proof: PkceProof;
    readonly scope: string | undefined;
    readonly params: Readonly<Record<string, string>> | undefined;
  },
): URL {
  const { clientId, redirectUrl, state, proof, scope, params } = request;
  const url = new URL(page);
  const words = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUrl,
    ...(scope !== undefined && { scope }),
    state,
    code_challenge: proof.challenge,
    code_challenge_method: "S256",
    ...params,
  };
  for (const [name, value] of Object.entries(words)) url.searchParams.set(name, value);
  return url;
}
