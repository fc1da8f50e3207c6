/** The library: exports for programs that embed Hermes. */
export { version } from "./base/version.ts";
export { loadConfig, type LoadedConfig } from "./config/load.ts";
export type { Answer, ApprovalDesk, ApprovalSurface, PendingApproval } from "./contracts/safety/approval.ts";
export type { AgentEvent, AgentEventBody, TurnEnd, TurnOutcome } from "./contracts/session/event.ts";
export type { ContentPart, Message, ToolCall } from "./contracts/model/message.ts";
export type { ModelClient, ModelEvent, ModelFacts, ModelRequest, ModelSource, Usage } from "./contracts/model/model.ts";
export type {
  CarriedContext,
  Compaction,
  ContextEngine,
  FitOutcome,
  FitRequest,
  HistoryItem,
} from "./contracts/model/context.ts";
export type { ContextEngineContribution } from "./contracts/plugin/plugin.ts";
export type { Asker, SecretAsker } from "./contracts/host/ports.ts";
export type { Choice, PersonAnswer, PersonQuestion } from "./contracts/host/question.ts";
export type { Catalog, Diagnostic, Registry } from "./contracts/tool/registry.ts";
export type { ContextUse, Runtime, Session, SessionOptions, SessionUsage, Turn } from "./contracts/session/runtime.ts";
export type { Entry, SessionRecord, SessionStore } from "./contracts/session/session.ts";
export type { Branch, BranchOptions, Exchange, MovedHead, SessionTree } from "./contracts/session/session-tree.ts";
export type { ToolResult } from "./contracts/tool/tool-result.ts";
export { createLibraryRuntime as createRuntime, type LibraryOptions } from "./hosts/library/create-library-runtime.ts";
export type { TaskOverrides } from "./runtime/environment/open-environment.ts";
export { openToolbox } from "./runtime/calls/open-toolbox.ts";
export type { Toolbox, ToolboxOptions, ToolStatus } from "./runtime/calls/toolbox.ts";
