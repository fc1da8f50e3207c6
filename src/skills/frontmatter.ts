import { once } from "../base/async/once.ts";
import { isObject } from "../base/json.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { cut, oneLine } from "../base/text/text.ts";
import type { SkillHead, SkillSetting, SkillVariable } from "../contracts/knowledge/skill.ts";

export const skillFile = "SKILL.md";

export const skillLimits = {
  nameChars: 64,
  descriptionChars: 1024,
  /** The maximum characters of a SKILL.md. */
  chars: 100_000,
  /** The maximum size of any other file. */
  fileBytes: 1_048_576,
} as const;

export interface SkillText {
  readonly head: SkillHead;
  /** Text after the frontmatter. */
  readonly body: string;
}

/**
 * Parses a SKILL.md leniently: missing fields and fields of another type are ignored. `folderName` replaces a missing
 * name. Fails if the frontmatter is missing or not YAML, or the name is invalid.
 */
export async function readSkillText(text: string, folderName: string): Promise<Result<SkillText, string>> {
  const parts = splitSkillText(text);
  if (!parts) return err(`it does not start with frontmatter between two lines of "---"`);
  const { parse } = await import("yaml");
  let tree: unknown;
  try {
    tree = parse(parts.yaml, { maxAliasCount: 20, logLevel: "error" });
  } catch (thrown) {
    return err(`its frontmatter is not valid YAML: ${oneLine(reasonOf(thrown), 200)}`);
  }
  if (!isObject(tree)) return err("its frontmatter is not a mapping of keys to values");
  const head = headOf(tree, folderName);
  if (head.name.length > skillLimits.nameChars || unusable().test(head.name))
    return err(
      `its name ${JSON.stringify(cut(head.name, 80))} cannot be used: one line, without / \\ and :, at most 64 characters`,
    );
  return ok({ head, body: parts.body });
}

/** Skill names appear in the prompt, in lists and in paths. */
const unusable = once(() => /^\.|[\p{C}\p{Zl}\p{Zp}/\\:]/u);

/** Splits frontmatter and body. Undefined if there is no frontmatter. */
export function splitSkillText(text: string): { readonly yaml: string; readonly body: string } | undefined {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/u.exec(text);
  return match ? { yaml: match[1] ?? "", body: match[2] ?? "" } : undefined;
}

/** Validates a SKILL.md before it is written. Stricter than reading, so that every host can load it. */
export async function skillTextFault(text: string, name: string): Promise<string | undefined> {
  if (text.length > skillLimits.chars)
    return `SKILL.md has ${text.length} characters; the maximum is ${skillLimits.chars}. Move parts to references/.`;
  if (!text.isWellFormed()) return "SKILL.md is not valid Unicode (half a surrogate pair).";
  const read = await readSkillText(text, "");
  if (!read.ok) return `SKILL.md: ${read.error}.`;
  const { head, body } = read.value;
  if (head.name !== name) return `SKILL.md says name: ${JSON.stringify(head.name)}; it must be ${name}.`;
  if (head.description === "") return "SKILL.md needs a description: what it is for and when to use it.";
  if (head.description.length > skillLimits.descriptionChars)
    return `The description has ${head.description.length} characters; the maximum is ${skillLimits.descriptionChars}.`;
  return body.trim() === "" ? "SKILL.md has no text after its frontmatter." : undefined;
}

export function skillNameFault(name: string): string | undefined {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/u.test(name) && !name.includes("..")
    ? undefined
    : `${JSON.stringify(name)} is not a valid skill name: use lower-case letters, digits, "-", "_" and ".", at most ${skillLimits.nameChars}.`;
}

export function categoryFault(category: string): string | undefined {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/iu.test(category)
    ? undefined
    : `${JSON.stringify(category)} is not a valid category: use one word of letters, digits, "-" and "_".`;
}

function headOf(tree: Readonly<Record<string, unknown>>, folderName: string): SkillHead {
  const meta = isObject(tree["metadata"]) ? tree["metadata"] : {};
  const hermes = isObject(meta["hermes"]) ? meta["hermes"] : {};
  const before = isObject(tree["prerequisites"]) ? tree["prerequisites"] : {};
  const from = (key: string) => hermes[key] ?? tree[key];
  const category = textOf(from("category"));
  return {
    name: textOf(tree["name"]) || folderName,
    description: oneLine(textOf(tree["description"]), skillLimits.descriptionChars * 4),
    ...optional("version", textOf(tree["version"] ?? meta["version"])),
    ...optional("license", textOf(tree["license"])),
    ...optional("author", textOf(tree["author"] ?? meta["author"])),
    tags: words(from("tags")),
    ...optional("category", category),
    relatedSkills: words(from("related_skills")),
    platforms: words(tree["platforms"]).map((each) => platformNames[each.toLowerCase()] ?? each.toLowerCase()),
    environments: words(tree["environments"]).map((each) => each.toLowerCase()),
    requiresToolsets: words(from("requires_toolsets")),
    requiresTools: words(from("requires_tools")),
    fallbackForToolsets: words(from("fallback_for_toolsets")),
    fallbackForTools: words(from("fallback_for_tools")),
    commands: words(before["commands"]),
    ...(from("mcp_servers") !== undefined && { mcpServers: words(from("mcp_servers")) }),
    variables: variablesOf(tree["required_environment_variables"], before["env_vars"], tree["setup"]),
    credentialFiles: credentialFilesOf(tree["required_credential_files"]),
    settings: settingsOf(hermes["config"]),
    allowedTools: words(tree["allowed-tools"], /[\s,]+/u),
  };
}

const platformNames: Readonly<Partial<Record<string, string>>> = { darwin: "macos", osx: "macos", win32: "windows" };

function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function optional<K extends string>(key: K, text: string): Partial<Record<K, string>> {
  // The cast is safe: the key belongs to the type.
  return (text === "" ? {} : { [key]: oneLine(text, 500) }) as Partial<Record<K, string>>;
}

function words(value: unknown, between: RegExp = /\s*,\s*/u): readonly string[] {
  const list = typeof value === "string" ? value.split(between) : Array.isArray(value) ? value : [];
  return list
    .map(textOf)
    .filter((word) => word !== "")
    .slice(0, 50);
}

function variablesOf(listed: unknown, names: unknown, setup: unknown): readonly SkillVariable[] {
  const collected = isObject(setup) ? setup["collect_secrets"] : undefined;
  const entries: readonly unknown[] = [...listOf(listed), ...listOf(collected), ...words(names)];
  const matches = entries.flatMap((entry): readonly SkillVariable[] => {
    const row = isObject(entry) ? entry : {};
    const name = textOf(typeof entry === "string" ? entry : (row["name"] ?? row["env_var"]));
    if (!/^[A-Za-z_]\w{0,127}$/u.test(name)) return [];
    return [
      {
        name,
        prompt: textOf(row["prompt"]) || `Value of ${name}`,
        ...optional("help", textOf(row["help"] ?? row["provider_url"])),
        ...optional("requiredFor", textOf(row["required_for"])),
        optional: row["optional"] === true,
      },
    ];
  });
  return [...new Map(matches.toReversed().map((each) => [each.name, each])).values()].toReversed().slice(0, 20);
}

function credentialFilesOf(value: unknown): SkillHead["credentialFiles"] {
  return listOf(value).flatMap((entry) => {
    const row = isObject(entry) ? entry : {};
    const path = textOf(typeof entry === "string" ? entry : row["path"]);
    return path === "" ? [] : [{ path, description: textOf(row["description"]) }];
  });
}

function settingsOf(value: unknown): readonly SkillSetting[] {
  return listOf(value).flatMap((entry): readonly SkillSetting[] => {
    const row = isObject(entry) ? entry : {};
    const key = textOf(row["key"]);
    if (!/^[\w.-]{1,100}$/u.test(key)) return [];
    return [
      {
        key,
        description: textOf(row["description"]) || textOf(row["prompt"]),
        ...optional("initial", textOf(row["default"])),
      },
    ];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 50) : [];
}
