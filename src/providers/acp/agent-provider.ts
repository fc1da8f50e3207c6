import { abortable, linkAbort } from "../../base/async/abort.ts";
import { createChannel } from "../../base/async/channel.ts";
import type { Clock } from "../../base/clock.ts";
import { defaultTimeouts, type HttpTimeouts } from "../../base/http/http-timeouts.ts";
import { reasonOf } from "../../base/result.ts";
import type { AttemptEvent, ModelError, ModelProvider, ModelRequest } from "../../contracts/model/model.ts";
import type { ProgramEndpoint } from "../endpoint.ts";
import { createToolWriter } from "../protocols/wire-tools.ts";
import { createAgentAnswer } from "./agent-answer.ts";
import { totalTimeoutFault, idleTimeoutFault } from "./agent-faults.ts";
import type { AgentLease, AgentPool } from "./agent-pool.ts";
import { writePrompt } from "./prompt.ts";

export interface AgentProviderDeps {
  readonly agents: AgentPool;
  readonly clock: Clock;
}

/**
 * Uses a program that supports the Agent Client Protocol as a model: each `stream` is one prompt in a new session that
 * contains the whole request. Hermes runs all tools; requests of the program to act by itself are rejected.
 */
export function createAgentProvider(endpoint: ProgramEndpoint, { agents, clock }: AgentProviderDeps): ModelProvider {
  const { program, quirks = {} } = endpoint;
  const timeouts: HttpTimeouts = { ...defaultTimeouts, ...endpoint.timeouts };
  const writeTools = createToolWriter(quirks.schema ?? "openai");

  async function answer(
    request: ModelRequest,
    emit: (event: AttemptEvent) => void,
    patience: Patience,
  ): Promise<AttemptEvent> {
    const { signal } = patience;
    const model = request.model === ownChoice ? undefined : request.model;
    const tools = await writeTools(request.tools);
    for (;;) {
      const leased = await leaseOf(agents.lease(program, model, signal), signal);
      if (!leased.ok) return { type: "error", error: leased.error };
      const { connection, hasWaited, release } = leased.value;
      try {
        patience.watch(leased.value);
        const session = await abortable(connection.newSession(model), signal);
        if (!session.ok && hasWaited && !connection.isOpen()) continue;
        if (!session.ok) return { type: "error", error: session.error };
        const answer = createAgentAnswer(endpoint, tools, emit);
        patience.wait(timeouts.headMs);
        const blocks = writePrompt(request, tools, connection.seesImages && quirks.images !== false);
        const listener = { onActivity: () => patience.wait(timeouts.stallMs), update: answer.take };
        const ended = await abortable(connection.prompt(session.value, blocks, listener), signal);
        if (!ended.ok) return { type: "error", error: ended.error };
        const last = answer.end(ended.value, clock.now());
        if (last.type !== "error") return last;
        return { ...last, error: { ...last.error, message: connection.redact(last.error.message) } };
      } finally {
        release();
      }
    }
  }

  return {
    id: endpoint.providerId,
    async *stream(request, signal) {
      const events = createChannel<AttemptEvent>({ capacity: Number.MAX_SAFE_INTEGER });
      using patience = createPatience(AbortSignal.any([signal, events.readerLeft]));
      void answer(request, events.push, patience)
        .catch((thrown: unknown): AttemptEvent => ({ type: "error", error: patience.fault() ?? mishap(thrown) }))
        .then(events.push)
        .finally(events.end);
      yield* events;
    },
  };

  /** A signal that aborts when the caller's signal does, or when the program sends nothing for too long. */
  function createPatience(parent: AbortSignal): Patience {
    const link = linkAbort(parent);
    let lease: AgentLease | undefined;
    let fault: ModelError | undefined;
    const giveUp = (why: ModelError): void => {
      fault ??= why;
      link.abort(fault);
    };
    const within = (ms: number): Disposable =>
      clock.after(ms, () => giveUp(idleTimeoutFault(program, ms, lease?.connection.complaints() ?? "")));
    let timer = within(openingMs);
    const total = clock.after(timeouts.totalMs, () => giveUp(totalTimeoutFault(program, timeouts.totalMs)));
    return {
      signal: link.signal,
      watch: (watched) => void (lease = watched),
      wait(ms) {
        timer[Symbol.dispose]();
        timer = within(ms);
      },
      fault: () => fault ?? (parent.aborted ? interrupted : undefined),
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        total[Symbol.dispose]();
        link[Symbol.dispose]();
      },
    };
  }

  function mishap(thrown: unknown): ModelError {
    return { kind: "malformed", message: `${endpoint.providerId}: ${reasonOf(thrown)}` };
  }
}

/** Releases the program if it becomes available after the caller aborted. */
async function leaseOf(leasing: ReturnType<AgentPool["lease"]>, signal: AbortSignal): ReturnType<AgentPool["lease"]> {
  try {
    return await abortable(leasing, signal);
  } catch (reason) {
    void leasing.then(
      (late) => late.ok && late.value.release(),
      () => {},
    );
    throw reason;
  }
}

interface Patience extends Disposable {
  readonly signal: AbortSignal;
  /** The program whose standard error is quoted in the message about a timeout. */
  watch(lease: AgentLease): void;
  /** Starts the timeout again. Output of the program stops it. */
  wait(ms: number): void;
  fault(): ModelError | undefined;
}

/** The model name that lets the program choose the model. */
const ownChoice = "default";
/** The maximum time to start, initialise and open a session, which may include a call to the program's service. */
const openingMs = 60_000;

const interrupted: ModelError = { kind: "aborted", message: "the request was cancelled" };
