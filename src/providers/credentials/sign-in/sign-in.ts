import type { Grant } from "../../../base/oauth/token-endpoint.ts";
import { valueOr } from "../../../base/result.ts";

/**
 * How a user signs in to a provider in a browser: by entering a code (`deviceUrl`), or by a redirect
 * to this machine (`authorizeUrl`).
 */
export interface SignIn {
  readonly deviceUrl?: string;
  readonly authorizeUrl?: string;
  readonly tokenUrl: string;
  readonly scope?: string;
  /** The OAuth client id. Undefined: the user must configure one. */
  readonly clientId?: string;
  /** The redirect address. Undefined: a free port of this machine. */
  readonly redirectUrl?: string;
  /** Additional query parameters of the address that the browser opens. */
  readonly params?: Readonly<Record<string, string>>;
  /** True if the device flow uses PKCE. */
  readonly provesDevice?: boolean;
  /** True if the token request contains the user code (MiniMax). */
  readonly byUserCode?: boolean;
  /** A header that is added to every request, and the path of its value in the token. */
  readonly claim?: { readonly header: string; readonly path: readonly string[] };
}

/** Returns the account headers, with values from the claims of the tokens. */
export function claimHeaders({ claim }: SignIn, grant: Grant): Readonly<Record<string, string>> {
  if (claim === undefined) return {};
  for (const token of [grant.idToken, grant.accessToken]) {
    const value = claim.path.reduce<unknown>(
      (node, name) => (typeof node === "object" && node !== null ? Reflect.get(node, name) : undefined),
      claimsOf(token ?? ""),
    );
    if (typeof value === "string" && /^[\w.-]+$/u.test(value)) return { [claim.header]: value };
  }
  return {};
}

/** The token is not verified: the provider issued it and receives it back. */
function claimsOf(token: string): unknown {
  return valueOr((): unknown => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()), undefined);
}
