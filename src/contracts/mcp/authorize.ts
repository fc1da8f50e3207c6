import type { HttpTarget } from "./server-entry.ts";

/** The type of the platform's `fetch` if its first argument is a URL. */
export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Wraps the `fetch` of one server: adds the access token to requests, renews it when necessary, and sends it only to
 * the address for which it was issued. Rejects with `McpUnauthorized` when a person has to sign in.
 */
export type AuthorizeMcp = (server: string, target: HttpTarget, fetch: McpFetch) => McpFetch;

/**
 * Thrown by the wrapped `fetch` when signing in is necessary. The connection reports it as a fault of kind `auth` with
 * the same message.
 */
export class McpUnauthorized extends Error {
  override readonly name = "McpUnauthorized";
}
