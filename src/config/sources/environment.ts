import { join } from "node:path";

import { isObject, parseJson } from "../../base/json.ts";
import { type Env, type Home, homeFiles, tightenMode } from "../home.ts";
import { coerceSetting, coerceText } from "../keys/coerce.ts";
import { type KeyPath, keyText } from "../keys/key-path.ts";
import { checkValue } from "../keys/rule.ts";
import type { Problem } from "../problem.ts";
import { families, type Leaf, leaves, type Section } from "../schema.ts";
import { readBounded } from "../yaml/read-yaml.ts";
import { parseEnv } from "./dotenv.ts";
import { badValue, type LayerValue } from "./layer.ts";
import type { LayerValues, OriginOf } from "./merge.ts";

/** The process environment combined with the home's `.env`, which it overrides. */
export interface EnvironmentView {
  readonly env: Env;
  readonly file: string;
  /** Names whose value comes from the file. */
  readonly fromFile: ReadonlySet<string>;
  readonly faults: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Reads only the home's `.env`. Removes access of other users to it and reports that. */
export async function readEnvironmentView(home: Home, env: Env): Promise<EnvironmentView> {
  const file = join(home.path, homeFiles.env);
  const own = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  const none = { env: own, file, fromFile: new Set<string>(), faults: [], warnings: [] };
  const bytes = await readBounded(file);
  if (!bytes.ok) return { ...none, faults: [bytes.error] };
  if (bytes.value === undefined) return none;
  const { assignments, strange } = parseEnv(bytes.value.toString("utf8"));
  const added = assignments.filter(({ name }) => own[name] === undefined && name !== "HERMES_HOME");
  const loose = [tightenMode(home.path, 0o700), tightenMode(file, 0o600)];
  return {
    env: { ...Object.fromEntries(added.map(({ name, value }) => [name, value])), ...own },
    file,
    fromFile: new Set(added.map(({ name }) => name)),
    faults: [],
    warnings: [
      ...strange.map((line) => ({ file, line, message: "is not of the form NAME=value and is ignored" })),
      ...loose.filter((message) => message !== undefined).map((message) => ({ message })),
    ],
  };
}

/** The settings from environment variables. An empty value sets nothing. */
export function environmentLayer(
  root: Section,
  view: EnvironmentView,
  hide: (text: string) => string,
): {
  readonly values: LayerValues;
  readonly origin: OriginOf;
  readonly faults: Problem[];
  readonly warnings: Problem[];
} {
  const values = new Map<string, LayerValue>();
  const names = new Map<string, string>();
  const faults: Problem[] = [];
  const warnings: Problem[] = [];

  function refuse(name: string, path: KeyPath, isSafety: boolean, message: string): void {
    const problem = { key: `${name} (${keyText(path)})`, message };
    if (isSafety) faults.push(problem);
    else warnings.push({ ...problem, hint: "the variable is ignored" });
  }

  function take(name: string, path: KeyPath, leaf: Leaf, value: unknown, text: string): void {
    const key = keyText(path);
    names.set(key, name);
    const verdict = checkValue(leaf.rule, value);
    if (verdict.ok) values.set(key, { path, leaf, value: verdict.value });
    else refuse(name, path, leaf.safety, badValue(leaf, path, text, verdict.error, hide));
  }

  for (const { path, leaf } of leaves(root)) {
    const text = leaf.env === undefined ? undefined : view.env[leaf.env];
    if (leaf.env === undefined || text === undefined || text.trim() === "") continue;
    take(leaf.env, path, leaf, coerceText(leaf, text), text);
  }
  for (const { path, family } of families(root)) {
    const { env: name, each, safety } = family;
    const text = name === undefined ? undefined : view.env[name];
    if (name === undefined || each.kind !== "leaf" || text === undefined || text.trim() === "") continue;
    const read = parseJson(text, familyLimits);
    if (!read.ok || !isObject(read.value)) {
      refuse(name, path, safety, "must be a JSON object of names and values");
      continue;
    }
    for (const [entry, value] of Object.entries(read.value)) {
      const entryPath = [...path, entry];
      if (checkValue(family.names, entry).ok) take(name, entryPath, each, coerceSetting(each, value), text);
      else refuse(name, entryPath, safety, "is not a usable name");
    }
  }
  const origin: OriginOf = (key) => {
    const name = names.get(key) ?? "";
    return view.fromFile.has(name) ? { from: "environment", name, file: view.file } : { from: "environment", name };
  };
  return { values, origin, faults, warnings };
}

const familyLimits = { maxDepth: 4, maxChars: 200_000 };
