import { sha256 } from "../../base/digest.ts";
import type { JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type LoadedConfig, readSettings, refusedKeys } from "../load.ts";
import { type ConfigFault, problemText } from "../problem.ts";
import { keyTree } from "../schema.ts";
import { parseYaml, readBounded } from "../yaml/read-yaml.ts";
import { isSameValue, tighten } from "./tighten.ts";

/** The effect of trusting a project file, and the hash of the bytes that it was computed from. */
export interface ProjectPreview {
  readonly sha256: string;
  readonly changes: readonly { readonly key: string; readonly from: JsonValue; readonly to: JsonValue }[];
  /** Refused values and problems. */
  readonly refused: readonly string[];
}

/** Reads an untrusted project file for display. Returns an error if its content must not be trusted. */
export async function previewProject(config: LoadedConfig, file: string): Promise<Result<ProjectPreview, ConfigFault>> {
  const bytes = await readBounded(file);
  if (!bytes.ok) return err({ problems: [bytes.error] });
  if (bytes.value === undefined) return err({ problems: [{ file, message: "does not exist" }] });
  const yaml = await parseYaml(file, bytes.value);
  if (!yaml.ok) return err({ problems: yaml.error });
  const layer = readSettings(keyTree(), yaml.value);
  if (layer.faults.length > 0) return err({ problems: layer.faults });
  const changes: { key: string; from: JsonValue; to: JsonValue }[] = [];
  const refused = [...layer.warnings, ...refusedKeys(layer, yaml.value)].map(problemText);
  for (const [key, { path, leaf, value }] of layer.values) {
    const current = path.reduce<unknown>(
      (node, step) => (node as Record<string, unknown> | undefined)?.[step],
      config.values,
    );
    const verdict = tighten(leaf, current, value);
    if (!verdict.ok) refused.push(`${key}: ${verdict.error}`);
    // Leaves contain JSON values.
    else if (!isSameValue(current, verdict.value))
      changes.push({ key, from: (current ?? null) as JsonValue, to: verdict.value as JsonValue });
  }
  return ok({ sha256: sha256(bytes.value), changes, refused });
}
