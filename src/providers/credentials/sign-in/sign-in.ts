/**
 * How a person signs in at a provider with a browser: with a code that is typed there (`deviceUrl`), or by being sent back
 * to this machine (`authorizeUrl`).
 */
export interface SignIn {
  readonly deviceUrl?: string;
  readonly authorizeUrl?: string;
  readonly tokenUrl: string;
  readonly scope?: string;
  /** As the provider knows this program. Left out: the user names one. */
  readonly clientId?: string;
  /** Where the browser is sent back to; left out: a free port of this machine. */
  readonly redirectUrl?: string;
  /** More words of the address that the browser opens. */
  readonly params?: Readonly<Record<string, string>>;
  /** The device flow proves by a secret of its own (PKCE) who asks. */
  readonly provesDevice?: boolean;
  /** The token is asked for by the code that the person types (MiniMax). */
  readonly byUserCode?: boolean;
  /** A header of every request, and where in the token its value stands. */
  readonly claim?: { readonly header: string; readonly path: readonly string[] };
}

/** What signing in gives. */
export interface Grant {
  readonly accessToken: string;
  /** Left out: it cannot be renewed. */
  readonly refreshToken?: string;
  /** Left out: it does not run out, as far as is known. */
  readonly expiresAt?: number;
  readonly idToken?: string;
}

/** The value of the header that requests of this account carry, from the words inside its tokens. */
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

/** Not verified: it came from the provider itself, and goes back there. */
function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  } catch {
    return undefined;
  }
}
