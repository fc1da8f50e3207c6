import type { ExternalProgram } from "../credentials/external-account.ts";
import type { SignIn } from "../credentials/sign-in/sign-in.ts";
import type { AuthStyle, AgentCommand, Protocol, Quirks } from "../endpoint.ts";

/** A provider as a row of data. */
export interface EndpointRow {
  readonly id: string;
  readonly title: string;
  readonly aliases?: readonly string[];
  /** `{region}`, `{project}` and `{host}` are filled in. Empty: the user names the address. */
  readonly baseUrl: string;
  /** Left out: as the address says. */
  readonly protocol?: Protocol;
  /** It is no server but a program that is started here. */
  readonly program?: ProgramRow;
  /** Models that differ; the first rule that fits counts. */
  readonly models?: readonly ModelRule[];
  /** Variables with a key, the first that is set counts. */
  readonly keyVars: readonly string[];
  /** Variables with the path of a Google account's file, which tokens are made from. */
  readonly accountVars?: readonly string[];
  /** A program of the user whose sign-in counts here, after all keys. */
  readonly externalProgram?: ExternalProgram;
  /** It takes requests that are signed with keys of AWS (`quirks.aws` says for what). */
  readonly signs?: boolean;
  /** How a person signs in there. */
  readonly signIn?: SignIn;
  /** Keys with this beginning belong elsewhere: they are left out, for the reason given. */
  readonly refusedKeys?: { readonly prefix: string; readonly why: string };
  /** Keys of one kind are sent otherwise than the rest. */
  readonly keyKinds?: readonly KeyKind[];
  /** The variable that names another address. What it names is a place that keys of `keyVars` may go to. */
  readonly baseUrlVar?: string;
  /** Its key may be there for another purpose: it does not choose this provider by itself. */
  readonly isExplicitOnly?: boolean;
  /** Answers without a key. */
  readonly keyless?: boolean;
  /** Runs on the user's own machine: slow starts are no failure, and what it says costs nothing. */
  readonly local?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  /** When only the provider is chosen. */
  readonly defaultModel?: string;
  /** Cheap and fast, for small tasks. */
  readonly auxModel?: string;
  /** Left out: `/models` below the base address. `none`: it has no list. */
  readonly modelsUrl?: string;
  /** Where a local server tells with which windows its models were loaded. */
  readonly windowsPath?: string;
  readonly signUpUrl?: string;
  /** What a person must know to get a key, beyond the address. */
  readonly keyNote?: string;
  /** It gives its models less than they have elsewhere. */
  readonly maxContextTokens?: number;
  /** Paid by a subscription: calls cost nothing more. */
  readonly subscription?: boolean;
  /** It is no server: its models are the presets of `moa`. */
  readonly mixture?: boolean;
}

export interface ProgramRow extends AgentCommand {
  /** The variable with other arguments. */
  readonly argsVar: string;
}

export interface KeyKind {
  readonly prefix: string;
  /** Left out: as all others. */
  readonly auth?: AuthStyle;
  /** Where they belong, in place of the provider's usual address. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ModelRule {
  /** A regular expression over the name of the model, without regard to case. */
  readonly match: string;
  readonly protocol?: Protocol;
  readonly baseUrl?: string;
  readonly quirks?: Quirks;
}
