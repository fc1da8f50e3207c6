import type { Result } from "../../base/result.ts";

/**
 * Fetches URLs under the user's rules: checks every URL of a redirect chain, resolves each name once, and connects only
 * to a checked address.
 */
export interface Web {
  /** Never rejects. A response with an error status is returned as a response. */
  fetch(request: WebRequest, signal: AbortSignal): Promise<Result<WebAnswer, WebFault>>;
}

export interface WebRequest {
  readonly url: string;
  /** Default: GET, or POST with a body. */
  readonly method?: string;
  /** On a redirect to another host, only headers that do not identify the caller are kept. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Maximum of the decompressed body. A longer one is a fault. */
  readonly maxBytes?: number;
  /** Covers name resolution, redirects and the whole body. */
  readonly timeoutMs?: number;
  readonly maxRedirects?: number;
  /** Why a redirect to this URL is not followed. Undefined: it is. The rules of the user apply in any case. */
  refusesRedirect?(target: URL): Promise<string | undefined>;
  /** An origin that the settings name: its addresses may be private. Other origins of a redirect chain may not. */
  readonly trustedOrigin?: string;
}

export interface WebAnswer {
  /** The final URL after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface WebFault {
  /** `blocked`: the user's rules forbid it; nothing was sent to that host. */
  readonly kind: "blocked" | "unreachable" | "redirects" | "too_large" | "timeout" | "aborted";
  readonly message: string;
}
