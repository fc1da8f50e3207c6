import type { ExternalProgram } from "../credentials/external-account.ts";
import type { SignIn } from "../credentials/sign-in/sign-in.ts";
import type { AuthStyle, AgentCommand, Protocol, Quirks } from "../endpoint.ts";

export interface EndpointRow {
  readonly id: string;
  readonly title: string;
  readonly aliases?: readonly string[];
  /** The base address. May contain `{region}`, `{project}` and `{host}`. Empty: the user must set it. */
  readonly baseUrl: string;
  /** The protocol. Undefined: derived from the address. */
  readonly protocol?: Protocol;
  /** Set for a local program instead of a server. */
  readonly program?: ProgramRow;
  /** Rules for models that need other quirks. The first match is used. */
  readonly models?: readonly ModelRule[];
  /** Environment variables that contain a key; the first one that is set is used. */
  readonly keyVars: readonly string[];
  /** Environment variables with the path of a Google account file, from which tokens are obtained. */
  readonly accountVars?: readonly string[];
  /** A program on this machine whose sign-in is used if there is no key. */
  readonly externalProgram?: ExternalProgram;
  /** True if the provider accepts requests signed with AWS keys (`quirks.aws` is the scope). */
  readonly signs?: boolean;
  readonly signIn?: SignIn;
  /** Keys with this prefix are ignored, for the given reason. */
  readonly refusedKeys?: { readonly prefix: string; readonly why: string };
  /** Kinds of keys that are sent in a different way. */
  readonly keyKinds?: readonly KeyKind[];
  /** The environment variable that overrides the address. Keys of `keyVars` may be sent to that address. */
  readonly baseUrlVar?: string;
  /** True if the key may have another purpose, so that a key alone does not select this provider. */
  readonly isExplicitOnly?: boolean;
  /** True if the provider works without a key. */
  readonly keyless?: boolean;
  /** True if the server runs on the user's machine: slow starts are normal, and answers cost nothing. */
  readonly local?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  /** The default model if only the provider is selected. */
  readonly defaultModel?: string;
  /** Models that are shown until the endpoint has listed its own. */
  readonly curated?: readonly string[];
  /** True if the provider's models accept images. Undefined: decided by the known facts of the model. */
  readonly vision?: boolean;
  /** A cheap and fast model for auxiliary tasks. */
  readonly auxModel?: string;
  /** The address of the model list. Undefined: `/models` below the base address. `none`: there is no list. */
  readonly modelsUrl?: string;
  /** The path at which a local server reports the context windows of its loaded models. */
  readonly windowsPath?: string;
  readonly signUpUrl?: string;
  /** Advice on how to get a key, in addition to the sign-up address. */
  readonly keyNote?: string;
  /** The largest context window that the provider supports. */
  readonly maxContextTokens?: number;
  /** True if a subscription covers the requests, so that they cost nothing. */
  readonly subscription?: boolean;
  /** True if the models are the presets of `moa`, so that there is no server. */
  readonly mixture?: boolean;
}

export interface ProgramRow extends AgentCommand {
  /** The variable that overrides the arguments. */
  readonly argsVar: string;
}

export interface KeyKind {
  readonly prefix: string;
  /** How keys of this kind are sent. Undefined: as other keys. */
  readonly auth?: AuthStyle;
  /** The address for keys of this kind, instead of the provider's default. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ModelRule {
  /** A case-insensitive regular expression for model names. */
  readonly match: string;
  readonly protocol?: Protocol;
  readonly baseUrl?: string;
  readonly quirks?: Quirks;
}
