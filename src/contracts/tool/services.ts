import type { CommandDefaults, Environment, ProcessTable } from "../environment/environment.ts";
import type { CodeSandbox } from "../environment/sandbox.ts";
import type {
  Asker,
  AuxiliaryModel,
  FileReads,
  Inbox,
  Messenger,
  Notices,
  SecretAsker,
  Transcript,
} from "../host/ports.ts";
import type { Checkpoints } from "../knowledge/checkpoint.ts";
import type { MemoryStore } from "../knowledge/memory.ts";
import type { SkillLibrary } from "../knowledge/skill.ts";
import type { AgentSpawner } from "../session/agents.ts";
import type { SessionSearch } from "../session/session-search.ts";
import type { SessionStore } from "../session/session.ts";
import type { TodoList } from "../session/todo.ts";
import type { ToolIndex } from "./registry.ts";

/** Small ports. A tool names those it needs; a host that lacks one does not offer the tool. */
export interface Services {
  readonly environment: Environment;
  readonly commandDefaults: CommandDefaults;
  readonly processes: ProcessTable;
  readonly fileReads: FileReads;
  readonly memory: MemoryStore;
  readonly todos: TodoList;
  readonly sessions: SessionStore;
  readonly sessionSearch: SessionSearch;
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
  readonly transcript: Transcript;
  readonly checkpoints: Checkpoints;
}

export type ServiceName = keyof Services;

/** What a tool that needs the service lacks where it is not there, for a person: "todo needs a conversation". */
export const servicePurposes: Readonly<Record<ServiceName, string>> = {
  environment: "a place to run commands in",
  commandDefaults: "a place to run commands in",
  processes: "a place to run processes in",
  fileReads: "a conversation",
  memory: "the memory store",
  todos: "a conversation",
  sessions: "the session store",
  sessionSearch: "the session store",
  skills: "the skill library",
  agents: "a conversation that may start others",
  sandbox: "the code sandbox",
  toolIndex: "a conversation",
  asker: "a person to ask",
  secretAsker: "a person to ask for a secret",
  auxiliary: "a model for small questions",
  messenger: "a connected chat platform",
  inbox: "a conversation",
  notices: "a conversation",
  transcript: "a conversation",
  checkpoints: "file checkpoints (checkpoints.enabled)",
};
