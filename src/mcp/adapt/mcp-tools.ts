import { once } from "../../base/async/once.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { McpCallResult, McpFault } from "../../contracts/mcp/connection.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { type ContentPart, shownContent } from "../../contracts/model/message.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import type { RegisteredTool } from "../../contracts/tool/registry.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { CallContext, Tool } from "../../contracts/tool/tool.ts";
import type { OfferedTool } from "../fleet/judge-listing.ts";
import type { OpenedFleet, ServedTools } from "../fleet/mcp-fleet.ts";
import { toolNameOf, toolPrefix, toolsetOf } from "../fleet/tool-names.ts";
import { mcpEffects, faultResult, mcpTraits } from "./call-rules.ts";
import { runningCall } from "./running-call.ts";
import { utilityTools } from "./utility-tools.ts";

/** The tools of one MCP server. Schemas and full descriptions are read only when a tool is described or called. */
export function mcpTools(served: ServedTools, fleet: OpenedFleet): readonly RegisteredTool[] {
  const { entry } = served;
  const offered = served.offered();
  const own = offered.map((each) => ({ tool: mcpTool(each, entry, fleet), source: sourceOf(entry, each.tool) }));
  const names = new Set(offered.map(({ name }) => name));
  const more = utilityTools(served, fleet).filter(({ name }) => !names.has(name));
  return [...own, ...more.map((tool) => ({ tool, source: sourceOf(entry, tool.name) }))];
}

function sourceOf({ name: server }: McpServerEntry, tool: string) {
  return { kind: "mcp", server, tool } as const;
}

function mcpTool(
  { tool, name, summary, parameters, isReadOnly }: OfferedTool,
  entry: McpServerEntry,
  fleet: OpenedFleet,
) {
  const traits = mcpTraits(entry, isReadOnly);
  const definition = once(() => fleet.listing(entry.name)?.tools.find((each) => each.name === tool));
  const inputSchema = (): JsonSchema => definition()?.inputSchema ?? { type: "object" };
  const defined = once(() =>
    defineTool({
      name,
      toolset: toolsetOf(entry.name),
      description: summary,
      input: fromJsonSchema(inputSchema()),
      traits,
      effects: () => mcpEffects(entry, isReadOnly),
      preview: async (args) => cut(JSON.stringify(args, undefined, 2), maxPreviewChars),
      run: (args, context) => callTool(tool, args, context, entry.name, fleet),
    }),
  );
  const shown: Tool = {
    name,
    toolset: toolsetOf(entry.name),
    get description() {
      return definition()?.description || summary;
    },
    get inputSchema() {
      return inputSchema();
    },
    card: { description: summary, parameters },
    needs: nothing,
    requiresEnv: nothing,
    traits,
    emoji: "🔌",
    prepare: (args) => defined().prepare(args),
  };
  return shown;
}

const nothing: readonly never[] = [];
const maxPreviewChars = 4_000;

async function callTool(
  tool: string,
  args: JsonObject,
  context: CallContext,
  server: string,
  fleet: OpenedFleet,
): Promise<ToolResult> {
  const { signal, progress } = context;
  const call = runningCall(context);
  const called = await fleet.use(
    server,
    async (connection, { timeoutMs }): Promise<Result<McpCallResult, McpFault>> => {
      // Connecting fetches the tool list again, and the list may have changed.
      if (!fleet.offers(server, tool))
        return err({ kind: "off", message: goneText(tool, server, fleet), isSent: false });
      return connection.call(tool, args, { signal, timeoutMs, pausedMs: call.pausedMs, onProgress: progress });
    },
    { signal, call },
  );
  return called.ok ? resultOf(called.value) : faultResult(called.error);
}

function goneText(tool: string, server: string, fleet: OpenedFleet): string {
  const why = offReason(toolNameOf(server, tool), server, fleet);
  return why === undefined
    ? `MCP server ${server} no longer has the tool ${tool}. Search for tools again.`
    : `The tool ${tool} of MCP server ${server} was not called: ${why}`;
}

/** Returns why a tool of a server may not be called, by its name in Hermes. */
export function offReason(name: string, server: string, fleet: OpenedFleet): string | undefined {
  if (!name.startsWith(toolPrefix(server))) return undefined;
  const waiting = fleet.find(server)?.waiting.find(({ tool }) => toolNameOf(server, tool) === name);
  return waiting && `${reasons[waiting.reason]} Tell the user to run: hermes mcp trust ${server}`;
}

const reasons = {
  changed: "its definition changed since the user accepted it.",
  suspicious: "its description looks like instructions to the model, and the user has not accepted it.",
  collision: "another tool has the same name.",
};

function resultOf({ content, structured, meta, isError }: McpCallResult): ToolResult {
  const hasText = content.some((part) => part.type === "text" && part.text.trim() !== "");
  const shown: readonly ContentPart[] =
    hasText || structured === undefined ? content : [{ type: "text", text: JSON.stringify(structured) }, ...content];
  const data = dataOf(structured, meta);
  if (!isError) return ok({ content: shown, ...(data !== undefined && { data }) });
  const message = cut(shownContent(shown), maxErrorChars) || "The tool failed without a message.";
  const more = shown.some(({ type }) => type !== "text") ? { content: shown } : {};
  return fail(message, "failed", { effect: "unknown", ...more, ...(data !== undefined && { data }) });
}

const maxErrorChars = 20_000;

function dataOf(structured: JsonValue | undefined, meta: JsonObject | undefined): JsonObject | undefined {
  if (structured === undefined && !meta) return undefined;
  return { ...(structured !== undefined && { structuredContent: structured }), ...(meta && { _meta: meta }) };
}
