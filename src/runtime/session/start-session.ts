import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { NamedList } from "../../base/named-list.ts";
import { ok } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { EnvironmentContribution } from "../../contracts/host/plugin.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import { effortNamed, noUsage, type ModelClient, type ModelSource } from "../../contracts/model/model.ts";
import type { ApprovalDesk } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { AgentEvent } from "../../contracts/session/event.ts";
import type { Session, SessionOptions } from "../../contracts/session/runtime.ts";
import type { SessionSearch } from "../../contracts/session/session-search.ts";
import type { SessionTap } from "../../contracts/session/session-tap.ts";
import type { Entry, EntryBody, Lease, SessionRecord, SessionStore } from "../../contracts/session/session.ts";
import { afterFirstTurn, type TurnCompanion } from "../../contracts/session/turn-companion.ts";
import type { Policy } from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import { combineLedgers, createSessionLog } from "../../kernel/loop/session-log.ts";
import { createSpendGuard } from "../../kernel/loop/spend-guard.ts";
import { createTouchedFiles, tellingOfFiles } from "../../kernel/loop/touched-files.ts";
import { modelCompanion } from "../../sessions/model-companion.ts";
import type { ApprovalSessions } from "../../sessions/session-approvals.ts";
import { freeTitle } from "../../sessions/session-title.ts";
import { titleCompanion } from "../../sessions/title-companion.ts";
import { usedSkills } from "../../skills/used-skills.ts";
import { openWorkbench } from "../calls/open-workbench.ts";
import { learningCompanions } from "../knowledge/learning-companions.ts";
import type { OfferedSkills } from "../knowledge/offer-skills.ts";
import type { OpenedLearnings } from "../knowledge/open-learnings.ts";
import type { PersonalMemory } from "../knowledge/open-memory.ts";
import { givingVariables, sessionSkills } from "../knowledge/session-skills.ts";
import { createSkillGrants } from "../knowledge/skill-surroundings.ts";
import type { SecretRedactor } from "../policy/open-redactor.ts";
import { openSession, type SessionParts } from "./open-session.ts";
import { openSessionApprovalDesk } from "./session-approval-desk.ts";
import { spendCaps } from "./spend-caps.ts";
import type { Mind, RuntimeParts } from "./thinking.ts";

export interface StartDeps {
  readonly config: LoadedConfig;
  readonly parts: RuntimeParts;
  readonly sessions: SessionStore;
  readonly search: SessionSearch;
  catalog(asked: SessionOptions): Promise<Catalog>;
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
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A new session, or one that is gone on with. Rejects with what a person can act on. */
export async function startSession(asked: SessionOptions, deps: StartDeps): Promise<Session> {
  const { config, parts, sessions, desk, hooks, clock, logger, signal, say } = deps;
  const { principal } = asked;
  const found = await parts.models.open(asked.model, asked.provider);
  if (!found.ok) throw new Error(found.error.message);
  const model = found.value;
  const [catalog, opened] = await Promise.all([deps.catalog(asked), openRecord(asked, principal, model, deps)]);
  const { record, entries, lease, heldBy } = opened;
  const damaged = entries.filter(({ type }) => type === "damaged").length;
  if (damaged > 0) say(`${plural(damaged, "entry")} of this session cannot be read any more: what they said is lost.`);
  const log = createSessionLog(record.id, entries, sessions);
  const files = createTouchedFiles(entries);
  const grants = createSkillGrants();
  const bench = openWorkbench(config, {
    sessionId: record.id,
    principal,
    cwd: asked.cwd ?? record.cwd ?? deps.cwd,
    task: undefined,
    environments: deps.environments,
    skillFiles: () => [...grants.files.values()],
    secretAsker: asked.secrets,
    say,
    hooks,
    policy: deps.policy,
    ledger: combineLedgers(deps.audit, tellingOfFiles(log.ledger, files)),
    redactor: deps.redactor,
    images: model.facts().vision,
    clock,
    log: logger,
  });
  const used = usedSkills(entries);
  const regranted = once(async () => {
    if (used.length > 0) await skills.grant(used, (await bench.surroundings(signal)).place);
  });
  const workbench = givingVariables(bench, grants.variables, regranted);
  const { id: sessionId } = record;
  const { redactor } = deps;
  const about = { asked, sessionId, principal, catalog, workbench, grants, redactor, log: logger, signal };
  const skills = sessionSkills(deps.skills, about);
  if (lease && catalog.definitions.some(({ name }) => name === "terminal")) {
    workbench.startShell();
    workbench.getReady();
  }
  const spend = createSpendGuard(spendCaps(config), { sessionId: record.id, principal }, { store: sessions, clock });
  const memory = deps.memory(principal);
  let chosen = model;
  const mind = await parts.mind({
    model: {
      facts: () => chosen.facts(),
      stream: (request, until) => chosen.stream(request, until),
      get beside() {
        return chosen.beside ?? chosen;
      },
    },
    catalog,
    workbench,
    log,
    redactor: deps.redactor,
    hooks,
    sessionId: record.id,
    memory,
    skills,
    learner: deps.learnings.learner({ principal, redactor: deps.redactor }),
    ignoreRules: asked.ignoreRules ?? false,
    refusal: () => spend.refusal(noUsage),
    say,
    signal,
  });
  const { system, tools = catalog.definitions } = storedPrompt(entries) ?? (await newPrompt());

  async function newPrompt(): Promise<Prompted> {
    const { place } = await workbench.surroundings(signal);
    const { system: made, notices } = await mind.prompt({ place, source: asked.source });
    for (const notice of notices) say(notice);
    const prompted = { system: made, tools: catalog.definitions };
    if (lease) await log.append([{ type: "prompted", ...prompted }]);
    return prompted;
  }

  function ownCompanions(): readonly TurnCompanion[] {
    const first = record.model ?? "";
    return [
      modelCompanion({ first, model: () => chosen.facts(), history: () => log.history.messages }),
      ...(lease ? titles(mind.auxiliary) : []),
      ...(titledSources.has(asked.source) && parts.refresh ? [afterFirstTurn(parts.refresh)] : []),
      ...(lease ? lookingBack() : []),
    ];
  }

  function lookingBack(): readonly TurnCompanion[] {
    return learningCompanions(config, {
      asked,
      sessionId,
      principal,
      catalog,
      log,
      workbench,
      memory,
      skills,
      say,
      clock,
      logger,
      learnings: deps.learnings,
      models: parts.models,
      model: () => chosen.beside ?? chosen,
      request: (messages) => ({
        system,
        messages,
        tools: definitions,
        conversation: record.id,
        cacheMarks: mind.cacheMarks(messages),
        ...(mind.cacheTtl && { cacheTtl: mind.cacheTtl }),
        ...reasoningOf(asked, config),
      }),
      refusal: () => spend.refusal(noUsage),
      session: () => session,
    });
  }

  /** Where a person talks; what was asked once is found by its beginning. */
  function titles(auxiliary: AuxiliaryModel): readonly TurnCompanion[] {
    const { enabled, language } = config.values.auxiliary.title_generation;
    if (!enabled || !titledSources.has(asked.source) || record.title !== undefined) return [];
    return [
      titleCompanion({
        auxiliary,
        language,
        isOffline: () => chosen.facts().offline === true,
        current: async () => (await sessions.get(record.id, principal))?.title,
        async keep(made) {
          const title = await freeTitle(made, record, sessions);
          if (title.ok) await log.append([{ type: "titled", title: title.value, by: "model" }]);
        },
        redactor: deps.redactor,
        clock,
        log: logger,
      }),
    ];
  }

  const approvals = deps.approvals.open(record.id, {
    mode: config.values.approvals.mode,
    entries,
    ...(lease && { store: (body: EntryBody) => log.append([body]) }),
    reviewer: {
      review: (prompt, until) => mind.auxiliary.complete("approval", prompt, { maxTokens: maxReviewTokens }, until),
    },
  });
  const modelCalls = asked.maxTurns ?? config.values.agent.max_turns;
  // Tools that came or went since then do not change what was sent: new ones are found by search.
  const definitions = asked.tools ? catalog.definitions : tools;
  const tap =
    lease &&
    (await parts.tap?.({
      record,
      history: log.history.messages,
      system,
      tools: definitions,
      model: model.facts(),
      modelCalls,
      ...(asked.record !== undefined && { wish: asked.record }),
      entries: () => sessions.path(record.id),
      redact: (text) => deps.redactor.redact(text),
    }));

  const session = await openSession({
    record,
    principal,
    ...(lease && { lease }),
    ...(heldBy !== undefined && { heldBy }),
    entries,
    ...(asked.branch !== undefined && { branch: asked.branch }),
    store: sessions,
    model: tap?.model(model) ?? model,
    models: tap ? tappedModels(parts.models, tap) : parts.models,
    modelChanged: (next) => void (chosen = next),
    catalog,
    system,
    tools: definitions,
    ...mind,
    ...(tap && { engine: tap.engine(mind.engine), watch: both(mind.watch, tap.watch) }),
    log,
    files,
    workbench: tap ? { ...workbench, dispatcher: tap.dispatcher(workbench.dispatcher) } : workbench,
    approvals: openSessionApprovalDesk(approvals, principal, desk),
    spend,
    modelCalls,
    ...reasoningOf(asked, config),
    knowledge: {
      memory: memory.store({ by: "model", session: record.id }, say),
      skills: skills.library(),
      sessions,
      sessionSearch: deps.search,
    },
    companions:
      asked.source === "replay"
        ? []
        : [
            skills.companion,
            ...memory.companion({ session: record.id, say }),
            ...ownCompanions(),
            { close: async () => approvals[Symbol.dispose]() },
          ],
    askers: { ...(asked.asker && { asker: asked.asker }), ...(asked.secrets && { secretAsker: asked.secrets }) },
    hooks,
    clock,
    logger,
  }).catch(async (thrown: unknown) => {
    await tap?.[Symbol.asyncDispose]();
    throw thrown;
  });
  return tap ? tap.session(closing(session, tap)) : session;
}

/** The answer is one word; models that reason first need room. */
const maxReviewTokens = 4_000;

/** Where sessions are looked for by their titles. */
const titledSources: ReadonlySet<string> = new Set(["cli"]);

function tappedModels(models: ModelSource, tap: SessionTap): ModelSource {
  return {
    async open(name, provider) {
      const opened = await models.open(name, provider);
      return opened.ok ? ok(tap.model(opened.value)) : opened;
    },
  };
}

function both(one: Mind["watch"], other: SessionTap["watch"]): (event: AgentEvent) => void {
  return (event) => {
    one?.(event);
    other(event);
  };
}

/** The session, with a tap that ends after it. */
function closing(session: Session, tap: SessionTap): Session {
  return Object.assign(Object.create(session), {
    [Symbol.asyncDispose]: once(async () => {
      await session[Symbol.asyncDispose]();
      await tap[Symbol.asyncDispose]();
    }),
  });
}

interface OpenedRecord {
  readonly record: SessionRecord;
  readonly entries: readonly Entry[];
  readonly lease?: Lease;
  readonly heldBy?: string;
}

async function openRecord(
  asked: SessionOptions,
  principal: Principal,
  model: ModelClient,
  { sessions, cwd }: StartDeps,
): Promise<OpenedRecord> {
  const { resume, source } = asked;
  const resumed = resume === undefined ? undefined : await sessions.get(resume, principal);
  if (resume !== undefined && !resumed) throw new Error(`There is no session ${resume}.`);
  const { provider, model: name } = model.facts();
  const about = { source, principal, cwd: asked.cwd ?? cwd, model: `${provider}/${name}` };
  const title = resumed || !asked.title ? undefined : await freeTitle(asked.title, { principal }, sessions);
  const record = resumed ?? (await sessions.create({ ...about, ...(title?.ok && { title: title.value }) }));
  const leased = await sessions.lease(record.id, source);
  const entries = resumed ? await sessions.path(record.id) : [];
  return leased.ok ? { record, entries, lease: leased.value } : { record, entries, heldBy: leased.error.heldBy };
}

type Prompted = Pick<Extract<Entry, { readonly type: "prompted" }>, "system" | "tools">;

function storedPrompt(entries: readonly Entry[]): Prompted | undefined {
  return entries.findLast((entry) => entry.type === "prompted");
}

/** What was asked for, else the settings; `auto` leaves it to the provider. */
function reasoningOf(asked: SessionOptions, { values }: LoadedConfig): Pick<SessionParts, "reasoning"> {
  const reasoning = asked.reasoning ?? effortNamed(values.agent.reasoning_effort);
  return reasoning === undefined ? {} : { reasoning };
}
