/** The entry for authors of tools and plugins: `import { defineTool, z } from "hermes-agent-ts/plugin"`. */
export { z } from "zod";
export { defineTool } from "./contracts/tool/define-tool.ts";
export type { Effect } from "./contracts/tool/effect.ts";
export type { HookBus, HookName, HookOptions, Hooks } from "./contracts/host/hook.ts";
export { fromJsonSchema } from "./contracts/tool/json-input.ts";
export type { MemoryProvider } from "./contracts/knowledge/memory.ts";
export type { ContentPart, Message, ToolCall } from "./contracts/model/message.ts";
export { type Contributions, definePlugin, type Plugin, type PluginHost } from "./contracts/host/plugin.ts";
export type { Origin, Principal } from "./contracts/safety/principal.ts";
export type { ServiceName, Services } from "./contracts/tool/services.ts";
export {
  fail,
  type InputSchema,
  json,
  type JsonSchema,
  text,
  type Tool,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
  type ToolTraits,
} from "./contracts/tool/tool.ts";
export type { Toolset } from "./contracts/tool/toolset.ts";
