import type { Clock } from "../../../../base/clock.ts";
import { withoutUndefined } from "../../../../base/without-undefined.ts";
import type { AgentEvent } from "../../../../contracts/session/event.ts";
import type { Session } from "../../../../contracts/session/runtime.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { FeedState } from "../../chat/feed/feed-state.ts";
import type { StatusSegment } from "../parts.ts";
import type { StatusFacts } from "./status-bar.ts";

/** The facts of the status line: from events as they come, the others from `session.status` when a turn or command ends. */
export interface SessionStatus {
  show(event: AgentEvent): void;
  /** Reads the facts that no event reports. Waits for a running read; asks again if it was too early. */
  refresh(): void;
  /** Undefined until the first read. */
  facts(): StatusFacts | undefined;
  /** Milliseconds until the duration changes. */
  redrawAfterMs(): number | undefined;
}

export interface SessionStatusParts {
  readonly clock: Clock;
  session(): Session;
  /** Runs `session.status`. Undefined: it failed. */
  read(): Promise<OutputOf<"session.status"> | undefined>;
  state(): FeedState;
  segments(): readonly StatusSegment[];
  /** Turns in the background, the goal, the mode of the editor. */
  extra?(): Partial<Pick<StatusFacts, "backgroundTurns" | "goal" | "viMode">>;
  changed(): void;
}

export function createSessionStatus(parts: SessionStatusParts): SessionStatus {
  const { clock } = parts;
  let read: OutputOf<"session.status"> | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;
  let turn: { readonly startedAt: number; endedAt?: number } | undefined;
  /** Cost of answers since the last read. */
  let addedUsd: number | undefined = 0;
  let hasUsage = false;

  function refresh(): void {
    if (reading) return void (isStale = true);
    reading = (async () => {
      const status = await parts.read().catch(() => undefined);
      reading = undefined;
      if (status) {
        read = status;
        addedUsd = 0;
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
      if (event.type === "turn.started") turn = { startedAt: event.at };
      if (event.type === "model.answered") {
        const { costUsd } = event.usage;
        addedUsd = addedUsd === undefined || costUsd === undefined ? undefined : addedUsd + costUsd;
        hasUsage = true;
      }
      if (event.type === "turn.finished") {
        if (turn) turn.endedAt = event.at;
        refresh();
      }
    },
    facts() {
      if (!read) return undefined;
      const session = parts.session();
      const { agents, compactions, context = read.context } = parts.state();
      const { provider, model, offline } = session.model();
      const total = read.costUsd === undefined || addedUsd === undefined ? undefined : read.costUsd + addedUsd;
      return {
        backgroundTurns: 0,
        ...parts.extra?.(),
        model: `${provider}/${model}`,
        isOffline: offline === true,
        context,
        ...withoutUndefined({ costUsd: total, branch: read.branch, title: read.title, cwd: read.cwd }),
        hasUsage: hasUsage || (read.costUsd ?? 0) > 0,
        ...(turn && { turnMs: (turn.endedAt ?? clock.now()) - turn.startedAt }),
        backend: read.backend,
        isolation: read.isolation,
        approvals: session.approvals.mode(),
        queued: session.queued.length,
        processes: read.processes,
        agents: agents.filter(({ state }) => state === "running" || state === "waiting").length,
        compactions,
        segments: parts.segments(),
      };
    },
    redrawAfterMs: () => (turn && turn.endedAt === undefined ? 1_000 : undefined),
  };
}
