/** The entry for authors of tools and plugins: `import { defineTool, z } from "hermes-agent-ts/plugin"`. */
export { z } from "zod";
export { defineTool } from "./contracts/tool/define-tool.ts";
export type { Effect } from "./contracts/tool/effect.ts";
export type { HookBus, HookName, HookOptions, Hooks } from "./contracts/host/hook.ts";
export { fromJsonSchema } from "./contracts/tool/json-input.ts";
export type { MemoryProvider } from "./contracts/knowledge/memory.ts";
export type { ContentPart, Message, ToolCall } from "./contracts/model/message.ts";
export { type Contributions, definePlugin, type Plugin, type PluginHost } from "./contracts/plugin/plugin.ts";
export type { Origin, Principal } from "./contracts/safety/principal.ts";
export type { ServiceName, Services } from "./contracts/tool/services.ts";
export {
  type InputSchema,
  type Tool,
  type ToolContext,
  type ToolSpec,
  type ToolTraits,
} from "./contracts/tool/tool.ts";
export type { JsonSchema } from "./contracts/tool/tool-definition.ts";
export { fail, json, text, type ToolResult } from "./contracts/tool/tool-result.ts";
export type { Toolset } from "./contracts/tool/toolset.ts";
