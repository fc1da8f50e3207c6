import type { Clock } from "../../base/clock.ts";
import type { BrowserPrompts } from "../../base/oauth/redirect-page.ts";
import type { Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { McpSignedIn, McpSignedOut } from "../../mcp/oauth/sign-ins.ts";
import { mcpConnector } from "./connect.ts";
import { openMcpSignIns } from "./sign-in.ts";

/** Signs a user in to a server. Succeeds only if the server accepts the new token. */
export async function signInToServer(
  entry: McpServerEntry,
  talk: BrowserPrompts,
  { config, clock, cwd }: { readonly config: LoadedConfig; readonly clock: Clock; readonly cwd: string },
  signal: AbortSignal,
): Promise<Result<McpSignedIn>> {
  using signIns = openMcpSignIns(config, clock);
  const connect = mcpConnector(config, { clock, workspace: cwd, report: () => {}, authorize: signIns.authorize });
  return await signIns.signIn(entry, talk, connect, signal);
}

/** A sentence for the user if the settings require a sign-in and there is none. Sends no request. */
export function signInFault(
  { name, target }: McpServerEntry,
  { config, clock }: { readonly config: LoadedConfig; readonly clock: Clock },
): string | undefined {
  if (target.kind === "stdio" || !target.oauth) return undefined;
  using signIns = openMcpSignIns(config, clock);
  return signIns.isSignedIn(name, target)
    ? undefined
    : `You are not signed in to ${name}. Run: hermes mcp login ${name}`;
}

/** Revokes and deletes the tokens of a server, even of one that is no longer in the settings. */
export async function signOutOfServer(
  name: string,
  entry: McpServerEntry | undefined,
  { config, clock }: { readonly config: LoadedConfig; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Result<McpSignedOut>> {
  using signIns = openMcpSignIns(config, clock);
  const target = entry?.target.kind === "stdio" ? undefined : entry?.target;
  return await signIns.signOut(name, target, signal);
}
