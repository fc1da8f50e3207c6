import type { Result } from "../../base/result.ts";

/** Services to which the Nous tool gateway forwards requests, in its spelling. */
export type GatewayVendor = "firecrawl" | "fal-queue" | "openai-audio" | "browser-use" | "modal";

/** Replaces the address and the key of a service: its API is the same. */
export interface GatewayAccess {
  readonly baseUrl: string;
  /** The token for `Authorization: Bearer`. */
  readonly token: string;
  /** A variable names the address, so that it may be private. */
  readonly isNamedBySettings: boolean;
}

/** The Nous tool gateway as a source of credentials. */
export interface ToolGateway {
  /** Whether a variable configures it, so that it may be used without `use_gateway` if no key is set. */
  isSetUpFor(vendor: GatewayVendor): boolean;
  /** Never rejects. */
  access(vendor: GatewayVendor, signal: AbortSignal): Promise<Result<GatewayAccess>>;
}
