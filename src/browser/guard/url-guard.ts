import type { LookupAddress } from "node:dns";

/** The user's URL rules in the form that the browser needs. */
export interface UrlGuard {
  /**
   * Returns why a URL may not be requested, judged by its text alone. `caller` means that a caller names the URL;
   * `page` that the page requests it through a redirect, a script, a popup or a resource.
   */
  faultOf(url: string, by: "caller" | "page"): Promise<string | undefined>;
  /** The addresses of the host that a connection may use, or the reason why there are none. */
  addressesOf(url: URL): Promise<GuardedAddresses>;
}

export type GuardedAddresses =
  | { readonly ok: true; readonly addresses: readonly LookupAddress[] }
  /** `isRefused` false: the name has no address. */
  | { readonly ok: false; readonly isRefused: boolean; readonly reason: string };

/** A request that the guard did not allow. */
export interface GuardRefusal {
  /** The URL, without a path if the guard saw only the host. */
  readonly url: string;
  readonly reason: string;
}

/** URL schemes that a page shows without a request. */
export function isShownLocally(url: string): boolean {
  return /^(?:about:(?:blank|srcdoc)|data:|blob:)/iu.test(url) || url === "";
}

/** Ports that web servers do not use: a request there reaches mail, chat, databases or remote shells. */
export function portFault(port: number): string | undefined {
  if (port === 80 || port === 443 || (port >= 1_024 && !otherServices.has(port)) || port === 81 || port === 591)
    return undefined;
  return `port ${port} is not a port of web servers`;
}

const otherServices: ReadonlySet<number> = new Set([
  1080, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 3128, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080, 11_211, 27_017,
]);
