import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { BrowserPrompts } from "../../base/oauth/redirect-page.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { AuthorizeMcp } from "../../contracts/mcp/authorize.ts";
import type { ConnectMcp, McpFault, McpServerRequests } from "../../contracts/mcp/connection.ts";
import type { HttpTarget, McpServerEntry, OAuthSettings } from "../../contracts/mcp/server-entry.ts";
import { authorizedFetch } from "./authorized-fetch.ts";
import { joinScopes } from "./challenge.ts";
import { createCurrentToken, withSecret } from "./current-token.ts";
import { addressOf, obtainGrant } from "./obtain-grant.ts";
import { postAs } from "./request-tokens.ts";
import { type McpGrant, type SignInFiles, withoutGrant } from "./sign-in-file.ts";

/** Signs in to MCP servers and provides the tokens for requests. */
export interface McpSignIns {
  readonly authorize: AuthorizeMcp;
  /** Signs in. Succeeds only if the server answers a request with the stored token. */
  signIn(
    entry: McpServerEntry,
    talk: BrowserPrompts,
    connect: ConnectMcp,
    signal: AbortSignal,
  ): Promise<Result<McpSignedIn>>;
  /** Reads the stored sign-in and sends no request. */
  isSignedIn(server: string, target: HttpTarget): boolean;
  /** Revokes the tokens if the authorization server supports it, and deletes them in any case. */
  signOut(server: string, target: HttpTarget | undefined, signal: AbortSignal): Promise<Result<McpSignedOut>>;
}

export interface McpSignedIn {
  readonly issuer: string;
  readonly scope?: string;
  readonly toolCount: number;
}

export interface McpSignedOut {
  readonly wasSignedIn: boolean;
  /** False if the tokens stay valid until they expire. */
  readonly isRevoked: boolean;
}

export interface SignInsDeps {
  readonly files: SignInFiles;
  readonly clock: Clock;
  /** The HTTP client with the certificates of a target. The caller closes it. */
  readonly http: (target: HttpTarget | undefined) => Http;
}

export function createSignIns({ files, clock, http }: SignInsDeps): McpSignIns {
  async function verify(
    entry: McpServerEntry,
    connect: ConnectMcp,
    signal: AbortSignal,
  ): Promise<Result<number, McpFault>> {
    const connected = await connect(entry, nobody, signal);
    if (!connected.ok) return connected;
    await using connection = connected.value;
    const listed = await connection.list({ signal, timeoutMs: entry.timeoutMs });
    return listed.ok ? ok(listed.value.tools.length) : listed;
  }

  return {
    authorize(server, target, fetch) {
      const url = addressOf(target);
      return authorizedFetch(server, target, fetch, {
        token: createCurrentToken(server, url, target.oauth, { files, clock, http: () => http(target) }),
        async wantScope(scope) {
          // A failure is ignored: the next sign-in requests too few scopes, and the server refuses again.
          await files.change(server, url, (on) => ({
            ...on,
            url,
            wantedScope: joinScopes(on?.wantedScope, scope) ?? "",
          }));
        },
      });
    },

    async signIn(entry, talk, connect, signal) {
      const { name, target } = entry;
      if (target.kind === "stdio")
        return err({ message: `${name} is a program on this machine and needs no sign-in.` });
      if (Object.keys(target.headers).some((header) => header.toLowerCase() === "authorization"))
        return err({ message: `${name} has an Authorization header in its settings. Remove that header to sign in.` });
      const url = addressOf(target);
      const settings = target.oauth ?? defaultSettings;
      const deps = { files, clock, http: http(target) };
      for (let round = 1; ; round++) {
        const granted = await obtainGrant({ name, target, settings }, talk, deps, signal);
        if (!granted.ok) return err({ message: `Sign-in to ${name} failed: ${granted.error.message}.` });
        const { issuer, scope } = granted.value;
        const verified = await verify(entry, connect, signal);
        if (verified.ok) return ok({ issuer, ...(scope !== undefined && { scope }), toolCount: verified.value });
        const { kind, message } = verified.error;
        if (kind !== "auth")
          return err({
            message: `You signed in to ${name}, but it did not answer: ${message} Try: hermes mcp test ${name}`,
          });
        const stored = files.read(name, url);
        const missing = stored.ok ? stored.value?.wantedScope : undefined;
        if (joinScopes(scope, missing) !== joinScopes(scope) && round < maxRounds) continue;
        // Also removes a token that replaced the refused one.
        await files.change(name, url, (on) => on && withoutGrant(on, on.grant?.accessToken ?? ""));
        return err({
          message: `${name} rejects the token that it issued${round > 1 ? ` in ${plural(round, "sign-in")}` : ""}: ${message}`,
        });
      }
    },

    isSignedIn(server, target) {
      const stored = files.read(server, addressOf(target));
      return stored.ok && stored.value?.grant !== undefined;
    },

    async signOut(server, target, signal) {
      const done = await files.renewing<McpSignedOut>(server, async () => {
        const stored = files.read(server);
        const grant = stored.ok ? stored.value?.grant : undefined;
        const isRevoked = grant !== undefined && (await revoke(grant, target?.oauth, http(target), signal));
        const removed = await files.remove(server);
        if (!removed.ok) return err({ ...removed.error, isPassing: false });
        return ok({ wasSignedIn: grant !== undefined, isRevoked });
      });
      return done.ok ? done : err({ message: done.error.message });
    },
  };
}

/** The maximum number of sign-ins in one command, if the server requires more scopes after the first. */
const maxRounds = 2;

/** The settings for a server whose settings do not mention a sign-in. */
const defaultSettings: OAuthSettings = { redirectPort: 0, clientName: "Hermes", timeoutMs: 300_000 };

/** Revokes tokens (RFC 7009). The refresh token comes first: many servers revoke its access tokens with it. */
async function revoke(
  grant: McpGrant,
  settings: OAuthSettings | undefined,
  http: Http,
  signal: AbortSignal,
): Promise<boolean> {
  const { revocationUrl, refreshToken, accessToken } = grant;
  if (revocationUrl === undefined) return false;
  const client = withSecret(grant.client, settings);
  const tokens = [
    ...(refreshToken === undefined ? [] : [{ token: refreshToken, token_type_hint: "refresh_token" }]),
    { token: accessToken, token_type_hint: "access_token" },
  ];
  for (const form of tokens) {
    const revoked = await postAs(client, revocationUrl, form, { http }, signal);
    if (!revoked.ok) return false;
  }
  return true;
}

/** Answers requests of the server while only its response matters. */
const nobody: McpServerRequests = {
  sample: async () => err({ message: "No user is available to answer." }),
  elicit: async () => err({ message: "No user is available to answer." }),
  roots: () => [],
  log() {},
};
