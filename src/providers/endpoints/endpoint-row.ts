import type { ExternalProgram } from "../credentials/external-account.ts";
import type { SignIn } from "../credentials/sign-in/sign-in.ts";
import type { AuthStyle, AgentCommand, Protocol, Quirks } from "../endpoint.ts";

export interface EndpointRow {
  readonly id: string;
  readonly title: string;
  readonly aliases?: readonly string[];
  /** May contain `{region}`, `{project}` and `{host}`. Empty: the user sets the address. */
  readonly baseUrl: string;
  /** Undefined: derived from the address. */
  readonly protocol?: Protocol;
  /** Set for a local program instead of a server. */
  readonly program?: ProgramRow;
  /** Rules for models that differ; the first match wins. */
  readonly models?: readonly ModelRule[];
  /** Variables with a key; the first one set wins. */
  readonly keyVars: readonly string[];
  /** Variables with the path of a Google account file, the source of tokens. */
  readonly accountVars?: readonly string[];
  /** A program of the user whose sign-in is used when there is no key. */
  readonly externalProgram?: ExternalProgram;
  /** It accepts requests signed with AWS keys (`quirks.aws` is the scope). */
  readonly signs?: boolean;
  readonly signIn?: SignIn;
  /** Keys with this prefix are ignored, for the given reason. */
  readonly refusedKeys?: { readonly prefix: string; readonly why: string };
  /** Kinds of keys that are sent in another way. */
  readonly keyKinds?: readonly KeyKind[];
  /** The variable that overrides the address. Keys of `keyVars` may be sent there. */
  readonly baseUrlVar?: string;
  /** Its key may have another purpose, so a key alone does not select this provider. */
  readonly isExplicitOnly?: boolean;
  /** Works without a key. */
  readonly keyless?: boolean;
  /** Runs on the user's machine: slow starts are normal, and answers cost nothing. */
  readonly local?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  /** The model when only the provider is selected. */
  readonly defaultModel?: string;
  /** Models to show until the endpoint has listed its own. */
  readonly curated?: readonly string[];
  /** True if its models accept images. Undefined: depends on the known facts of the model. */
  readonly vision?: boolean;
  /** A cheap and fast model for auxiliary tasks. */
  readonly auxModel?: string;
  /** Undefined: `/models` below the base address. `none`: no list. */
  readonly modelsUrl?: string;
  /** Where a local server reports the context windows of its loaded models. */
  readonly windowsPath?: string;
  readonly signUpUrl?: string;
  /** Advice on how to get a key, besides the address. */
  readonly keyNote?: string;
  /** The provider's limit for context windows. */
  readonly maxContextTokens?: number;
  /** Paid by subscription: requests are free. */
  readonly subscription?: boolean;
  /** Its models are the presets of `moa`; there is no server. */
  readonly mixture?: boolean;
}

export interface ProgramRow extends AgentCommand {
  /** The variable that overrides the arguments. */
  readonly argsVar: string;
}

export interface KeyKind {
  readonly prefix: string;
  /** Undefined: as for all other keys. */
  readonly auth?: AuthStyle;
  /** Their address, instead of the provider's default. */
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
