import type { HttpTarget } from "./server-entry.ts";

/** The platform's `fetch`, with an address as its first argument. */
export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Wraps the fetch of one server: requests contain the token of its sign-in, which is renewed when necessary and sent
 * only to the address that it was issued for. The result rejects with `McpUnauthorized` when a person has to sign in.
 */
export type AuthorizeMcp = (server: string, target: HttpTarget, fetch: McpFetch) => McpFetch;

/** A connection gets this from its fetch and reports it as a fault of the kind `auth`, with the same message. */
export class McpUnauthorized extends Error {
  override readonly name = "McpUnauthorized";
}
