import type { Clock } from "../../../../base/clock.ts";
import type { SessionId } from "../../../../base/ids.ts";
import { withoutUndefined } from "../../../../base/without-undefined.ts";
import type { AgentEvent } from "../../../../contracts/session/event.ts";
import type { GoalsStatus } from "../../../../contracts/session/goals.ts";
import type { Session } from "../../../../contracts/session/runtime.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { FeedState } from "../../chat/feed/feed-state.ts";
import type { StatusSegment } from "../parts.ts";
import type { StatusFacts } from "./status-bar.ts";

/**
 * The facts of the status line: some from events as they arrive, the others from `session.status` when a turn or
 * command ends.
 */
export interface SessionStatus {
  show(event: AgentEvent): void;
  /**
   * Reads the facts that no event reports. If a read is running, waits for it and reads again, because it may have
   * started too early.
   */
  refresh(): void;
  /** Undefined until the first read. */
  facts(): StatusFacts | undefined;
}

export interface SessionStatusParts {
  readonly clock: Clock;
  session(): Session;
  /** Runs `session.status`. Undefined: it failed. */
  read(): Promise<OutputOf<"session.status"> | undefined>;
  state(): FeedState;
  segments(): readonly StatusSegment[];
  changed(): void;
}

interface SeenFacts {
  readonly sessionId: SessionId;
  turn?: { readonly startedAt: number; endedAt?: number };
  context?: StatusFacts["context"];
  compactions: number;
  /** Cost of answers since the last read. */
  addedUsd: number | undefined;
  hasUsage: boolean;
}

/** `2/20 fix the tests`; a paused goal has a mark. Without a goal, the prompt of a loop. */
function goalText({ goal, loop }: GoalsStatus): string | undefined {
  if (goal && goal.state !== "done")
    return `${goal.state === "paused" ? "‖ " : ""}${goal.turns}/${goal.maxTurns} ${goal.text}`;
  return loop && `${loop.state === "paused" ? "‖" : "↻"} ${loop.prompt}`;
}

export function createSessionStatus(parts: SessionStatusParts): SessionStatus {
  const { clock } = parts;
  let read: OutputOf<"session.status"> | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;
  /** Facts from events, with the session that they belong to. */
  let seen: SeenFacts | undefined;

  function refresh(): void {
    if (reading) return void (isStale = true);
    reading = (async () => {
      const status = await parts.read().catch(() => undefined);
      reading = undefined;
      if (status) {
        read = status;
        if (seen) seen.addedUsd = 0;
        parts.changed();
      }
      if (isStale) {
        isStale = false;
        refresh();
      }
    })();
  }

  return {
    refresh,
    show(event) {
      if (seen?.sessionId !== event.sessionId)
        seen = { sessionId: event.sessionId, compactions: 0, addedUsd: 0, hasUsage: false };
      if (event.type === "turn.started") seen.turn = { startedAt: event.at };
      if (event.type === "context.used") seen.context = event;
      if (event.type === "context.compacted") seen.compactions++;
      if (event.type === "model.answered") {
        const { costUsd } = event.usage;
        seen.addedUsd = seen.addedUsd === undefined || costUsd === undefined ? undefined : seen.addedUsd + costUsd;
        seen.hasUsage = true;
      }
      if (event.type === "turn.finished") {
        if (seen.turn) seen.turn.endedAt = event.at;
        refresh();
      }
    },
    facts() {
      if (!read) return undefined;
      const session = parts.session();
      const { agents } = parts.state();
      const {
        context = read.context,
        compactions,
        turn,
        addedUsd,
        hasUsage,
      } = seen?.sessionId === session.id ? seen : { compactions: 0, addedUsd: 0, hasUsage: false };
      const goal = goalText(session.goals.status());
      const { provider, model, offline } = session.model();
      const readUsd = read.calls === 0 ? 0 : read.costUsd;
      const total = readUsd === undefined || addedUsd === undefined ? undefined : readUsd + addedUsd;
      return {
        backgroundSessions: session.background.list().filter(({ end }) => end === undefined).length,
        isPlanning: session.planning.status() !== undefined,
        model: `${provider}/${model}`,
        isOffline: offline === true,
        context,
        ...withoutUndefined({ goal, costUsd: total, branch: read.branch, title: read.title, cwd: read.cwd }),
        hasUsage: hasUsage || (read.costUsd ?? 0) > 0,
        ...(turn && { turnMs: (turn.endedAt ?? clock.now()) - turn.startedAt }),
        backend: read.backend,
        isolation: read.isolation,
        approvals: session.heldBy === undefined ? session.approvals.mode() : "readonly",
        queued: session.queued.length,
        processes: read.processes,
        agents: agents.filter(({ state }) => state === "running" || state === "waiting").length,
        compactions,
        segments: parts.segments(),
      };
    },
  };
}
