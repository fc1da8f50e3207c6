import { type McpFetch, McpUnauthorized } from "../../contracts/mcp/authorize.ts";
import type { HttpTarget } from "../../contracts/mcp/server-entry.ts";
import { joinScopes, readChallenge } from "./challenge.ts";
import type { CurrentToken } from "./current-token.ts";

/** The fetch of one server, which adds the token of its sign-in. `wantScope` remembers scopes for the next sign-in. */
export function authorizedFetch(
  server: string,
  target: HttpTarget,
  fetch: McpFetch,
  { token, wantScope }: { readonly token: CurrentToken; wantScope(scope: string): Promise<void> },
): McpFetch {
  const { origin } = new URL(target.url);
  const hasOwnToken = Object.keys(target.headers).some((name) => name.toLowerCase() === "authorization");
  const login = `Run: hermes mcp login ${server}`;

  async function tokenFor(refused: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const current = await token.get(refused, signal);
    if (current.ok) return current.value;
    if (current.error.isPassing) throw new Error(`${server}: ${current.error.message}`);
    throw new McpUnauthorized(`${server}: ${current.error.message}`);
  }

  async function refusalOf(response: Response, wasSignedIn: boolean): Promise<McpUnauthorized | undefined> {
    if (response.status !== 401 && response.status !== 403) return undefined;
    const { error, scope } = readChallenge(response.headers.get("www-authenticate"));
    if (response.status === 403 && error !== "insufficient_scope") return undefined;
    await response.body?.cancel().catch(() => undefined);
    if (hasOwnToken) return new McpUnauthorized(`${server} does not accept the Authorization header in its settings.`);
    if (response.status === 401)
      return new McpUnauthorized(
        wasSignedIn ? `The sign-in to ${server} has expired. ${login}` : `You are not signed in to ${server}. ${login}`,
      );
    const missing = joinScopes(scope);
    if (missing !== undefined) await wantScope(missing);
    return new McpUnauthorized(
      `${server} requires more permissions${missing === undefined ? "" : `: ${missing}`}. ${login}`,
    );
  }

  return async (url, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    // A token is never sent to another origin, whatever address a server names.
    const isOurs = new URL(url).origin === origin && !hasOwnToken;
    const first = isOurs ? await tokenFor(undefined, signal) : undefined;
    let response = await fetch(url, withToken(init, first));
    if (response.status === 401 && first !== undefined) {
      const second = await tokenFor(first, signal);
      if (second !== undefined && second !== first) {
        await response.body?.cancel().catch(() => undefined);
        response = await fetch(url, withToken(init, second));
      }
    }
    const refusal = await refusalOf(response, first !== undefined);
    if (refusal) throw refusal;
    return response;
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
