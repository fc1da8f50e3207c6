import type { SpeechDeps } from "./speech-deps.ts";

/** A service with an HTTP API and a key. */
export interface ServiceAddress {
  readonly name: string;
  /** Environment variables for the key; the first one that is set wins. */
  readonly keyVars: readonly string[];
  readonly baseUrl: string;
  /** The address in the settings, or empty. */
  readonly ownUrl: string;
}

/** How requests reach a service. */
export interface ServiceAccess {
  readonly base: string;
  readonly keyVar: string;
  readonly isNamedBySettings: boolean;
  key(): string | undefined;
  /** Returns why the service cannot be used. */
  missing(): string | undefined;
}

export function serviceAccess(
  { keyVars, baseUrl, ownUrl }: ServiceAddress,
  { secret }: Pick<SpeechDeps, "secret">,
): ServiceAccess {
  const [keyVar = ""] = keyVars;
  const key = () => keyVars.map(secret).find((value) => value !== undefined && value !== "");
  return {
    base: (ownUrl || baseUrl).replace(/\/+$/u, ""),
    keyVar,
    isNamedBySettings: ownUrl !== "",
    key,
    missing: () => (key() === undefined ? `it needs a key: hermes config set ${keyVar} …` : undefined),
  };
}
