import type { Result } from "../../base/result.ts";

/** The services to which the Nous tool gateway forwards requests, by its names for them. */
export type GatewayVendor = "firecrawl" | "fal-queue" | "openai-audio" | "browser-use" | "modal";

/** The address and key that replace those of a service with the same API. */
export interface GatewayAccess {
  readonly baseUrl: string;
  /** The token for `Authorization: Bearer`. */
  readonly token: string;
  /** True if an environment variable sets the address, so that it may be private. */
  readonly isNamedBySettings: boolean;
}

/** The Nous tool gateway as a source of credentials. */
export interface ToolGateway {
  /**
   * Returns whether an environment variable configures the gateway. If so, it may be used without `use_gateway` when no
   * key is set.
   */
  isSetUpFor(vendor: GatewayVendor): boolean;
  /** Never rejects. */
  access(vendor: GatewayVendor, signal: AbortSignal): Promise<Result<GatewayAccess>>;
}
