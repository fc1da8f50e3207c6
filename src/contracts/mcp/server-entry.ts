import type { JsonObject } from "../../base/json.ts";

/** The settings of one server (`mcp_servers.<name>`), validated, with expanded variables and defaults. Plain data. */
export interface McpServerEntry {
  readonly name: string;
  readonly target: McpTarget;
  readonly isEnabled: boolean;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How the protocol version is negotiated. */
  readonly protocol: "auto" | "stateless" | "legacy";
  /** If true, the server is connected only at the first call, provided that its tools are in the cache. */
  readonly isLazy: boolean;
  /** True if the server accepts parallel calls. */
  readonly isParallel: boolean;
  /** True if scripts of `execute_code` may call the server's tools. */
  readonly isForScripts?: boolean;
  readonly keepaliveMs: number;
  /** 0: never. */
  readonly idleMs: number;
  /** The maximum lifetime of a connection. 0: no limit. */
  readonly maxLifetimeMs: number;
  readonly trust: "full" | "untrusted";
  readonly sampling: SamplingSettings;
  readonly elicitation: { readonly isEnabled: boolean; readonly timeoutMs: number };
  readonly tools: {
    /**
     * Names or patterns of the tools to offer, as the server spells them. Undefined: all. Empty: none. Takes precedence
     * over `exclude`.
     */
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
  /** Environment variables in addition to the few that every server gets. */
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
  /** If false, the connection is opened without checking first whether the address is an MCP server. */
  readonly hasPreflight: boolean;
  readonly tls: {
    /**
     * Certificate verification. True: use the system's certificates. False: accept any certificate. A path: a file with
     * trusted certificates.
     */
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
  /** The URL of an OAuth client ID metadata document. */
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
  /** The port for the OAuth redirect. 0: any free port. */
  readonly redirectPort: number;
  readonly clientName: string;
  readonly timeoutMs: number;
}

export interface SamplingSettings {
  readonly isEnabled: boolean;
  readonly model?: string;
  /** The models that the server may use. Empty: every configured model. */
  readonly allowedModels: readonly string[];
  readonly maxTokens: number;
  readonly timeoutMs: number;
  readonly maxPerMinute: number;
  readonly maxToolRounds: number;
}

/** A configured server that cannot be used: the mistake in its settings and how to fix it. */
export interface McpEntryProblem {
  readonly name: string;
  readonly message: string;
}
