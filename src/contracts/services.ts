import type { AgentSpawner } from "./agents.ts";
import type { Environment, ProcessTable } from "./environment.ts";
import type { MemoryStore } from "./memory.ts";
import type { Asker, AuxiliaryModel, FileReads, Inbox, Messenger, Notices, SecretAsker } from "./ports.ts";
import type { ToolIndex } from "./registry.ts";
import type { CodeSandbox } from "./sandbox.ts";
import type { SessionStore } from "./session.ts";
import type { SkillLibrary } from "./skill.ts";
import type { TodoList } from "./todo.ts";

/** Small ports. A tool names those it needs; a host that lacks one does not offer the tool. */
export interface Services {
  readonly environment: Environment;
  readonly processes: ProcessTable;
  readonly fileReads: FileReads;
  readonly memory: MemoryStore;
  readonly todos: TodoList;
  readonly sessions: SessionStore;
  readonly skills: SkillLibrary;
  readonly agents: AgentSpawner;
  readonly sandbox: CodeSandbox;
  readonly toolIndex: ToolIndex;
  readonly asker: Asker;
  readonly secretAsker: SecretAsker;
  readonly auxiliary: AuxiliaryModel;
  readonly messenger: Messenger;
  readonly inbox: Inbox;
  readonly notices: Notices;
}

export type ServiceName = keyof Services;
