import { newId, type TurnId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { ContentPart, UserMessage } from "../../contracts/model/message.ts";
import { noUsage } from "../../contracts/model/model.ts";
import type { TurnOutcome } from "../../contracts/session/event.ts";
import type { QueueEditing, Turn } from "../../contracts/session/runtime.ts";
import type { OngoingConversation } from "../../contracts/session/turn-companion.ts";
import type { EventHub } from "./event-hub.ts";
import type { Steering } from "./steering.ts";

export interface ConversationPorts {
  readonly hub: EventHub;
  readonly steering: Steering;
  /** Never rejects. */
  run(id: TurnId, prompt: UserMessage, signal: AbortSignal, conversation: OngoingConversation): Promise<TurnOutcome>;
  /** Stores the changed queue of prompts, so that it survives a crash. */
  queueChanged(queue: readonly (readonly ContentPart[])[]): Promise<void>;
  readonly log: Logger;
}

/** Runs turns one after another. A message that arrives during a turn waits, steers the turn, or stops it. */
export interface Conversation extends AsyncDisposable {
  readonly turn: Turn | undefined;
  readonly queued: readonly (readonly ContentPart[])[];
  prompt(content: readonly ContentPart[]): Turn;
  queue(content: readonly ContentPart[]): void;
  steer(content: readonly ContentPart[]): void;
  redirect(content: readonly ContentPart[]): void;
  readonly heldPrompts: number;
  isHeld(place: number): boolean;
  /** Queues the prompts of an earlier process, held. */
  restoreQueue(queue: readonly (readonly ContentPart[])[]): void;
  /** Stores the queue again after the head has moved to a path with another one. */
  storeQueue(): void;
  stop(reason: string): Turn | undefined;
  sendHeld(): boolean;
  clearQueue(): void;
  readonly editQueue: QueueEditing;
}

interface WaitingTurn {
  content: readonly ContentPart[];
  /** It waits until the user sends it. */
  isHeld: boolean;
  /** Nobody awaits its end, so it can be held after a failure. */
  isQueued: boolean;
  readonly turn: Turn;
  readonly controller: AbortController;
  /** Emits the start event and runs the turn. */
  run(): Promise<TurnOutcome>;
  /** Emits the end event. */
  end(outcome: TurnOutcome): void;
  /** Ends the turn before it starts, without events. */
  drop(): void;
}

export function createConversation(ports: ConversationPorts): Conversation {
  const { hub, steering, log } = ports;
  let waiting: WaitingTurn[] = [];
  let running: WaitingTurn | undefined;
  let isClosed = false;
  let hasQueue = false;
  let reportedHeld = 0;
  /** The turn that the user stopped. */
  let stopped: WaitingTurn | undefined;

  function add(content: readonly ContentPart[], isQueued: boolean): Turn {
    const next = Object.assign(newTurn(content), { isQueued });
    if (isClosed) next.controller.abort("the conversation is closed");
    const firstQueued = waiting.findIndex((each) => each.isQueued);
    waiting.splice(isQueued || firstQueued < 0 ? waiting.length : firstQueued, 0, next);
    if (running) tellQueue();
    else startNext();
    return next.turn;
  }

  const prompt = (content: readonly ContentPart[]) => add(content, false);

  function newTurn(content: readonly ContentPart[]): WaitingTurn {
    const id = newId<TurnId>("turn");
    const controller = new AbortController();
    const done = Promise.withResolvers<TurnOutcome>();
    /** The sequence number of the first event. Undefined: the turn never starts. */
    const started = Promise.withResolvers<number | undefined>();
    const turn: Turn = {
      id,
      done: done.promise,
      async *events(fromSeq) {
        const start = await started.promise;
        if (start === undefined) return;
        yield* hub.read(fromSeq ?? start, (event) => event.type === "turn.finished" && event.turnId === id);
      },
      abort(reason) {
        controller.abort(reason);
        if (running?.turn !== turn) drop(id);
      },
    };
    const next: WaitingTurn = {
      content,
      isHeld: false,
      isQueued: false,
      turn,
      controller,
      async run() {
        started.resolve(hub.next);
        const prompt = next.content;
        hub.emit({ type: "turn.started", turnId: id, prompt });
        if (controller.signal.aborted) return neverBegun(controller.signal);
        return ports.run(id, { role: "user", content: prompt }, controller.signal, conversation);
      },
      end(outcome) {
        hub.emit({ type: "turn.finished", turnId: id, outcome });
        done.resolve(outcome);
      },
      drop() {
        started.resolve(undefined);
        done.resolve(neverBegun(controller.signal));
      },
    };
    return next;
  }

  /** A waiting turn that is aborted has no events: the turn that runs would seem to end. */
  function drop(id: TurnId): void {
    const dropped = waiting.find(({ turn }) => turn.id === id);
    if (!dropped) return;
    waiting = waiting.filter((each) => each !== dropped);
    tellQueue();
    dropped.drop();
  }

  function startNext(): void {
    const next = waiting.find(({ isHeld }) => !isHeld);
    if (!next) return;
    waiting = waiting.filter((each) => each !== next);
    running = next;
    tellQueue();
    void runToEnd(next);
  }

  async function runToEnd(next: WaitingTurn): Promise<void> {
    const outcome = await next.run();
    running = undefined;
    // The next prompts would probably fail too, and the user would have to send each of them again.
    if (outcome.reason === "failed") {
      for (const each of waiting) each.isHeld ||= each.isQueued;
      tellHeld();
    }
    next.end(outcome);
    // A message that arrived too late for the turn starts the next turn.
    const late = steering.take().flat();
    if (late.length > 0 && !isClosed) {
      const first = newTurn(late);
      first.isHeld = next === stopped;
      waiting.unshift(first);
      tellQueue();
    }
    startNext();
  }

  const heldCount = () => waiting.filter(({ isHeld }) => isHeld).length;

  function tellHeld(): void {
    const prompts = heldCount();
    if (prompts === reportedHeld) return;
    reportedHeld = prompts;
    hub.emit({ type: "queue.held", prompts });
  }

  function tellQueue(): void {
    tellHeld();
    if (waiting.length === 0 && !hasQueue) return;
    hasQueue = waiting.length > 0;
    const stored = ports.queueChanged(waiting.map(({ content }) => content));
    stored.catch((thrown: unknown) => log.error("queue.not_stored", { error: reasonOf(thrown) }));
  }

  const editQueue: QueueEditing = {
    replace(place, content) {
      const edited = waiting[place];
      if (!edited) return false;
      edited.content = content;
      tellQueue();
      return true;
    },
    remove(place) {
      const removed = waiting[place];
      removed?.turn.abort("removed from the queue");
      return removed !== undefined;
    },
    move(from, to) {
      const moved = waiting[from];
      if (!moved || !waiting[to]) return false;
      waiting = waiting.filter((each) => each !== moved).toSpliced(to, 0, moved);
      tellQueue();
      return true;
    },
  };

  const conversation: Conversation = {
    get turn() {
      return running?.turn;
    },
    get queued() {
      return waiting.map(({ content }) => content);
    },
    get heldPrompts() {
      return heldCount();
    },
    isHeld: (place) => waiting[place]?.isHeld ?? false,
    restoreQueue(queue) {
      const restored = queue.map((content) => Object.assign(newTurn(content), { isHeld: true, isQueued: true }));
      waiting = [...restored, ...waiting];
      hasQueue = waiting.length > 0;
      tellHeld();
    },
    storeQueue() {
      if (waiting.length > 0) tellQueue();
    },
    stop(reason) {
      if (!running) return undefined;
      stopped = running;
      for (const each of waiting) each.isHeld = true;
      tellHeld();
      running.turn.abort(reason);
      return running.turn;
    },
    sendHeld() {
      if (heldCount() === 0) return false;
      for (const each of waiting) each.isHeld = false;
      if (running) tellHeld();
      else startNext();
      return true;
    },
    prompt,
    queue: (content) => void add(content, true),
    steer: (content) => void (running ? steering.steer(content) : prompt(content)),
    redirect: (content) => void (running ? steering.redirect(content) : prompt(content)),
    clearQueue() {
      for (const { turn } of waiting) turn.abort("taken off the queue");
    },
    editQueue,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const last = running?.turn;
      // The queue stays stored until the session is resumed.
      waiting = [];
      last?.abort("the conversation is closed");
      await last?.done;
      hub.close();
    },
  };
  return conversation;
}

function neverBegun({ reason }: AbortSignal): TurnOutcome {
  const why = typeof reason === "string" ? reason : reasonOf(reason);
  return { reason: "aborted", text: "", why, usage: noUsage, modelCalls: 0, toolCalls: 0 };
}
