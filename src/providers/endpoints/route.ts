import type { HttpTimeouts } from "../../base/http/http-timeouts.ts";
import type { ExternalProgram } from "../credentials/external-account.ts";
import type { AgentCommand, Protocol, Quirks } from "../endpoint.ts";
import type { KeyKind } from "./endpoint-row.ts";
import type { MixturePreset } from "./model-settings.ts";

/** One model at one address: what is needed to ask it, but for the key. */
export interface Route {
  /** A row's id, or `custom:NAME`. */
  readonly providerId: string;
  readonly model: string;
  readonly protocol: Protocol | "acp" | "moa";
  readonly baseUrl: string;
  /** What is started in place of a server: there where the protocol is `acp`. */
  readonly program?: AgentCommand;
  /** What is asked in place of a server: there where the protocol is `moa`. */
  readonly mixture?: MixturePreset;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: Quirks;
  readonly timeouts: Partial<HttpTimeouts>;
  readonly keys: KeyPolicy;
  /** Where it lists its models; left out: nowhere. */
  readonly modelsUrl?: string;
  /** Below the same host: with which windows its models were loaded. */
  readonly windowsPath?: string;
  /** On the user's own machine or network. */
  readonly local: boolean;
  readonly subscription: boolean;
  readonly maxContextTokens?: number;
  /** How it was chosen, for a person: "as asked", "by the settings", "OPENAI_API_KEY is set". */
  readonly chosen: string;
}

/** Which keys may be sent to the address of a route. */
export interface KeyPolicy {
  /** Given for this very address: the key itself, or the variable that holds it. They come first. */
  readonly given: readonly ({ readonly key: string } | { readonly variable: string })[];
  /** Variables of the provider: empty where the address is not the provider's own. */
  readonly variables: readonly string[];
  /** Variables with the path of a Google account's file. */
  readonly accounts?: readonly string[];
  readonly externalProgram?: ExternalProgram;
  /** Keys of AWS count. */
  readonly signs?: boolean;
  readonly kinds?: readonly KeyKind[];
  readonly refused?: { readonly prefix: string; readonly why: string };
  /** Origins that stored keys without an address of their own belong to. */
  readonly home: readonly string[];
  /** It may be asked without a key. */
  readonly keyless: boolean;
  /** How to get one. */
  readonly advice: string;
  /** What a person must know of keys there; told when one is refused. */
  readonly note?: string;
}

/** The model that is built in. */
export const offlineId = "offline";

export function routeName({ providerId, model }: Pick<Route, "providerId" | "model">): string {
  return providerId.startsWith("custom:") ? `${providerId}:${model}` : `${providerId}/${model}`;
}

/** Protocol, host and port; empty for what is no address. */
export function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === "null" ? "" : parsed.origin;
}

/** Loopback, private networks, and names that only exist there. */
export function isLocalAddress(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return (
    /^(?:localhost|host\.docker\.internal|\[::1\]|.*\.(?:local|lan|internal|home\.arpa))$/u.test(host) ||
    /^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/u.test(
      host,
    ) ||
    /^\[f[cd][\da-f]{2}:/u.test(host)
  );
}
