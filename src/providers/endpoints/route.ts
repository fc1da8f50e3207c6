import type { HttpTimeouts } from "../../base/http/http-timeouts.ts";
import type { ExternalProgram } from "../credentials/external-account.ts";
import type { AgentCommand, Protocol, Quirks } from "../endpoint.ts";
import type { KeyKind } from "./endpoint-row.ts";
import type { MixturePreset } from "./model-settings.ts";

/** One model at one address, with everything that a request needs except the key. */
export interface Route {
  /** The id of a provider row, or `custom:NAME`. */
  readonly providerId: string;
  readonly model: string;
  readonly protocol: Protocol | "acp" | "moa";
  readonly baseUrl: string;
  /** The program to start. Set if the protocol is `acp`. */
  readonly program?: AgentCommand;
  /** The preset of the mixture. Set if the protocol is `moa`. */
  readonly mixture?: MixturePreset;
  readonly headers: Readonly<Record<string, string>>;
  readonly quirks: Quirks;
  readonly timeouts: Partial<HttpTimeouts>;
  readonly keys: KeyPolicy;
  /** The address of the model list. Undefined: there is none. */
  readonly modelsUrl?: string;
  /** A path on the same host that reports the context windows of loaded models. */
  readonly windowsPath?: string;
  /** True if the server is on the user's own machine or network. */
  readonly local: boolean;
  readonly subscription: boolean;
  readonly maxContextTokens?: number;
  /** True if the provider's models accept images. Undefined: decided by the known facts of the model. */
  readonly vision?: boolean;
  /** Why it was selected, as text for the user: "as requested", "by the settings", "OPENAI_API_KEY is set". */
  readonly chosen: string;
}

/** Which keys may be sent to the address of a route. */
export interface KeyPolicy {
  /** Keys for exactly this address, or the variables that contain them. They are used first. */
  readonly given: readonly ({ readonly key: string } | { readonly variable: string })[];
  /** The provider's key variables. Empty if the address is not the provider's own. */
  readonly variables: readonly string[];
  /** Variables with the path of a Google account's file. */
  readonly accounts?: readonly string[];
  readonly externalProgram?: ExternalProgram;
  /** True if AWS keys may sign the requests. */
  readonly signs?: boolean;
  readonly kinds?: readonly KeyKind[];
  readonly refused?: { readonly prefix: string; readonly why: string };
  /** Origins to which stored keys without their own address are sent. */
  readonly home: readonly string[];
  /** True if the route works without a key. */
  readonly keyless: boolean;
  /** Tells the user how to get a key. */
  readonly advice: string;
  /** Advice about keys, shown when one is rejected. */
  readonly note?: string;
}

/** The built-in model. */
export const offlineId = "offline";

export function routeName({ providerId, model }: Pick<Route, "providerId" | "model">): string {
  return providerId.startsWith("custom:") ? `${providerId}:${model}` : `${providerId}/${model}`;
}

/** Returns protocol, host and port of an address; empty if it is invalid. */
export function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === "null" ? "" : parsed.origin;
}
