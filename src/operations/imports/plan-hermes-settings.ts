import { isObject, type JsonValue } from "../../base/json.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { parseYaml } from "../../config/yaml/read-yaml.ts";
import type { ForeignTree } from "./foreign-tree.ts";
import type { ImportChoices, PlannedImport } from "./import-plan.ts";
import { envPlan } from "./planned-secrets.ts";

/**
 * Sections of config.yaml that cannot permit anything. The user must set the others (approvals, hooks, servers,
 * plugins, where commands run), because an imported file must not extend what may run.
 */
const importedSections: ReadonlySet<string> = new Set([
  "model",
  "model_aliases",
  "providers",
  "custom_providers",
  "fallback_providers",
  "provider_routing",
  "auxiliary",
  "moa",
  "agent",
  "display",
  "compression",
  "memory",
  "tts",
  "stt",
  "voice",
]);

/** Plans the import of SOUL.md, settings and keys of the Python version. */
export async function planHermesSettings(
  tree: ForeignTree,
  choices: ImportChoices,
  { values }: Pick<LoadedConfig, "values">,
): Promise<readonly PlannedImport[]> {
  const plan: PlannedImport[] = [];
  const soul = await tree.text("SOUL.md");
  const about = { name: "SOUL.md", from: `${tree.root}/SOUL.md` };
  if (soul?.ok && soul.value.trim() !== "") plan.push({ ...about, kind: "file", to: "SOUL.md", text: soul.value });
  else if (soul?.ok === false) plan.push({ ...about, kind: "other", skip: soul.error });
  const settings = await tree.text("config.yaml");
  const from = `${tree.root}/config.yaml`;
  const parsed = settings?.ok ? await parseYaml("config.yaml", Buffer.from(settings.value)) : undefined;
  if (settings?.ok === false) plan.push({ name: "settings", from, kind: "other", skip: settings.error });
  else if (parsed?.ok === false) plan.push({ name: "settings", from, kind: "other", skip: "it is not valid YAML" });
  else if (parsed) plan.push(...sectionsPlan(parsed.value.tree, from, values));
  const env = await tree.text(".env");
  if (env?.ok) plan.push(...envPlan(env.value, `${tree.root}/.env`, choices));
  return plan;
}

function sectionsPlan(
  tree: Readonly<Record<string, JsonValue>>,
  from: string,
  values: LoadedConfig["values"],
): readonly PlannedImport[] {
  const current = values as Readonly<Record<string, unknown>>;
  return Object.entries(tree).flatMap(([section, value]): readonly PlannedImport[] => {
    if (section.startsWith("_") || value === null) return [];
    const about = { name: `settings: ${section}`, from };
    if (!(section in current)) return [{ ...about, kind: "other", skip: "this version does not use it" }];
    if (!importedSections.has(section))
      return [{ ...about, kind: "other", skip: "set it here yourself: it decides what may run" }];
    const kept = usedKeys(value, current[section]);
    return kept === undefined ? [] : [{ ...about, kind: "setting", path: [section], value: kept }];
  });
}

/** Removes keys that this version does not use. A section without fixed keys may have any names. */
function usedKeys(value: JsonValue, current: unknown): JsonValue | undefined {
  if (!isObject(value) || !isObject(current) || Object.keys(current).length === 0) return value;
  const used = Object.entries(value).filter(([key, each]) => key in current && each !== null);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}
