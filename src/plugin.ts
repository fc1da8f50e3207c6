/** The entry for authors of tools and plugins: `import { definePlugin, defineTool, z } from "hermes-agent-ts/plugin"`. */
import { createDefineTool } from "./contracts/plugin/author-tool.ts";
import { fromJsonSchema } from "./contracts/tool/json-input.ts";

const authorTool = createDefineTool(fromJsonSchema);
export { authorTool as defineTool, fromJsonSchema };
export { z } from "zod";
export { defineCliCommand, defineCommand, defineHook, definePlugin } from "./contracts/plugin/author.ts";
export { fail, json, text, type ToolResult } from "./contracts/tool/tool-result.ts";

export type { JsonObject, JsonValue } from "./base/json.ts";
export type { Logger } from "./base/log/log.ts";
export type { CommandReply } from "./contracts/host/command.ts";
export type { HookBus, HookName, HookOptions, Hooks } from "./contracts/host/hook.ts";
export type { Middleware, MiddlewareCall, MiddlewareRequest, ModelAnswer } from "./contracts/host/middleware.ts";
export type { ChatRef, InboundMessage, PlatformAdapter, SentRef } from "./contracts/host/platform.ts";
export type { MemoryProvider } from "./contracts/knowledge/memory.ts";
export type { ContextEngine } from "./contracts/model/context.ts";
export type { ContentPart, Message, ToolCall } from "./contracts/model/message.ts";
export type { AttemptEvent, ModelRequest } from "./contracts/model/model.ts";
export type { AuthorToolContext, AuthorToolSpec } from "./contracts/plugin/author-tool.ts";
export type {
  Plugin,
  PluginAuxiliaryTask,
  PluginCliCommand,
  PluginCliContext,
  PluginCommand,
  PluginCommandContext,
  PluginEnvironment,
  PluginHook,
  PluginHookName,
  PluginHooks,
  PluginHost,
  PluginParts,
  PluginPlatform,
  PluginPromptSection,
  PluginProvider,
  PluginProviderContext,
  PluginProviderHooks,
  PluginSecretSource,
} from "./contracts/plugin/author.ts";
export type {
  PluginDialog,
  PluginKey,
  PluginPanel,
  PluginPanelContent,
  PluginPanelRow,
  PluginSegment,
  PluginUi,
  PluginUiAnswer,
  PluginUiContext,
} from "./contracts/plugin/ui.ts";
export type { CompletionParams, CompletionResult } from "./contracts/plugin/wire.ts";
export type { PolicyRequest, PolicySource } from "./contracts/safety/approval.ts";
export type { Origin, Principal } from "./contracts/safety/principal.ts";
export type { Effect } from "./contracts/tool/effect.ts";
export type { ServiceName, Services } from "./contracts/tool/services.ts";
export type { InputSchema, Tool, ToolContext, ToolSpec, ToolTraits } from "./contracts/tool/tool.ts";
export type { JsonSchema } from "./contracts/tool/tool-definition.ts";
export type { Toolset } from "./contracts/tool/toolset.ts";
