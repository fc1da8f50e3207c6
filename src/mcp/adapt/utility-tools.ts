import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { McpConnection, McpFault, McpLimits } from "../../contracts/mcp/connection.ts";
import type { McpFleet } from "../../contracts/mcp/fleet.ts";
import type { McpServerStatus } from "../../contracts/mcp/status.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { ServedTools } from "../fleet/mcp-fleet.ts";
import { toolNameOf, toolsetOf } from "../fleet/tool-names.ts";
import { mcpEffects, faultResult, mcpTraits } from "./call-rules.ts";
import { runningCall } from "./running-call.ts";

/** Tools for reading the resources and prompts of a server. */
export function utilityTools({ entry, hasResources, hasPrompts }: ServedTools, fleet: McpFleet): readonly Tool[] {
  const chosen = [...(hasResources ? resourceTools : []), ...(hasPrompts ? promptTools : [])];
  return chosen.map(({ name, description, inputSchema, run }) =>
    defineTool({
      name: toolNameOf(entry.name, name),
      toolset: toolsetOf(entry.name),
      description: `${description} of the MCP server ${entry.name}.`,
      emoji: "🔌",
      input: fromJsonSchema(inputSchema),
      // These tools are read-only: according to the protocol, none of these requests changes anything.
      traits: mcpTraits(entry, true),
      effects: () => mcpEffects(entry, true),
      async run(args, context) {
        const { signal } = context;
        const call = runningCall(context);
        const { pausedMs } = call;
        const answer = await fleet.use(
          entry.name,
          (connection, { timeoutMs }) => run(connection, args, { signal, timeoutMs, pausedMs }, fleet.find(entry.name)),
          { signal, call },
        );
        return answer.ok ? { ok: true, value: { content: answer.value } } : faultResult(answer.error);
      },
    }),
  );
}

interface Utility {
  readonly name: string;
  /** The beginnings of descriptions, which the name of the server completes. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  run(
    connection: McpConnection,
    args: JsonObject,
    limits: McpLimits,
    status: McpServerStatus | undefined,
  ): Promise<Result<readonly ContentPart[], McpFault>>;
}

const text = { type: "string" };

const resourceTools: readonly Utility[] = [
  {
    name: "list_resources",
    description: "List the resources",
    inputSchema: { type: "object", properties: {} },
    async run(connection, _args, limits) {
      const listed = await connection.listResources(limits);
      return listed.ok ? asJson({ resources: listed.value }) : listed;
    },
  },
  {
    name: "read_resource",
    description: "Read one resource",
    inputSchema: { type: "object", properties: { uri: text }, required: ["uri"] },
    run: (connection, { uri }, limits) => connection.readResource(textOf(uri), limits),
  },
];

const promptTools: readonly Utility[] = [
  {
    name: "list_prompts",
    description: "List the prompts",
    inputSchema: { type: "object", properties: {} },
    run: async (_connection, _args, _limits, status) => asJson({ prompts: status?.prompts ?? [] }),
  },
  {
    name: "get_prompt",
    description: "Read one prompt, filled in with arguments,",
    inputSchema: {
      type: "object",
      properties: { name: text, arguments: { type: "object", additionalProperties: text } },
      required: ["name"],
    },
    run(connection, { name, arguments: given }, limits) {
      // The cast is safe: the schema allows only strings.
      return connection.getPrompt(textOf(name), (given ?? {}) as Readonly<Record<string, string>>, limits);
    },
  },
];

/** The cast is safe: the schema allows only strings. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function asJson(value: object): Result<readonly ContentPart[], never> {
  return { ok: true, value: [{ type: "text", text: JSON.stringify(value) }] };
}
