import type { Clock } from "../../base/clock.ts";
import type { CallId, SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import type { NamedList } from "../../base/named-list.ts";
import type { Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import type { McpFleet } from "../../contracts/mcp/fleet.ts";
import type { MediaGenerator } from "../../contracts/media/generate.ts";
import type { MixtureRunner } from "../../contracts/model/mixture.ts";
import type { ModelClient } from "../../contracts/model/model.ts";
import type { EnvironmentContribution } from "../../contracts/plugin/plugin.ts";
import type { ApprovalDesk, PolicyRequest, Verdict } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { TextSource } from "../../contracts/safety/text-source.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { Session, SessionOptions } from "../../contracts/session/runtime.ts";
import type { SessionSearch } from "../../contracts/session/session-search.ts";
import type { BookedUsage, SessionStore } from "../../contracts/session/session.ts";
import type { Policy } from "../../contracts/tool/dispatch.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { Services } from "../../contracts/tool/services.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Browser } from "../../contracts/web/browser.ts";
import type { ExtractWish, PageReport } from "../../contracts/web/pages.ts";
import type { FamilyTurn } from "../../kernel/loop/spend-guard.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import type { ApprovalSessions, OpenedApprovals } from "../../sessions/session-approvals.ts";
import type { OpenedBrowsers } from "../browser/open-browsers.ts";
import type { Workplace } from "../calls/open-workplace.ts";
import type { OfferedSkills } from "../knowledge/offer-skills.ts";
import type { OpenedLearnings } from "../knowledge/open-learnings.ts";
import type { PersonalMemory } from "../knowledge/open-memory.ts";
import type { MixtureRunnerDeps } from "../models/mixture-runner.ts";
import type { OpenedSpeech } from "../speech/open-speech.ts";
import type { OpenedPages } from "../web/open-pages.ts";
import type { ModelParts } from "./session-model.ts";

/** The services of a runtime that its sessions are opened with. */
export interface SessionDeps {
  readonly config: LoadedConfig;
  readonly parts: ModelParts;
  readonly sessions: SessionStore;
  readonly search: SessionSearch;
  catalog(options: SessionOptions): Promise<Catalog>;
  /** The tools of a toolset, by its name. */
  toolsIn(toolset: string): ReadonlySet<string> | undefined;
  readonly memory: (principal: Principal) => PersonalMemory;
  readonly environments: NamedList<EnvironmentContribution>;
  readonly skills: OfferedSkills;
  readonly learnings: OpenedLearnings;
  readonly policy: Policy;
  readonly approvals: ApprovalSessions;
  readonly desk: ApprovalDesk;
  readonly audit: Ledger;
  readonly hooks: HookBus;
  readonly redactor: SecretRedactor;
  /** Search and reading of web pages, opened by the first request. */
  readonly pages: () => Promise<OpenedPages>;
  /** The browsers of the runtime. Opening starts none. */
  readonly browsers: () => Promise<OpenedBrowsers>;
  /** Creates images and videos, opened by the first request. */
  readonly generator: () => Promise<MediaGenerator>;
  /** The MCP servers. Undefined: there are none. */
  readonly mcp: () => Promise<McpFleet> | undefined;
  /** Open sessions that can start others, by id. */
  readonly parents: Map<SessionId, ParentSession>;
  /** Open sessions, for plugins and MCP servers. */
  readonly live: LiveSessions;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Shows a sentence to the person. */
  readonly say: (sentence: string) => void;
  /** The mixture for the tool `mixture_of_agents`, or the reason why there is none. */
  readonly mixture: (of: Omit<MixtureRunnerDeps, "clock">) => Promise<Result<MixtureRunner>>;
  /** Speech, opened by the first text to speak. */
  readonly speech: () => Promise<OpenedSpeech>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The parts of an open session that the sessions it starts share. */
export interface ParentSession {
  readonly id: SessionId;
  readonly principal: Principal;
  readonly workplace: Workplace;
  readonly browser: Browser | undefined;
  readonly approvals: OpenedApprovals;
  /** The folder whose settings select its tools. Children use the same selection. */
  readonly toolsFolder: string | undefined;
  /** The first session of the family, whose budget applies. */
  readonly budgetOf: SessionId;
  /** The turn of that session. */
  readonly turn: FamilyTurn;
  /** Sessions that close with it. */
  readonly children: Set<Session>;
}

/** A policy request, without the facts that the session adds. */
export type SessionWish = Omit<PolicyRequest, "sessionId" | "principal" | "readOnly" | "place" | "tainted"> & {
  /** Default: false. */
  readonly readOnly?: boolean;
};

/** Open sessions by id, the last opened last. */
export type LiveSessions = Map<SessionId, LiveSession>;

/**
 * A call outside the turns of a session: by a plugin, an MCP client, the user, or a check of a goal. The result is
 * recorded but is not part of the history.
 */
export interface SideCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly origin: "plugin" | "client" | "user" | "model";
  readonly signal: AbortSignal;
  /** Default: a new one. */
  readonly id?: CallId;
  /** Replace the services of the session for this call. */
  readonly services?: Partial<Services>;
  /** Also receives the events of the call. */
  readonly emit?: (event: AgentEventBody) => void;
  /** True: its events reach only `emit`. */
  readonly isQuiet?: boolean;
}

/** An open session, for plugins, MCP clients and MCP servers. */
export interface LiveSession {
  readonly session: Pick<Session, "id" | "turn" | "prompt" | "steer" | "agents">;
  /** The origin of the session: `cli`, `oneshot`. */
  readonly source: string;
  /** Calls a tool through the dispatcher of the session. Never rejects. */
  callTool(call: SideCall): Promise<ToolResult>;
  /** The model of the session, for requests outside the conversation. */
  readonly model: () => ModelClient;
  book(usage: BookedUsage): Promise<void>;
  /** The reason why the budget allows no request now. Undefined: it allows requests. */
  refusal(): Promise<string | undefined>;
  /** Asks the user of the session. Undefined: nobody can answer. */
  readonly asker?: Asker;
  /** The policy's decision about an action that others request outside of calls. */
  decide(wish: SessionWish, signal: AbortSignal): Promise<Verdict>;
  taint(source: TextSource): void;
  /** Reads web pages as `web_extract` does, without a decision of the policy. Never rejects. */
  readPages(wish: ExtractWish, signal: AbortSignal): Promise<readonly PageReport[]>;
  /** The environment of its calls. */
  place(signal: AbortSignal): Promise<Place>;
}
