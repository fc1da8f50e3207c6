import type { JsonObject } from "../../base/json.ts";

/** One server of the settings (`mcp_servers.<name>`): checked, variables expanded, defaults filled in. Plain data. */
export interface McpServerEntry {
  readonly name: string;
  readonly target: McpTarget;
  readonly isEnabled: boolean;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How the protocol version is negotiated. */
  readonly protocol: "auto" | "stateless" | "legacy";
  /** Connects at the first call if its tools are known from the cache. */
  readonly isLazy: boolean;
  /** The server takes several calls at once. */
  readonly isParallel: boolean;
  /** Scripts of `execute_code` may call its tools. */
  readonly isForScripts?: boolean;
  readonly keepaliveMs: number;
  /** 0: never. */
  readonly idleMs: number;
  /** 0: no limit. */
  readonly maxLifetimeMs: number;
  readonly trust: "full" | "untrusted";
  readonly sampling: SamplingSettings;
  readonly elicitation: { readonly isEnabled: boolean; readonly timeoutMs: number };
  readonly tools: {
    /** Names or patterns as the server spells them. Undefined: all. Empty: none. Beats `exclude`. */
    readonly include?: readonly string[];
    readonly exclude: readonly string[];
    /** Whether resources and prompts have tools of their own. */
    readonly resources: boolean;
    readonly prompts: boolean;
  };
}

export type McpTarget = StdioTarget | HttpTarget;

export interface StdioTarget {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Variables beside the few that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  /** In the form of a plugin's manifest. Set: the server runs in a sandbox and may do only this. */
  readonly permissions?: JsonObject;
}

export interface HttpTarget {
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** False: connects without looking first whether the address answers as an MCP server. */
  readonly hasPreflight: boolean;
  readonly tls: {
    /** True: as the system does. False: any certificate. A path: a file with certificates to trust. */
    readonly verify: boolean | string;
    readonly cert?: string;
    readonly key?: string;
    readonly keyPassword?: string;
  };
  readonly oauth?: OAuthSettings;
}

export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The address of a client id metadata document. */
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
  /** 0: any free port. */
  readonly redirectPort: number;
  readonly clientName: string;
  readonly timeoutMs: number;
}

export interface SamplingSettings {
  readonly isEnabled: boolean;
  readonly model?: string;
  /** Empty: every configured model. */
  readonly allowedModels: readonly string[];
  readonly maxTokens: number;
  readonly timeoutMs: number;
  readonly maxPerMinute: number;
  readonly maxToolRounds: number;
}

/** A server of the settings that cannot be used, and why: what is wrong and what to do. */
export interface McpEntryProblem {
  readonly name: string;
  readonly message: string;
}
