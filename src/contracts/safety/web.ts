import type { Result } from "../../base/result.ts";

/**
 * Asks servers on the user's terms: every URL of a chain of redirects is judged, names are resolved once, and the
 * connection goes to an address that was judged.
 */
export interface Web {
  /** Never rejects. An answer with a bad status is an answer. */
  fetch(request: WebRequest, signal: AbortSignal): Promise<Result<WebAnswer, WebFault>>;
}

export interface WebRequest {
  readonly url: string;
  /** Left out: GET, or POST with a body. */
  readonly method?: string;
  /** To another host than the first one only those go that say nothing of who asks. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Of the body as it is read, decompressed. A longer one is a fault. */
  readonly maxBytes?: number;
  /** For everything: names, redirects and the whole body. */
  readonly timeoutMs?: number;
  readonly maxRedirects?: number;
}

export interface WebAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface WebFault {
  /** `blocked`: the user's rules forbid it; nothing was sent to that host. */
  readonly kind: "blocked" | "unreachable" | "redirects" | "too_large" | "timeout" | "aborted";
  readonly message: string;
}
