import { randomHex } from "../../base/digest.ts";
import { createFilteringProxy, type ProxyTarget, type ProxyVerdict } from "../../base/http/filtering-proxy.ts";
import { ok, reasonOf, type Result } from "../../base/result.ts";
import { type GuardRefusal, portFault, type UrlGuard } from "./url-guard.ts";

/** The proxy that is a local browser's only connection to the network. */
export interface BrowserProxy extends Disposable {
  readonly port: number;
  /** Admits the requests of one conversation until it is disposed. */
  admit(onRefused: (refusal: GuardRefusal) => void): ProxyAdmission;
}

export interface ProxyAdmission extends Disposable {
  readonly username: string;
  readonly password: string;
}

/** The user's own proxy, through which this one connects. */
export interface BrowserUpstream {
  /** Undefined for a direct connection. An invalid setting is an error and never leads to a direct connection. */
  proxyFor(url: URL): Result<URL | undefined, string>;
  /** Whether the user's proxy gets names instead of the checked addresses. */
  readonly isByName: boolean;
}

/** Listens on the loopback interface and serves only browsers that were admitted. */
export async function startBrowserProxy(guard: UrlGuard, upstream?: BrowserUpstream): Promise<BrowserProxy> {
  const clients = new Map<string, (refusal: GuardRefusal) => void>();
  const proxy = createFilteringProxy<(refusal: GuardRefusal) => void>({
    clientOf(authorization) {
      const client = authorization === undefined ? undefined : clients.get(authorization);
      return client && { client };
    },
    judge: async (target, onRefused) => judge(target, guard, upstream, onRefused),
    maxSockets: 1_024,
  });
  const port = await proxy.listen({ host: "127.0.0.1" });
  return {
    port,
    admit(onRefused) {
      const [username, password] = [randomHex(8), randomHex(24)];
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
      clients.set(authorization, onRefused);
      return { username, password, [Symbol.dispose]: () => void clients.delete(authorization) };
    },
    [Symbol.dispose]: () => proxy[Symbol.dispose](),
  };
}

async function judge(
  { url, port, isTunnel }: ProxyTarget,
  guard: UrlGuard,
  upstream: BrowserUpstream | undefined,
  onRefused: (refusal: GuardRefusal) => void,
): Promise<ProxyVerdict> {
  const target = isTunnel ? url.origin : url.href;
  const refuse = (reason: string): ProxyVerdict => {
    onRefused({ url: target, reason });
    return { ok: false, status: "403 Forbidden", text: `Hermes refused ${target}: ${reason}\n` };
  };
  try {
    const fault = portFault(port) ?? (await guard.faultOf(target, "page"));
    if (fault !== undefined) return refuse(fault);
    const judged = await guard.addressesOf(url);
    if (!judged.ok && judged.isRefused) return refuse(judged.reason);
    const proxy = upstream?.proxyFor(url) ?? ok(undefined);
    if (!proxy.ok) return refuse(proxy.error);
    if (upstream && proxy.value) {
      const { isByName } = upstream;
      const hint = isByName ? "" : " (a proxy that wants names needs browser.proxy_by_name)";
      const onFault = (reason: string) => onRefused({ url: target, reason: `${reason}${hint}` });
      // Only the name was checked, because only the user's proxy resolves it.
      if (judged.ok || isByName)
        return {
          ok: true,
          addresses: judged.ok ? judged.addresses : [],
          upstream: { url: proxy.value, isByName, onFault },
        };
      onFault(judged.reason);
    }
    if (judged.ok) return judged;
    return { ok: false, status: "502 Bad Gateway", text: `${judged.reason}\n` };
  } catch (thrown) {
    return { ok: false, status: "502 Bad Gateway", text: `${reasonOf(thrown)}\n` };
  }
}
