import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { err } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ApprovalReviewer } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Runtime, Session, SessionOptions } from "../../contracts/session/runtime.ts";
import { createHookBus } from "../../kernel/hook-bus.ts";
import { createSessionGrants } from "../../sessions/session-grants.ts";
import { createSkillUsage } from "../../skills/curator/skill-usage.ts";
import { watchSkills } from "../../skills/watch-skills.ts";
import { openRegistry } from "../calls/open-registry.ts";
import { keepSkills } from "../knowledge/keep-skills.ts";
import { offerSkills } from "../knowledge/offer-skills.ts";
import { openLearnings } from "../knowledge/open-learnings.ts";
import { openSearch } from "../knowledge/open-search.ts";
import { openLog } from "../open-log.ts";
import { openPolicy } from "../policy/open-policy.ts";
import { openRedactor } from "../policy/open-redactor.ts";
import { openKeptSessions, sessionsFile } from "./open-sessions.ts";
import { sessionCatalog } from "./session-catalog.ts";
import { startSession } from "./start-session.ts";
import type { RuntimeParts } from "./thinking.ts";

export interface RuntimeOptions {
  /** Where the program was started. */
  readonly cwd: string;
  /** Whose sessions it opens, unless a session names another principal. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly platform?: string;
  /** A sentence for the person. */
  readonly say?: (sentence: string) => void;
  readonly clock?: Clock;
  /** In place of the store of the home. */
  readonly sessionsFile?: string;
  /** Without the user's own tools. */
  readonly safeMode?: boolean;
}

/** One word is wanted; models that think first need room for it. */
const reviewTokens = 4_000;

export async function createRuntime(
  config: LoadedConfig,
  options: RuntimeOptions,
  thinking: RuntimeParts | ((made: { readonly log: Logger }) => RuntimeParts),
): Promise<Runtime> {
  const { values, home, secrets } = config;
  const { cwd, principal, signal, say = () => {}, clock = systemClock } = options;
  const redactor = openRedactor(secrets, home);
  const log = openLog(config, redactor.redact, clock);
  const parts = typeof thinking === "function" ? thinking({ log }) : thinking;
  const hooks = createHookBus({ clock, log });
  const tools = await openRegistry(config, { signal, clock, isSafe: options.safeMode ?? false });
  let { mode } = values.approvals;
  const reviewers = new Map<SessionId, AuxiliaryModel>();
  const reviewer: ApprovalReviewer = {
    review: async (prompt, session, until) =>
      (await reviewers.get(session)?.complete("approval", prompt, { maxTokens: reviewTokens }, until)) ??
      err({ message: "no model is here to review" }),
  };
  const sessionGrants = createSessionGrants(log);
  const opened = openPolicy(config, { cwd, clock, log, redactor, hooks, reviewer, sessionGrants, mode: () => mode });
  const { policy, desk, ledger: audit, notices } = opened;
  for (const notice of notices()) say(notice);
  const sessions = await openKeptSessions(config, options.sessionsFile, { clock, log, say, principal }, signal);
  const search = openSearch(options.sessionsFile ?? sessionsFile(config), clock);
  const open = new Set<Session>();

  const { platform = "cli" } = options;
  const catalogFor = (asked: SessionOptions) =>
    sessionCatalog(config, asked, { registry: tools.registry, platform, clock, log, signal });

  const learnings = openLearnings(config, { clock, log, say });
  const { skillScores: scores } = learnings;
  const usage = createSkillUsage(join(home.path, homeFiles.skills), clock);
  const skills = offerSkills(config, {
    cwd,
    clock,
    log,
    say,
    scores,
    watcher: watchSkills(usage, hooks),
    isPinned: (name) => usage.read()[name]?.isPinned === true,
    toolsIn: (name) => tools.registry.expand(name)?.tools,
  });
  const keeping = keepSkills(config, { skills, sessions, principal, say, clock, log });
  const start = (asked: SessionOptions) =>
    startSession(asked, {
      config,
      parts,
      sessions,
      search,
      catalog: catalogFor,
      skills,
      learnings,
      policy,
      reviewers,
      sessionGrants,
      desk,
      audit,
      hooks,
      redactor,
      cwd,
      signal,
      say,
      clock,
      logger: log,
    });

  return {
    registry: tools.registry,
    hooks,
    sessions,
    search,
    skills: skills.desk,
    learnings: learnings.desk,
    approvals: desk,
    approvalMode: { get: () => mode, set: (next) => void (mode = next) },
    get diagnostics() {
      return tools.diagnostics;
    },
    async openSession(asked = {}) {
      const session = await start({ source: "library", principal, ...asked });
      open.add(session);
      return session;
    },
    [Symbol.asyncDispose]: once(async () => {
      await Promise.all(Array.from(open, (session) => session[Symbol.asyncDispose]()));
      tools[Symbol.dispose]();
      keeping[Symbol.dispose]();
      await usage.flush();
      await skills[Symbol.asyncDispose]();
      await learnings[Symbol.asyncDispose]();
      await parts.close?.();
      await search[Symbol.asyncDispose]();
      await sessions[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    }),
  };
}
