import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { plural } from "../../base/text/text.ts";
import type { CodeRequest, ScriptTool } from "../../contracts/code/code-run.ts";
import type { ScriptCall } from "../../contracts/code/wire.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { createCallTimes } from "./script-timer.ts";

/** The calls of one script. */
export interface ScriptCalls {
  /** The value for the script. A refused or failed call gives an object with `error`. Never rejects. */
  answer(call: Pick<ScriptCall, "tool" | "args">): Promise<JsonValue>;
  /** The number of calls that went to the dispatcher. */
  count(): number;
  /** Refuses all later calls. */
  close(): void;
}

export type CallOrigin = Pick<CodeRequest, "tools" | "isExcluded" | "call" | "progress" | "waitedMs">;

export interface ScriptCallLimits {
  readonly maxCalls: number;
  /** The timeout of one call, not counting the time in which it waits for a person. */
  readonly callMs: number;
}

export function createScriptCalls(
  { tools, isExcluded, call, progress, waitedMs }: CallOrigin,
  { maxCalls, callMs }: ScriptCallLimits,
  clock: Clock,
): ScriptCalls {
  const byName = new Map(
    tools.flatMap((tool) =>
      [tool.name, ...(tool.alias === undefined ? [] : [tool.alias])].map((name) => [name, tool] as const),
    ),
  );
  const times = createCallTimes(callMs, waitedMs, clock);
  let calls = 0;
  let isOver = false;

  function refusal(name: string, tool: ScriptTool | undefined, args: JsonObject): string | undefined {
    if (isOver) return `${name} was not called: the script has ended`;
    if (name === "execute_code")
      return "execute_code cannot be called from a script. Write one script that does all of it.";
    if (!tool && isExcluded(name))
      return `Tool '${name}' is not available in execute_code. Use it as a normal tool call instead.`;
    if (!tool)
      return `Unknown tool: ${name.slice(0, 200)}. Available: ${tools.map((each) => each.name).join(", ") || "none"}`;
    const unusable = Object.keys(args).filter((key) => !isPassable(tool, key));
    if (unusable.length > 0)
      return `${name}: ${unusable.join(", ")} cannot be used in execute_code. A script can pass: ${argumentsOf(tool).join(", ")}. Use a normal tool call instead.`;
    if (calls >= maxCalls)
      return `Tool call limit reached (${maxCalls}). No more tool calls are allowed in this script; print what you have.`;
    return undefined;
  }

  return {
    answer({ tool: name, args: given }) {
      const tool = byName.get(name);
      const args = tool ? withoutUnset(given, tool) : given;
      const error = refusal(name, tool, args);
      if (error !== undefined || !tool) return Promise.resolve({ error: error ?? "" });
      calls += 1;
      if (isShown(calls)) progress(`${plural(calls, "call")}, ${name}`);
      return times.within(call(tool.name, args).then(valueOf), () => ({
        error: `${name} took longer than ${callMs / 1000} s. It may have had an effect.`,
      }));
    },
    count: () => calls,
    close() {
      isOver = true;
      times[Symbol.dispose]();
    },
  };
}

/** Shows every call of a short script, fewer of a long one: people cannot read thousands of lines per second. */
function isShown(calls: number): boolean {
  return calls <= 20 || calls % (calls <= 100 ? 10 : 50) === 0;
}

function isPassable({ inputSchema }: ScriptTool, key: string): boolean {
  const { properties } = inputSchema;
  return !isObject(properties) || Object.hasOwn(properties, key) || inputSchema["additionalProperties"] === true;
}

function argumentsOf({ inputSchema: { properties } }: ScriptTool): readonly string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}

/** Removes arguments without meaning: without a value, or `false` for an option that scripts cannot use. */
function withoutUnset(args: JsonObject, tool: ScriptTool): JsonObject {
  const isSet = (key: string) => args[key] !== null && (args[key] !== false || isPassable(tool, key));
  if (Object.keys(args).every(isSet)) return args;
  return Object.fromEntries(Object.entries(args).filter(([key]) => isSet(key)));
}

/** The result as data; without data its text, parsed if it is JSON. */
function valueOf(result: ToolResult): JsonValue {
  if (result.ok) return dataOf(result.value);
  const { message, data, content } = result.error;
  const more = dataOf({ ...(content && { content }), ...(data !== undefined && { data }) });
  return { ...(isObject(more) ? more : {}), error: message };
}

function dataOf({ data, content = [] }: Partial<Extract<ToolResult, { readonly ok: true }>["value"]>): JsonValue {
  if (data !== undefined) return data;
  const [first] = content;
  const text =
    content.length === 1 && first?.type === "text"
      ? first.text
      : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  try {
    // Text that is JSON is data.
    return /^\s*[[{]/u.test(text) ? (JSON.parse(text) as JsonValue) : text;
  } catch {
    return text;
  }
}
