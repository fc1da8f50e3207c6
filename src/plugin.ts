/** The entry for authors of tools and plugins: `import { defineTool, z } from "hermes-agent-ts/plugin"`. */
export { z } from "zod";
export { defineTool } from "./contracts/define-tool.ts";
export type { Effect } from "./contracts/effect.ts";
export type { HookBus, HookName, HookOptions, Hooks } from "./contracts/hook.ts";
export { fromJsonSchema } from "./contracts/json-input.ts";
export type { MemoryProvider } from "./contracts/memory.ts";
export type { ContentPart, Message, ToolCall } from "./contracts/message.ts";
export { type Contributions, definePlugin, type Plugin, type PluginHost } from "./contracts/plugin.ts";
export type { Origin, Principal } from "./contracts/principal.ts";
export type { ServiceName, Services } from "./contracts/services.ts";
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
} from "./contracts/tool.ts";
export type { Toolset } from "./contracts/toolset.ts";
