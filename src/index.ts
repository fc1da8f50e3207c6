/** The library: what a program that embeds Hermes may use. */
export { version } from "./base/version.ts";
export { loadConfig, type LoadedConfig } from "./config/load.ts";
export type { Answer, ApprovalDesk, ApprovalSurface, PendingApproval } from "./contracts/approval.ts";
export type { AgentEvent, AgentEventBody, TurnEnd, TurnOutcome } from "./contracts/event.ts";
export type { ContentPart, Message, ToolCall } from "./contracts/message.ts";
export type { ModelClient, ModelEvent, ModelFacts, ModelRequest, ModelSource, Usage } from "./contracts/model.ts";
export type { Asker, SecretAsker } from "./contracts/ports.ts";
export type { Catalog, Diagnostic, Registry } from "./contracts/registry.ts";
export type { ContextUse, Runtime, Session, SessionOptions, SessionUsage, Turn } from "./contracts/runtime.ts";
export type { Entry, SessionRecord, SessionStore } from "./contracts/session.ts";
export type { Branch, BranchWish, Exchange, MovedHead, SessionTree } from "./contracts/session-tree.ts";
export type { ToolResult } from "./contracts/tool.ts";
export { createRuntime, type LibraryOptions } from "./hosts/library/create-runtime.ts";
export type { TaskOverrides } from "./runtime/environment/open-environment.ts";
export { openToolbox, type Toolbox, type ToolboxOptions, type ToolStatus } from "./runtime/calls/toolbox.ts";
