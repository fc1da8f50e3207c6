import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { plural } from "../../../base/text/text.ts";
import { keyText, parseKey } from "../../../config/keys/key-path.ts";
import { createValueMask } from "../../../config/keys/mask-values.ts";
import { isOriginalKey } from "../../../config/keys/original-keys.ts";
import { isEnvironmentName } from "../../../config/keys/secret-names.ts";
import type { LoadedConfig, ValueOrigin } from "../../../config/load.ts";
import { keyTree, leaves } from "../../../config/schema.ts";
import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { table } from "../table.ts";

/** Every value, or those of one key or section, with where it comes from. */
export function showConfig(
  config: LoadedConfig,
  key: string | undefined,
  onlyChanged: boolean,
  { paint, io }: CliContext,
): Reply {
  const wanted = key === undefined ? undefined : keyOf(key);
  const rows = rowsOf(config).filter(
    (row) => wanted === undefined || row.key === wanted || row.key.startsWith(`${wanted}.`),
  );
  if (rows.length === 0 && wanted !== undefined) throw unknown(config, wanted);
  const shown = rows.filter(({ origin }) => !onlyChanged || origin.from !== "default");
  const lines = shown.map(({ key: name, value, origin }) => {
    const text = shortOrigin(origin);
    return [name, origin.from === "default" ? paint.dim(text) : paint.accent(text), plain(value)];
  });
  const warnings = config.warnings.map((warning) => `${paint.warn("warning:")} ${warning}`);
  const head = `${paint.dim("home")} ${config.home.path}  ${paint.dim("profile")} ${config.home.profile}`;
  const hidden = rows.length - shown.length;
  const rest = hidden > 0 ? [paint.dim(`${plural(hidden, "setting")} with the default left out`)] : [];
  return {
    data: {
      home: config.home.path,
      profile: config.home.profile,
      settings: shown.map(({ key: name, value, origin }) => ({ key: name, value, origin: { ...origin } })),
      warnings: config.warnings,
    },
    text: [head, "", table(lines, io.columns), ...rest, ...warnings].join("\n"),
  };
}

/** One value, for scripts. */
export function getConfig(config: LoadedConfig, asked: string): Reply {
  const key = keyOf(asked);
  const show = createValueMask(config.secrets);
  if (isEnvironmentName(key)) {
    const value = config.secrets.get(key);
    if (value === undefined)
      throw new CommandFailed(`${key} is not set.`, `\`hermes config set ${key} VALUE\` sets it.`);
    const shown = show(key, value);
    return { data: { key, value: shown, origin: { from: "environment", name: key } }, text: plain(shown) };
  }
  // Masked as a whole: a word of a list is a secret when the one before it is `--token`.
  const masked = walk(show("", config.values), key) ?? unusedValue(config, key, show);
  if (masked === undefined) throw unknown(config, key);
  const origin = config.origins.get(key) ?? config.unused.get(key)?.origin;
  return {
    data: { key, value: masked, ...(origin === undefined ? {} : { origin: { ...origin } }) },
    text: plain(masked),
  };
}

/** Where a value comes from in a word or two; files of the home without their folder, which the head names. */
function shortOrigin(origin: ValueOrigin): string {
  switch (origin.from) {
    case "default":
    case "flag":
      return origin.from;
    case "environment":
      return `${origin.file === undefined ? "environment" : ".env"} ${origin.name}`;
    case "user file":
      return `config.yaml${origin.line === undefined ? "" : `:${origin.line}`}`;
    case "project file":
      return `project${origin.line === undefined ? "" : `:${origin.line}`}`;
  }
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

export function plain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Show = ReturnType<typeof createValueMask>;

interface Row {
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: ValueOrigin;
}

function rowsOf(config: LoadedConfig): readonly Row[] {
  const show = createValueMask(config.secrets);
  const used = [...config.origins].map(([key, origin]) => ({
    key,
    value: show(key, walk(config.values, key) ?? null),
    origin,
  }));
  const unused = [...config.unused].map(([key, { value, origin }]) => ({ key, value: show(key, value), origin }));
  const names = config.secrets.names.map(({ name, file }) => {
    const origin =
      file === undefined ? { from: "environment" as const, name } : { from: "environment" as const, name, file };
    return { key: name, value: "***", origin };
  });
  return [...used, ...unused, ...names];
}

function keyOf(text: string): string {
  const path = parseKey(text);
  if (!path.ok) throw new CommandFailed(`${path.error}.`, undefined, 2);
  return keyText(path.value);
}

function walk(start: JsonValue, key: string): JsonValue | undefined {
  const path = parseKey(key);
  let value: JsonValue | undefined = path.ok ? start : undefined;
  for (const step of path.ok ? path.value : []) {
    const isThere: boolean = typeof value === "object" && value !== null && Object.hasOwn(value, step);
    // Lists and sections are read the same way.
    value = isThere ? (value as JsonObject)[step] : undefined;
  }
  return value;
}

/** A value below an unused key, e.g. `terminal.backend` when the file has a `terminal` section. */
function unusedValue(config: LoadedConfig, key: string, show: Show): JsonValue | undefined {
  for (const [name, { value }] of config.unused) {
    const isBelow = key.startsWith(`${name}.`);
    if (name === key || isBelow) return walk({ found: show(name, value) }, `found${key.slice(name.length)}`);
  }
  return undefined;
}

function unknown(config: LoadedConfig, key: string): CommandFailed {
  const path = parseKey(key);
  if (path.ok && isOriginalKey(path.value))
    return new CommandFailed(`${key} is not set; this version does not use it.`);
  const names = new Set(
    [...leaves(keyTree())].flatMap(({ path: each }) => each.map((_, at) => each.slice(0, at + 1).join("."))),
  );
  for (const name of config.origins.keys()) names.add(name);
  return new CommandFailed(`There is no setting ${key}.`, didYouMean(key, names) || "`hermes config show` lists all.");
}
