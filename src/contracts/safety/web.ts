import type { Result } from "../../base/result.ts";

/**
 * Fetches URLs under the user's rules: checks every URL of a redirect chain, resolves each name once, and connects only
 * to a checked address.
 */
export interface Web {
  /** Fetches a URL. Never rejects. A response with an error status is returned as a response. */
  fetch(request: WebRequest, signal: AbortSignal): Promise<Result<WebAnswer, WebFault>>;
}

/** A `Web` whose rules apply to other protocols too. */
export interface GuardedWeb extends Web {
  /**
   * Checks a URL that needs another protocol than HTTP, such as a WebSocket. Returns the checked addresses to connect
   * to; without any, a proxy resolves the name. Never rejects.
   */
  check(
    target: Pick<WebRequest, "url" | "trustedOrigin">,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], WebFault>>;
}

export interface WebRequest {
  readonly url: string;
  /** The HTTP method. Default: GET, or POST if there is a body. */
  readonly method?: string;
  /** On a redirect to another host, only headers that do not identify the caller are kept. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The maximum size of the decompressed body. A longer body is a fault. */
  readonly maxBytes?: number;
  /** The timeout for name resolution, redirects and the whole body. */
  readonly timeoutMs?: number;
  readonly maxRedirects?: number;
  /**
   * Returns why a redirect to this URL must not be followed, or undefined if it may. The rules of the user apply in any
   * case.
   */
  refusesRedirect?(target: URL): Promise<string | undefined>;
  /** An origin from the settings, which may have a private address. Other origins in a redirect chain may not. */
  readonly trustedOrigin?: string;
}

export interface WebAnswer {
  /** The final URL after redirects. */
  readonly url: string;
  readonly status: number;
  /** The response headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface WebFault {
  /** `blocked`: the user's rules forbid the URL; no request was sent to that host. */
  readonly kind: "blocked" | "unreachable" | "redirects" | "too_large" | "timeout" | "aborted";
  readonly message: string;
}
