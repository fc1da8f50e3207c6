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
  /** The server accepts parallel calls. */
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
    /** Names or patterns in the server's spelling. Undefined: all. Empty: none. Wins over `exclude`. */
    readonly include?: readonly string[];
    readonly exclude: readonly string[];
    /** Whether resources and prompts get their own tools. */
    readonly resources: boolean;
    readonly prompts: boolean;
  };
}

export type McpTarget = StdioTarget | HttpTarget;

export interface StdioTarget {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to the few that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Permissions in the form of a plugin's manifest. If set, the server runs in a sandbox with only these permissions.
   */
  readonly permissions?: JsonObject;
}

export interface HttpTarget {
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** False: connects without checking first whether the address is an MCP server. */
  readonly hasPreflight: boolean;
  readonly tls: {
    /** True: the system's check. False: accepts any certificate. A path: a file with trusted certificates. */
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

/** A server of the settings that cannot be used: what is wrong and what to do. */
export interface McpEntryProblem {
  readonly name: string;
  readonly message: string;
}
