import type { LookupAddress } from "node:dns";
import type { Server } from "node:net";

import { createFilteringProxy, type ProxyTarget, type ProxyVerdict } from "../../base/http/filtering-proxy.ts";
import { reasonOf } from "../../base/result.ts";
import { type HostRule, hostRule } from "../permissions.ts";

export interface PluginProxyRules {
  /** The hosts of the `net` permission. */
  readonly net: readonly string[];
  readonly onRefused: (target: string) => void;
  /** Returns why an address is not public. */
  readonly addressFault: (address: string) => { readonly isMetadata: boolean } | undefined;
  /** Resolves a name to all its addresses. Rejects if there are none. */
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
}

export interface PluginProxy extends Disposable {
  listen(path: string): Promise<unknown>;
  /** Also handles the connections of a server that is already listening. */
  serve(server: Server): void;
}

/** An HTTP proxy on a Unix socket that connects only to permitted hosts. */
export function createPluginProxy(rules: PluginProxyRules): PluginProxy {
  return createFilteringProxy({
    // Only the plugin's sandbox can access the socket, so there is one client.
    clientOf: () => ({ client: undefined }),
    judge: async (target) => judge(target, rules),
    maxSockets: 256,
  });
}

async function judge({ url, host, port }: ProxyTarget, rules: PluginProxyRules): Promise<ProxyVerdict> {
  const target = port === 80 || port === 443 ? url.hostname : `${url.hostname}:${port}`;
  const refused = (why: string): ProxyVerdict => {
    rules.onRefused(target);
    return { ok: false, status: "403 Forbidden", text: `Hermes refused ${target}: ${why}` };
  };
  const rule = hostRule(rules.net, host, port);
  if (!rule.isAllowed) return refused("the plugin has no permission for this host.");
  let addresses: readonly LookupAddress[];
  try {
    addresses = await rules.resolve(host);
  } catch (thrown) {
    return { ok: false, status: "502 Bad Gateway", text: `${host}: ${reasonOf(thrown)}` };
  }
  const allowed = addresses.filter(({ address }) => isAllowed(address, rule, rules));
  if (allowed.length === 0)
    return refused("the address is not public, and the permission does not name the host explicitly.");
  return { ok: true, addresses: allowed };
}

function isAllowed(address: string, { allowsPrivate }: HostRule, { addressFault }: PluginProxyRules): boolean {
  const fault = addressFault(address);
  return fault === undefined || (allowsPrivate && !fault.isMetadata);
}
