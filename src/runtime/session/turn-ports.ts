import { asId, type CallId } from "../../base/ids.ts";
import { type ModelClient, noUsage } from "../../contracts/model/model.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";
import { serviceTargets } from "../../kernel/dispatch/admission/service-targets.ts";
import type { ContextKeeper } from "../../kernel/loop/context-keeper.ts";
import { createGuardrails } from "../../kernel/loop/guardrails.ts";
import { createTranscript } from "../../kernel/loop/record/transcript.ts";
import type { TurnPorts } from "../../kernel/loop/turn.ts";
import type { PendingMarks } from "../../kernel/session/conversation-marks.ts";
import { describedImages } from "../../kernel/session/described-images.ts";
import { taintingReads } from "../../kernel/session/session-taint.ts";
import type { SessionAgents } from "../agents/session-agents.ts";
import { lazyGenerator } from "../media/lazy-generator.ts";
import { openPictures } from "../media/open-pictures.ts";
import { lazySpeech } from "../speech/lazy-speech.ts";
import { lazyPages } from "../web/lazy-pages.ts";
import type { ConversationStages } from "./conversation-stages.ts";
import type { OpenedMail } from "./services/open-mail.ts";
import { sessionAsker } from "./session-asker.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionPlan } from "./session-plan.ts";
import { hasTerminal } from "./session-workbench.ts";

interface TurnParts {
  readonly context: ContextKeeper;
  readonly steering: TurnPorts["steering"];
  readonly plan: SessionPlan;
  readonly pendingMarks: PendingMarks;
  readonly agents: SessionAgents;
  readonly mail: OpenedMail;
  readonly emit: (event: AgentEventBody) => void;
}

/** Builds the dependencies of one turn. */
export function turnPorts(
  { opened, bench, knowledge, sessionModel, requests, tap }: ConversationStages,
  { context, steering, plan, pendingMarks, agents, mail, emit }: TurnParts,
  {
    config,
    cwd,
    parts,
    mixture: openMixture,
    pages: openPages,
    speech: openSpeech,
    generator: openGenerator,
    hooks,
    redactor,
    say,
    clock,
    logger,
    sessions,
  }: SessionDeps,
): (signal: AbortSignal) => Promise<TurnPorts> {
  const { options, principal, record, catalog, model, log } = opened;
  const { workbench } = bench;
  const { id } = record;
  const transcript = createTranscript((entry) => sessions.entry(id, entry));
  const dispatcher = tap.dispatcher(workbench.dispatcher);
  const { redact_secrets: redacts } = config.values.security;
  const redact = (text: string) => (redacts ? redactor.redact(text) : text);
  const inWords = describedImages({
    entries: opened.entries,
    store: (entry) => log.append([entry]),
    auxiliary: sessionModel.auxiliary,
    isPossible: (main) => parts.models.describesImages?.(main) === true,
    redact,
    mode: config.values.agent.image_input_mode,
    say,
  });
  const generator = lazyGenerator(openGenerator);
  const pictures = openPictures(config, {
    cwd: record.cwd ?? options.cwd ?? cwd,
    clock,
    model: () => model.facts(),
    auxiliary: sessionModel.auxiliary,
    redact,
  });
  const budgeted = {
    refusal: (tokens: number) => requests.spend.refusal(noUsage, tokens),
    book: async (usage: BookedUsage) => void (await log.append([{ type: "usage", ...usage }])),
  };
  const { provider, model: reader, base_url: address } = config.values.auxiliary.web_extract;
  const hasReader = provider !== "auto" || reader !== "" || address !== "";
  const pages = lazyPages(openPages, hasReader ? { auxiliary: sessionModel.auxiliary } : {});
  const speech = lazySpeech(openSpeech);
  const targets = serviceTargets({ pages, generator, speech });
  const wrapped = wrappedOnce((client) => tap.model(inWords(client)));
  return async (signal) => {
    const { services, ...surroundings } = await workbench.surroundings(signal);
    await mail.received?.refresh();
    const taint = plan.taint();
    const mixture = catalog.has("mixture_of_agents") ? await openMixture(budgeted) : undefined;
    return {
      model: () => wrapped(model.current()),
      dispatcher,
      log,
      ...(opened.lease && { draft: opened.lease.draft }),
      context,
      meter: sessionModel.meter,
      spend: requests.spend,
      steering,
      guardrails: createGuardrails(clock),
      ...(sessionModel.remark && { remark: sessionModel.remark }),
      ...(sessionModel.unfinished && { unfinished: sessionModel.unfinished }),
      ...(sessionModel.leftovers && { leftovers: sessionModel.leftovers }),
      asking: () => hasTerminal(opened) && workbench.startShell(),
      settled: pendingMarks.settled,
      hooks,
      request: requests.request,
      scope: {
        ...surroundings,
        // Passes the object itself and not a copy, because its folder is read on each access.
        place: Object.assign(surroundings.place, { serviceTargets: targets }),
        catalog,
        sessionId: id,
        origin: "model",
        principal,
        services: {
          ...services,
          ...taintingReads(knowledge.services, taint.record),
          ...(options.asker && { asker: sessionAsker(options.asker, record.source, config.values, clock) }),
          ...(options.secrets && { secretAsker: options.secrets }),
          ...options.services,
          ...(mixture?.ok && { mixture: mixture.value }),
          pages,
          toolIndex: catalog.search,
          todos: plan.todos(),
          transcript,
          pictures,
          speech,
          generator,
          agents: agents.service(taint.record),
          sessionMail: mail.sender(taint),
          ...(workbench.checkpoints && {
            checkpoints: { ...workbench.checkpoints, conversation: pendingMarks.marks },
          }),
        },
        taint,
      },
      inbox: () => [
        ...workbench.inbox.take(id),
        ...agents.arrived(taint.record),
        ...(mail.received?.arrived(taint.record) ?? []),
      ],
      callsBelow: agents.callsBelow,
      emit,
      clock,
      logger,
      limits: {
        modelCalls: requests.maxModelCalls,
        retries: config.values.agent.api_max_retries,
        verifyNudges: config.values.agent.max_verify_nudges,
      },
      spill: (name, text, signal) => workbench.spill.spill(asId<CallId>(name), text, signal),
    };
  };
}

/** Wraps a client once, even if the turn requests it repeatedly. */
function wrappedOnce(wrap: (client: ModelClient) => ModelClient): (client: ModelClient) => ModelClient {
  const wrapped = new WeakMap<ModelClient, ModelClient>();
  return (client) => {
    const model = wrapped.get(client) ?? wrap(client);
    wrapped.set(client, model);
    return model;
  };
}
