import { isAbsolute, normalize, resolve } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { checkJson, isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { hookFacts } from "../../contracts/host/hook.ts";
import { backendKinds } from "../../contracts/plugin/backend.ts";
import {
  type AuxiliaryTaskRegistration,
  type BackendRegistration,
  type CommandRegistration,
  handlerHook,
  type HookRegistration,
  type MiddlewareKind,
  middlewareKinds,
  type PlatformRegistration,
  type PluginRegistration,
  type PromptSectionRegistration,
  type ProviderRegistration,
  type SkillRegistration,
  type ToolRegistration,
} from "../../contracts/plugin/registration.ts";
import { toolNamePattern } from "../../contracts/tool/define-tool.ts";
import { isJsonList, type PartReader, partReader, type TextRule, WrongPart } from "./read-parts.ts";
import { readUi } from "./read-ui.ts";

/**
 * Validates the answer of a plugin's process to `load`, or its copy in the plugin index. The answer may contain
 * anything: an invalid part is dropped with a warning, and the other parts are kept. Never throws.
 */
export function readRegistration(value: unknown, folder: string): Result<PluginRegistration, string> {
  const checked = checkJson(value, { maxChars: maxRegistrationChars, maxDepth: 100 });
  if (!checked.ok) return err(`The registration cannot be used: ${checked.error}`);
  if (!isObject(checked.value)) return err("The registration cannot be used: it is not an object");
  // The cast is safe: the object is part of checked JSON.
  const given = checked.value;
  const warnings = readNotes(given["warnings"]);

  function parts<T>(kind: keyof PluginRegistration, read: (part: PartReader) => T, nameOf: (part: T) => string): T[] {
    const list = given[kind] ?? [];
    if (!isJsonList(list)) {
      warnings.push(`${kind} must be a list and is ignored`);
      return [];
    }
    if (list.length > maxParts)
      warnings.push(`${kind} has ${list.length} entries; only the first ${maxParts} are used`);
    const byName = new Map<string, T>();
    for (const [index, item] of list.slice(0, maxParts).entries()) {
      const part = readOne(item, read);
      if (!part.ok) {
        warnings.push(`${kind}: ${labelOf(item, index)} is ignored: ${part.error}`);
        continue;
      }
      const name = nameOf(part.value);
      if (byName.has(name)) warnings.push(`${kind}: ${name} is registered twice; the last one is used`);
      byName.set(name, part.value);
    }
    return [...byName.values()];
  }

  const registration: PluginRegistration = {
    tools: parts("tools", readTool, named),
    toolsets: parts("toolsets", readToolset, named),
    hooks: parts("hooks", readHook, identified),
    middleware: parts("middleware", readMiddleware, identified),
    commands: parts("commands", readCommand, named),
    cliCommands: parts("cliCommands", readCliCommand, named),
    providers: parts("providers", readProvider, named),
    environments: parts("environments", readIdentified, named),
    platforms: parts("platforms", readPlatform, named),
    policies: parts("policies", readIdentified, identified),
    skills: parts("skills", (part) => readSkill(part, folder), named),
    promptSections: withinTotal(parts("promptSections", readSection, identified), warnings),
    contextEngines: parts("contextEngines", readObject, named),
    memoryProviders: parts("memoryProviders", readObject, named),
    secretSources: parts("secretSources", readIdentified, named),
    backends: parts("backends", readBackend, ({ kind, name }) => `${kind} ${name}`),
    auxiliaryTasks: parts("auxiliaryTasks", readAuxiliaryTask, ({ key }) => key),
    ui: parts("ui", readUi, ({ kind, name }) => `${kind} ${name}`),
    unsupported: parts("unsupported", readUnsupported, ({ member, detail }) => `${member} ${detail}`),
    warnings: [],
  };
  return ok({ ...registration, warnings: warnings.slice(0, maxParts) });
}

const maxRegistrationChars = 4_000_000;
const maxSchemaChars = 1_000_000;
/** The maximum number of entries of one kind. */
const maxParts = 500;
const maxSections = 32;
const maxSectionChars = 4000;
/** The maximum characters of all prompt sections of a plugin together. */
export const maxAllSectionChars = 8000;

const description: TextRule = { maxChars: 20_000, fallback: "" };
/** Text of one line, for a terminal. */
const summary: TextRule = {
  maxChars: 500,
  fallback: "",
  rewrite: (text) => oneLine(text.replaceAll(/\p{Cc}+/gu, " "), 500),
};
const word: TextRule = { pattern: /^[\w.:/-]{1,128}$/u, form: "1 to 128 letters, digits, or any of _ . : / -" };
const id: TextRule = { maxChars: 200, pattern: /^\S+$/u, form: "text without spaces" };
const envName: TextRule = { pattern: /^[A-Za-z_]\w{0,127}$/u, form: "the name of an environment variable" };
const toolName: TextRule = { pattern: toolNamePattern, form: '1 to 64 letters, digits, "_" or "-"' };
/** Normalises like Python Hermes: lower case, spaces become `-`, a leading slash is dropped. */
const commandName: TextRule = {
  rewrite: (text) => text.trim().toLowerCase().replace(/^\/+/u, "").replace(/\s+/gu, "-"),
  pattern: /^[a-z0-9][a-z0-9_-]{0,31}$/u,
  form: '1 to 32 lower-case letters, digits, "_" or "-"',
};

function readTool(part: PartReader): ToolRegistration {
  const isAvailable = part.flagIfAny("isAvailable");
  const timeoutMs = part.countIfAny("timeoutMs");
  const maxResultChars = part.countIfAny("maxResultChars");
  return {
    name: part.text("name", toolName),
    toolset: part.text("toolset", word),
    description: part.text("description", description),
    inputSchema: readSchema(part.object("inputSchema")),
    emoji: part.text("emoji", { ...summary, maxChars: 16, fallback: "⚡" }) || "⚡",
    requiresEnv: part.texts("requiresEnv", envName),
    overrides: part.flag("overrides"),
    declaresEffects: part.flag("declaresEffects"),
    ...(part.flagIfAny("isForScripts") && { isForScripts: true }),
    ...(isAvailable !== undefined && { isAvailable }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxResultChars !== undefined && { maxResultChars }),
  };
}

/** The schema of a tool must describe an object. It is converted for each provider when the tool is sent. */
function readSchema(schema: JsonObject): JsonObject {
  const { type = "object", properties = {} } = schema;
  if (type !== "object" || !isObject(properties)) throw new WrongPart("inputSchema must describe an object");
  if (JSON.stringify(schema).length > maxSchemaChars)
    throw new WrongPart(`inputSchema has more than ${maxSchemaChars} characters`);
  return { ...schema, type, properties: properties };
}

function readToolset(part: PartReader): PluginRegistration["toolsets"][number] {
  return {
    name: part.text("name", word),
    description: part.text("description", description),
    tools: part.texts("tools", toolName),
  };
}

function readHook(part: PartReader): HookRegistration {
  const hook = part.text("hook");
  if (hook !== handlerHook && !Object.hasOwn(hookFacts, hook)) {
    throw new WrongPart(`there is no hook of this name. ${didYouMean(hook, Object.keys(hookFacts))}`.trim());
  }
  const original = part.textIfAny("original");
  const timeoutMs = part.countIfAny("timeoutMs");
  return {
    id: part.text("id", id),
    hook,
    isPolicy: part.flag("isPolicy"),
    mayAnswer: part.flag("mayAnswer"),
    ...(original !== undefined && { original }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function readMiddleware(part: PartReader): { readonly id: string; readonly kind: MiddlewareKind } {
  const kind = middlewareKinds.find((each) => each === part.text("kind"));
  if (kind === undefined) throw new WrongPart(`kind must be one of ${middlewareKinds.join(", ")}`);
  return { id: part.text("id", id), kind };
}

function readCommand(part: PartReader): CommandRegistration {
  return {
    name: part.text("name", commandName),
    aliases: part.texts("aliases", commandName),
    summary: part.text("summary", summary),
    args: part.text("args", { ...summary, maxChars: 200 }),
  };
}

function readCliCommand(part: PartReader): PluginRegistration["cliCommands"][number] {
  return {
    name: part.text("name", commandName),
    summary: part.text("summary", summary),
    usage: part.text("usage", { maxChars: 10_000, fallback: "" }),
  };
}

function readProvider(part: PartReader): ProviderRegistration {
  const url: TextRule = {
    fallback: "",
    pattern: /^(?:https?:\/\/\S+)?$/u,
    form: "a URL that starts with http:// or https://",
  };
  const headers = Object.entries(part.object("defaultHeaders")).map(([name, value]) => {
    if (typeof value !== "string" || /[\r\n]/u.test(name + value)) {
      throw new WrongPart("each value of defaultHeaders must be one line of text");
    }
    return [name, value] as const;
  });
  return {
    id: part.text("id", id),
    name: part.text("name", { ...word, rewrite: (text) => text.trim().toLowerCase() }),
    aliases: part.texts("aliases", word),
    displayName: part.text("displayName", summary),
    description: part.text("description", summary),
    signupUrl: part.text("signupUrl", url),
    apiMode: part.text("apiMode", { ...word, fallback: "chat_completions" }),
    envVars: part.texts("envVars", envName),
    baseUrl: part.text("baseUrl", url),
    modelsUrl: part.text("modelsUrl", url),
    authType: part.text("authType", { ...word, fallback: "api_key" }),
    defaultHeaders: Object.fromEntries(headers),
    fields: part.object("fields"),
    hooks: part.texts("hooks", word),
    streams: part.flag("streams"),
  };
}

function readPlatform(part: PartReader): PlatformRegistration {
  const name = part.text("name", word);
  return {
    id: part.text("id", id),
    name,
    label: part.text("label", { ...summary, fallback: name }),
    messageChars: part.countIfAny("messageChars") ?? 4000,
    edits: part.flag("edits"),
    typing: part.flag("typing"),
    requiredEnv: part.texts("requiredEnv", envName),
  };
}

function readSkill(part: PartReader, folder: string): SkillRegistration {
  const path = part.text("path", { maxChars: 4096 });
  // The path is checked again when the skill is read, with links resolved.
  const real = isAbsolute(path) ? normalize(path) : resolve(folder, path);
  if (real !== folder && !isInside(folder, real)) throw new WrongPart(`${path} is outside of the plugin's folder`);
  return {
    name: part.text("name", { pattern: /^[a-zA-Z0-9_-]{1,64}$/u, form: 'letters, digits, "_" or "-"' }),
    path: real,
    description: part.text("description", description),
  };
}

function readSection(part: PartReader): PromptSectionRegistration {
  const maxChars = part.countIfAny("maxChars") ?? maxSectionChars;
  if (maxChars > maxSectionChars) throw new WrongPart(`maxChars is ${maxChars}, but the limit is ${maxSectionChars}`);
  const content = part.textIfAny("content", { maxChars });
  return {
    id: part.text("id", {
      pattern: /^[a-z0-9][a-z0-9._-]{0,127}$/u,
      form: "lower-case letters and digits, with . _ - allowed after the first character",
    }),
    position: part.text("position", { ...word, fallback: "after_memory" }),
    maxChars,
    ...(content !== undefined && { content }),
  };
}

/** Drops sections that exceed the limits of one plugin, starting with the last ids. */
function withinTotal(sections: readonly PromptSectionRegistration[], warnings: string[]): PromptSectionRegistration[] {
  let chars = 0;
  return sections
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .filter((section, index) => {
      const fits = index < maxSections && chars + (section.content?.length ?? 0) <= maxAllSectionChars;
      if (fits) chars += section.content?.length ?? 0;
      else {
        warnings.push(
          `promptSections: ${section.id} is ignored: a plugin may have ${plural(maxSections, "section")}` +
            `with ${maxAllSectionChars} characters in total`,
        );
      }
      return fits;
    });
}

function readObject(part: PartReader): PluginRegistration["contextEngines"][number] {
  return { ...readIdentified(part), methods: part.texts("methods", word) };
}

function readIdentified(part: PartReader): { readonly id: string; readonly name: string } {
  return { id: part.text("id", id), name: part.text("name", word) };
}

function readBackend(part: PartReader): BackendRegistration {
  const kind = backendKinds.find((each) => each === part.text("kind"));
  if (kind === undefined) throw new WrongPart(`kind must be one of ${backendKinds.join(", ")}`);
  const { id: object, name } = readIdentified(part);
  return {
    id: object,
    kind,
    name,
    title: part.text("title", { ...summary, fallback: name }),
    hasCheck: part.flag("hasCheck"),
  };
}

function readAuxiliaryTask(part: PartReader): AuxiliaryTaskRegistration {
  const key = part.text("key", { pattern: /^[a-z0-9][a-z0-9_-]{0,63}$/u, form: "lower-case letters, digits, _ or -" });
  return {
    key,
    displayName: part.text("displayName", { ...summary, fallback: key }),
    description: part.text("description", summary),
    defaults: part.object("defaults"),
  };
}

function readUnsupported(part: PartReader): PluginRegistration["unsupported"][number] {
  return { member: part.text("member", summary), detail: part.text("detail", summary) };
}

function readOne<T>(item: JsonValue, read: (part: PartReader) => T): Result<T, string> {
  try {
    return ok(read(partReader(item)));
  } catch (thrown) {
    if (!(thrown instanceof WrongPart)) throw thrown;
    return err(reasonOf(thrown));
  }
}

function readNotes(value: JsonValue | undefined): string[] {
  const notes = isJsonList(value) ? value : [];
  return notes.slice(0, maxParts).flatMap((note) => (typeof note === "string" ? [oneLine(note, 500)] : []));
}

function labelOf(item: JsonValue, index: number): string {
  const fields = isObject(item) ? item : {};
  const name = fields["name"] ?? fields["id"] ?? fields["key"];
  return typeof name === "string" ? JSON.stringify(oneLine(name, 80)) : `entry ${index + 1}`;
}

function named({ name }: { readonly name: string }): string {
  return name;
}

function identified(part: { readonly id: string }): string {
  return part.id;
}
