import { isObject, isReservedName } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import { plainYaml } from "../../base/yaml/plain-yaml.ts";
import {
  type PluginKind,
  pluginKinds,
  type PluginManifest,
  type RequiredVariable,
} from "../../contracts/plugin/manifest.ts";
import { parsePermissions } from "../permissions.ts";

export const manifestFiles: readonly string[] = ["plugin.yaml", "plugin.yml"];
/** The manifest files of a hook folder, which has one function that handles events. */
export const hookFiles: readonly string[] = ["HOOK.yaml", "HOOK.yml"];

/** A manifest as written. `kind` is undefined if the file does not name it; then it is guessed from the code. */
export type WrittenManifest = Omit<PluginManifest, "kind"> & { readonly kind?: PluginKind };

/** Parses a `plugin.yaml`. A field of the wrong type counts as missing, except a field that grants permissions. */
export async function parseManifest(text: string, folderName: string): Promise<Result<WrittenManifest, string>> {
  // Loading the library takes a tenth of the time of `hermes tools list`.
  const plain = plainYaml(text);
  if (plain) return manifestOf(plain.tree, folderName);
  const { parse } = await import("yaml");
  let tree: unknown;
  try {
    tree = parse(text, { maxAliasCount: 20, logLevel: "error" });
  } catch (thrown) {
    return err(`is not valid YAML: ${oneLine(reasonOf(thrown), 200)}`);
  }
  // An empty file is valid: the folder's name and the defaults apply.
  if (tree !== null && tree !== undefined && !isObject(tree)) return err("is not a mapping of keys to values");
  return manifestOf(tree ?? {}, folderName);
}

export function manifestOf(
  tree: Readonly<Record<string, unknown>>,
  folderName: string,
): Result<WrittenManifest, string> {
  const name = textOf(tree["name"], 200) || folderName;
  if (!isPluginName(name)) return err(`has the name ${JSON.stringify(cut(name, 80))}: ${nameRule}`);
  const kind = textOf(tree["kind"], 40);
  const permissions = parsePermissions(tree["permissions"]);
  if (!permissions.ok) return err(`is not usable: ${permissions.error}`);
  const entry = textOf(tree["entry"], 1_000);
  return ok({
    name,
    version: textOf(tree["version"], 60),
    description: textOf(tree["description"], 1_000),
    author: isObject(tree["author"]) ? textOf(tree["author"]["name"], 200) : textOf(tree["author"], 200),
    ...(kind !== "" && { kind: pluginKinds.find((each) => each === kind.replaceAll("_", "-")) ?? "standalone" }),
    requiresEnv: variablesOf(tree["requires_env"]),
    ...(tree["permissions"] !== undefined && { permissions: permissions.value }),
    ...providedOf(tree),
    ...(entry !== "" && { entry }),
  });
}

/** Plugin names appear in settings, messages and paths. */
export function isPluginName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/u.test(name) && !isReservedName(name);
}

const nameRule = 'use letters, digits, ".", "_" and "-", at most 64, and no reserved word of JavaScript';

function variablesOf(value: unknown): readonly RequiredVariable[] {
  const list = Array.isArray(value) ? value.slice(0, 50) : typeof value === "string" ? [value] : [];
  const variables = list.flatMap((entry: unknown): readonly RequiredVariable[] => {
    const row = isObject(entry) ? entry : {};
    const name = textOf(typeof entry === "string" ? entry : row["name"], 128);
    if (!/^[A-Za-z_]\w*$/u.test(name)) return [];
    const prompt = textOf(row["prompt"] ?? row["description"], 500);
    const url = textOf(row["url"] ?? row["help_url"], 500);
    return [{ name, ...(prompt !== "" && { prompt }), ...(url !== "" && { url }) }];
  });
  return [...new Map(variables.map((each) => [each.name, each])).values()];
}

/** Reads `provides_tools: [a]`, or the older `provides: {tools: [a]}`. The value `true` names no tool. */
function providedOf(tree: Readonly<Record<string, unknown>>): Pick<PluginManifest, "provides"> {
  const older = isObject(tree["provides"]) ? tree["provides"] : {};
  const lists = ["tools", "hooks"].flatMap((kind) => {
    const value = tree[`provides_${kind}`] ?? older[kind] ?? (kind === "hooks" ? tree["events"] : undefined);
    const names = Array.isArray(value) ? value.map((each) => textOf(each, 80)).filter((each) => each !== "") : [];
    return names.length > 0 ? [[kind, names.slice(0, 50)] as const] : [];
  });
  return lists.length > 0 ? { provides: Object.fromEntries(lists) } : {};
}

/** One line of text. Numbers and booleans keep their YAML form (`version: 1.0`). */
function textOf(value: unknown, maxChars: number): string {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" ? oneLine(text.replaceAll(unprintable, " ").trim(), maxChars) : "";
}

/**
 * Manifest texts appear in approval questions, so characters that move the cursor or reverse the text direction are
 * removed.
 */
const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
