import { isObject } from "../../../base/json.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import type { MiddlewareName } from "../../../contracts/host/middleware.ts";
import type { Plugin, PluginParts } from "../../../contracts/plugin/author.ts";
import { handlerHook, type MiddlewareKind } from "../../../contracts/plugin/registration.ts";

export type Callable = (...args: readonly unknown[]) => unknown;

/** Returns the plugin that a module exports. Throws a TypeError that explains the correct form. */
export function pluginOf(module: Readonly<Record<string, unknown>>, entry: string): Plugin {
  const candidates = [module["default"], module["plugin"], module, objectOf(module["default"])["default"]];
  const plugin = candidates.find((value) => isObject(value) && typeof value["setup"] === "function");
  // The cast is safe: the fields were checked above; `overrides` is checked where it is used.
  if (plugin !== undefined) return plugin as unknown as Plugin;
  const handler = [module["handle"], objectOf(module["default"])["handle"]].find((each) => typeof each === "function");
  if (handler) return handlerPlugin(handler as EventHandler);
  const given = module["default"];
  const problem =
    given === undefined
      ? "has no default export"
      : `exports ${isObject(given) ? `an object with ${Object.keys(given).join(", ") || "nothing"}` : `a ${typeof given}`} by default`;
  throw new TypeError(
    `${entry} ${problem}. Write: export default definePlugin({ setup(host) { return { tools: [ … ] }; } })`,
  );
}

type EventHandler = (eventType: unknown, context: unknown) => unknown;

/** A module that exports one `handle` function for all its events, as in a hook folder. */
function handlerPlugin(handle: EventHandler): Plugin {
  const run = ({ event_type: type, context }: Record<string, unknown>) => handle(type, context);
  // `handle` is not a hook name: the host decides which events the function receives.
  const hooks = [{ name: handlerHook, run }] as unknown as NonNullable<PluginParts["hooks"]>;
  return { setup: () => ({ hooks }) };
}

/**
 * Checks the value that `setup` returned, because an author may not use a type checker. Unknown parts cause warnings.
 */
export function checkParts(given: unknown): { readonly parts: PluginParts; readonly warnings: string[] } {
  if (!isObject(given)) {
    throw new TypeError(
      `setup returned ${given === undefined ? "nothing" : typeof given}. Return an object with the parts of the plugin: return { tools: [ … ], hooks: { … } }`,
    );
  }
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (Object.hasOwn(lists, name)) checkList(name, value, lists[name] ?? {});
    else if (!others.includes(name)) {
      const hint = didYouMean(name, [...Object.keys(lists), ...others]);
      warnings.push(`setup returned "${name}", which is not a part of a plugin. ${hint}`.trim());
    }
  }
  checkMiddleware(given["middleware"]);
  checkUi(given["ui"]);
  if (given["hooks"] !== undefined && typeof given["hooks"] !== "object")
    throw new TypeError("hooks must be an object: hooks: { beforeToolCall(event) { … } }");
  // The cast is safe: every field that is used has been checked.
  return { parts: given, warnings };
}

type Kind = "string" | "function" | "object" | "array";

/** The required fields of each kind of entry. Tools are checked separately. */
const lists: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  tools: {},
  toolsets: { name: "string", description: "string", tools: "array" },
  commands: { name: "string", summary: "string", run: "function" },
  cliCommands: { name: "string", summary: "string", run: "function" },
  providers: { name: "string" },
  environments: { name: "string", run: "function" },
  platforms: { name: "string", limits: "object", receive: "function", send: "function" },
  policies: { name: "string", judge: "function" },
  skills: { name: "string", path: "string" },
  promptSections: { id: "string" },
  contextEngines: { name: "string", threshold: "function", fit: "function" },
  memoryProviders: { name: "string" },
  secretSources: { name: "string", fetch: "function" },
  backends: { kind: "string", name: "string", run: "function" },
  auxiliaryTasks: { key: "string" },
};
const others: readonly string[] = ["hooks", "middleware", "ui", "dispose"];

function checkList(name: string, value: unknown, fields: Readonly<Record<string, Kind>>): void {
  const example = Object.entries(fields).map(([field, kind]) => `${field}: ${examples[kind]}`);
  const form = `${name}: [{ ${example.join(", ")} }]`;
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list. Write: ${form}`);
  for (const [index, item] of value.entries()) {
    const part = objectOf(item);
    for (const [field, kind] of Object.entries(fields)) {
      if (kindOf(part[field]) === kind) continue;
      const problem = part[field] === undefined ? "is missing" : `is ${article(kindOf(part[field]))}`;
      throw new TypeError(`${name}[${index}]: ${field} ${problem} and must be ${article(kind)}. Write: ${form}`);
    }
  }
}

/** Our name for each kind of middleware. */
export const middlewareNames = {
  toolRequest: "tool_request",
  toolExecution: "tool_execution",
  modelRequest: "llm_request",
  modelExecution: "llm_execution",
} as const satisfies Readonly<Record<MiddlewareName, MiddlewareKind>>;

function checkMiddleware(middleware: unknown): void {
  if (middleware === undefined) return;
  for (const [name, run] of Object.entries(objectOf(middleware))) {
    if (!Object.hasOwn(middlewareNames, name))
      throw new TypeError(`middleware: ${name} is not one of ${Object.keys(middlewareNames).join(", ")}`);
    if (typeof run !== "function") throw new TypeError(`middleware: ${name} must be a function`);
  }
}

/** The required fields of the entries in `ui`. */
const uiLists: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  segments: { name: "string", text: "function" },
  keys: { name: "string", chord: "string", summary: "string", press: "function" },
  panels: { name: "string", title: "string", content: "function" },
  dialogs: { name: "string", title: "string", fields: "array", submit: "function" },
};

function checkUi(ui: unknown): void {
  if (ui === undefined) return;
  if (!isObject(ui)) throw new TypeError("ui must be an object: ui: { segments: [ … ], keys: [ … ] }");
  for (const [name, value] of Object.entries(ui)) {
    if (value === undefined) continue;
    const fields = Object.hasOwn(uiLists, name) ? uiLists[name] : undefined;
    if (!fields) throw new TypeError(`ui: ${name} is not one of ${Object.keys(uiLists).join(", ")}`);
    checkList(name, value, fields);
  }
}

const examples: Readonly<Record<Kind, string>> = {
  string: '"…"',
  function: "() => { … }",
  object: "{ … }",
  array: "[ … ]",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function article(kind: string): string {
  return /^[aeiou]/u.test(kind) ? `an ${kind}` : `a ${kind}`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
