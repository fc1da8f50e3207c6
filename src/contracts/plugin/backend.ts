import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";

/** Features that several services can implement; the settings choose one by name. */
export const backendKinds = ["search", "extract", "browser", "image", "video", "speech", "transcription"] as const;
export type BackendKind = (typeof backendKinds)[number];

/**
 * A service that a plugin provides for a feature, such as a search engine or a voice. A built-in service with the same
 * name takes precedence.
 */
export interface Backend {
  /** A unique name: `KIND:ID`. */
  readonly name: string;
  readonly kind: BackendKind;
  /** The name used in the settings: `web.search_backend: ID`. */
  readonly id: string;
  readonly title: string;
  /** The hosts that the plugin of the service may reach. */
  readonly hosts?: readonly string[];
  /** Returns whether the service can be used now: its key is set, its program is installed. Never rejects. */
  isAvailable(signal: AbortSignal): Promise<boolean>;
  /** Runs the service. The input and result depend on the kind: docs/guide/plugins.md. Never rejects. */
  run(input: JsonObject, signal: AbortSignal): Promise<Result<JsonValue>>;
}

/** The servers that may receive the data of a request. */
export function backendTargets({ hosts = [] }: Backend): readonly ServiceTarget[] {
  return hosts.map((host) => ({ url: `https://${host.includes(":") ? `[${host}]` : host}/`, isGranted: true }));
}
