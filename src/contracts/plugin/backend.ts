import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";

/** Features with several services, of which the settings choose one by name. */
export const backendKinds = ["search", "extract", "browser", "image", "video", "speech", "transcription"] as const;
export type BackendKind = (typeof backendKinds)[number];

/** A service for a feature that a plugin provides: another search engine, another voice. A built-in name wins. */
export interface Backend {
  /** A unique name: `KIND:ID`. */
  readonly name: string;
  readonly kind: BackendKind;
  /** The name used in the settings: `web.search_backend: ID`. */
  readonly id: string;
  readonly title: string;
  /** Hosts that its plugin may reach. */
  readonly hosts?: readonly string[];
  /** Whether it can be used now: its key is set, its program is there. Never rejects. */
  isAvailable(signal: AbortSignal): Promise<boolean>;
  /** Input and result depend on the kind: docs/guide/plugins.md. Never rejects. */
  run(input: JsonObject, signal: AbortSignal): Promise<Result<JsonValue>>;
}

/** The servers that may get the data of a request. */
export function backendTargets({ hosts = [] }: Backend): readonly ServiceTarget[] {
  return hosts.map((host) => ({ url: `https://${host.includes(":") ? `[${host}]` : host}/`, isGranted: true }));
}
