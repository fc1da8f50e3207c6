import type { JsonObject, JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { keyText, parseKey } from "../../config/keys/key-path.ts";
import { createValueMask } from "../../config/keys/mask-values.ts";
import { isOriginalKey } from "../../config/keys/original-keys.ts";
import { isEnvironmentName } from "../../config/keys/secret-names.ts";
import type { LoadedConfig, ValueOrigin } from "../../config/load.ts";
import { keyTree, leaves } from "../../config/schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";

/** A setting with its masked value. */
export interface SettingValue {
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: ValueOrigin;
}

/** All settings, or those of one key or section. */
export function settingValues(
  config: LoadedConfig,
  key: string | undefined,
): Result<readonly SettingValue[], OperationFault> {
  if (key === undefined) return ok(allValues(config));
  const name = canonicalKey(key);
  if (!name.ok) return name;
  const values = allValues(config).filter((row) => row.key === name.value || row.key.startsWith(`${name.value}.`));
  return values.length > 0 ? ok(values) : err(unknownKey(config, name.value));
}

/** One value or section, masked. */
export function settingValue(
  config: LoadedConfig,
  key: string,
): Result<Omit<SettingValue, "origin"> & Partial<SettingValue>, OperationFault> {
  const parsed = canonicalKey(key);
  if (!parsed.ok) return parsed;
  const name = parsed.value;
  const mask = createValueMask(config.secrets);
  if (isEnvironmentName(name)) {
    const value = config.secrets.get(name);
    return value === undefined
      ? err({ message: `${name} is not set.`, hint: `\`hermes config set ${name} VALUE\` sets it.` })
      : ok({ key: name, value: mask(name, value), origin: { from: "environment", name } });
  }
  // Masks the whole list at once, because an item is a secret if the previous one is `--token`.
  const value = valueAt(mask("", config.values), name) ?? unusedValue(config, name, mask);
  if (value === undefined) return err(unknownKey(config, name));
  const origin = config.origins.get(name) ?? config.unused.get(name)?.origin;
  return ok({ key: name, value, ...(origin && { origin }) });
}

export function originText(origin: ValueOrigin): string {
  switch (origin.from) {
    case "default":
    case "flag":
      return origin.from;
    case "environment":
      return origin.file === undefined ? `environment ${origin.name}` : `environment ${origin.name} (${origin.file})`;
    case "user file":
    case "project file":
      return `${origin.from} ${origin.file}${origin.line === undefined ? "" : `:${origin.line}`}`;
  }
}

type Mask = ReturnType<typeof createValueMask>;

function allValues(config: LoadedConfig): readonly SettingValue[] {
  const mask = createValueMask(config.secrets);
  const used = [...config.origins].map(([key, origin]) => ({
    key,
    value: mask(key, valueAt(config.values, key) ?? null),
    origin,
  }));
  const unused = [...config.unused].map(([key, { value, origin }]) => ({ key, value: mask(key, value), origin }));
  const secrets = config.secrets.names.map(({ name, file }) => ({
    key: name,
    value: "***",
    origin: { from: "environment" as const, name, ...(file !== undefined && { file }) },
  }));
  return [...used, ...unused, ...secrets];
}

function canonicalKey(text: string): Result<string, OperationFault> {
  const path = parseKey(text);
  return path.ok ? ok(keyText(path.value)) : err({ message: `${path.error}.`, kind: "input" });
}

function valueAt(start: JsonValue, key: string): JsonValue | undefined {
  const path = parseKey(key);
  let value: JsonValue | undefined = path.ok ? start : undefined;
  for (const step of path.ok ? path.value : []) {
    const exists: boolean = typeof value === "object" && value !== null && Object.hasOwn(value, step);
    // Lists and sections are read in the same way.
    value = exists ? (value as JsonObject)[step] : undefined;
  }
  return value;
}

/** A value below an unused key, such as `terminal.backend` of an unused section `terminal`. */
function unusedValue(config: LoadedConfig, key: string, mask: Mask): JsonValue | undefined {
  for (const [name, { value }] of config.unused) {
    if (name === key || key.startsWith(`${name}.`)) {
      return valueAt({ value: mask(name, value) }, `value${key.slice(name.length)}`);
    }
  }
  return undefined;
}

function unknownKey(config: LoadedConfig, key: string): OperationFault {
  const path = parseKey(key);
  if (path.ok && isOriginalKey(path.value)) return { message: `${key} is not set; this version does not use it.` };
  const names = new Set(
    [...leaves(keyTree())].flatMap(({ path: steps }) => steps.map((_, index) => steps.slice(0, index + 1).join("."))),
  );
  for (const name of config.origins.keys()) names.add(name);
  return { message: `There is no setting ${key}.`, hint: didYouMean(key, names) || "`hermes config show` lists all." };
}
