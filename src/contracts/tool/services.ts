import type { CodeRunner } from "../code/code-run.ts";
import type { CommandDefaults, Environment, ProcessTable } from "../environment/environment.ts";
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
import type { MediaGenerator } from "../media/generate.ts";
import type { Pictures } from "../media/pictures.ts";
import type { MixtureRunner } from "../model/mixture.ts";
import type { AgentSpawner } from "../session/agents.ts";
import type { SessionSender } from "../session/session-mail.ts";
import type { OwnSessionSearch } from "../session/session-search.ts";
import type { OwnSessions } from "../session/session.ts";
import type { TodoList } from "../session/todo.ts";
import type { Speech } from "../speech/speech.ts";
import type { Browser } from "../web/browser.ts";
import type { Pages } from "../web/pages.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { CallTool } from "./tool-result.ts";

/**
 * The services that a tool can name in `needs`: the type of each, and its purpose for a person ("todo needs a session").
 * A host that lacks a service does not offer the tools that need it.
 */
const services = {
  environment: service<Environment>("a place to run commands in"),
  commandDefaults: service<CommandDefaults>("a place to run commands in"),
  processes: service<ProcessTable>("a place to run processes in"),
  fileReads: service<FileReads>("a session"),
  memory: service<MemoryStore>("the memory store (memory.memory_enabled)"),
  todos: service<TodoList>("a session"),
  sessions: service<OwnSessions>("the session store"),
  sessionSearch: service<OwnSessionSearch>("the session store"),
  skills: service<SkillLibrary>("the skill library"),
  agents: service<AgentSpawner>("a session that can start other sessions"),
  code: service<CodeRunner>("a place to run scripts in"),
  toolIndex: service<ToolIndex>("a session"),
  asker: service<Asker>("a person to ask"),
  secretAsker: service<SecretAsker>("a person to ask for a secret"),
  auxiliary: service<AuxiliaryModel>("a model for small questions"),
  mixture: service<MixtureRunner>("a preset of `hermes moa` with keys for its aggregator and a reference"),
  pictures: service<Pictures>("a session"),
  generator: service<MediaGenerator>("a session"),
  messenger: service<Messenger>("a connected chat platform"),
  inbox: service<Inbox>("a session"),
  sessionMail: service<SessionSender>("a session"),
  notices: service<Notices>("a session"),
  transcript: service<Transcript>("a session"),
  checkpoints: service<Checkpoints>("file checkpoints (checkpoints.enabled)"),
  browser: service<Browser>("a browser"),
  pages: service<Pages>("access to the web"),
  speech: service<Speech>("a voice"),
  call: service<CallTool>("a dispatcher"),
};

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as readonly ServiceName[];
export type Services = { readonly [N in ServiceName]: NonNullable<(typeof services)[N]["type"]> };

/** The feature that a tool loses without the service. */
export function servicePurpose(name: ServiceName): string {
  // A tool of a plugin can name a service that this version does not have.
  return services[name]?.purpose ?? `the service ${name}`;
}

interface Service<T> {
  readonly purpose: string;
  /** Never set at run time: used only for type inference. */
  readonly type?: T;
}

function service<T>(purpose: string): Service<T> {
  return { purpose };
}
