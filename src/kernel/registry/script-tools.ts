import { isObject } from "../../base/json.ts";
import { byName, byText } from "../../base/text/order.ts";
import type { ScriptTool } from "../../contracts/code/code-run.ts";
import { isBridge } from "../../contracts/tool/bridge-tools.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { toolAs } from "./tool-as.ts";

/** The limits of a script, as stated in the description of `execute_code`. */
export interface ScriptLimits {
  readonly seconds: number;
  readonly calls: number;
}

/** Returns the tools that scripts can call, with the signatures of their stubs, sorted by name. */
export function scriptTools(tools: Iterable<Tool>): readonly ScriptTool[] {
  return Array.from(tools).filter(isForScripts).toSorted(byName).map(stubOf);
}

/**
 * Tools that scripts cannot call: those that ask a person, call a model, act outside the script or change the
 * conversation.
 */
function isForScripts({ name, traits }: Tool): boolean {
  return traits.callers !== "model" && !isBridge(name) && !excluded.has(name) && !name.startsWith("rl_");
}

function stubOf({ name, description, inputSchema, traits }: Tool): ScriptTool {
  const { scriptAlias, scriptArguments } = traits;
  return {
    name,
    ...(scriptAlias !== undefined && { alias: scriptAlias }),
    description,
    inputSchema: scriptArguments ? onlyArguments(inputSchema, scriptArguments) : inputSchema,
  };
}

function onlyArguments(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name))),
  };
}

/** Returns `execute_code` with the stubs and limits of this catalog in its description. */
export function describeScripts(tool: Tool, tools: Iterable<Tool>, { seconds, calls }: ScriptLimits): Tool {
  const names = foldedNames(scriptTools(tools).map(({ name }) => name));
  const shown = names.slice(0, maxNamed);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  const stubs = names.length === 0 ? "no tool" : `${shown.join(", ")}${more}`;
  const facts = { stubs, seconds: String(seconds), calls: String(calls) };
  const description = tool.description.replaceAll(
    /\{(stubs|seconds|calls)\}/gu,
    (_, key: keyof typeof facts) => facts[key],
  );
  return toolAs(tool, { description });
}

const maxNamed = 30;

/**
 * Many tools with the same first word are listed as one group, such as `browser_*`. Search returns their descriptions.
 */
function foldedNames(names: readonly string[]): readonly string[] {
  const families = Map.groupBy(names, (name) => name.slice(0, name.indexOf("_") + 1));
  return Array.from(families, ([prefix, family]) =>
    prefix !== "" && family.length >= minFamily ? [`${prefix}*`] : family,
  )
    .flat()
    .toSorted(byText);
}

const minFamily = 5;

const excluded: ReadonlySet<string> = new Set([
  "execute_code",
  "delegate_task",
  "sessions_send",
  "mixture_of_agents",
  "clarify",
  "memory",
  "todo",
  "todo_write",
  "todo_read",
  "process",
  "skills_list",
  "skill_view",
  "skill_manage",
  "cronjob",
  "schedule_cronjob",
  "list_cronjobs",
  "remove_cronjob",
  "send_message",
  "checkpoint",
  "read_back",
  "image_generate",
  "text_to_speech",
  "vision_analyze",
  "video_analyze",
  "browser_close",
  "browser_get_images",
  "browser_vision",
  "browser_cdp",
  "browser_dialog",
  "computer_use",
]);
