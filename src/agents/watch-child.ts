import type { Clock } from "../base/clock.ts";
import type { CallId } from "../base/ids.ts";
import type { AgentStatus } from "../contracts/session/agents.ts";
import type { AgentEvent } from "../contracts/session/event.ts";
import { mainArgument } from "../contracts/tool/main-argument.ts";
import type { AgentSettings } from "./agent-ports.ts";

/** Counts of a child, from its events. */
export type ChildCounts = Pick<AgentStatus, "modelCalls" | "toolCalls" | "tokens" | "costUsd" | "context" | "doing">;

export interface ChildWatch extends Disposable {
  readonly counts: ChildCounts;
  /** Starts the timer: from now on, the child must show activity. */
  begin(): void;
  event(event: AgentEvent): void;
  /** Called when one of its own children shows activity. */
  stir(): void;
}

interface WatchPorts {
  readonly clock: Clock;
  readonly settings: Pick<AgentSettings, "idleMs" | "toolMs">;
  waitsForPerson(): Promise<boolean>;
  changed(): void;
  /** Called once, with the reason why the child ends as a timeout. */
  stale(why: string): void;
}

/** Follows the events of a child: counts for the agent tree, and whether the child is still active. */
export function watchChild({ clock, settings, waitsForPerson, changed, stale }: WatchPorts): ChildWatch {
  const counts: { -readonly [K in keyof ChildCounts]: ChildCounts[K] } = { modelCalls: 0, toolCalls: 0, tokens: 0 };
  /** Running tool calls, with the time of their last progress. */
  const calls = new Map<CallId, { readonly name: string; since: number }>();
  let activeAt = clock.elapsed();
  let timer: Disposable | undefined;
  let isOver = false;

  function check(): void {
    const now = clock.elapsed();
    const [oldest] = [...calls.values()].toSorted((a, b) => a.since - b.since);
    const dueAt = oldest ? oldest.since + settings.toolMs : activeAt + settings.idleMs;
    if (now < dueAt) return arm(dueAt - now);
    const why = oldest
      ? `it was in one call of ${oldest.name} for ${settings.toolMs / 1000} s`
      : `it did nothing for ${settings.idleMs / 1000} s`;
    void endUnlessWaiting(why);
  }

  async function endUnlessWaiting(why: string): Promise<void> {
    const isWaiting = await waitsForPerson();
    if (isOver) return;
    if (!isWaiting) return stale(why);
    for (const call of calls.values()) call.since = clock.elapsed();
    activeAt = clock.elapsed();
    arm(Math.min(settings.idleMs, settings.toolMs));
  }

  function arm(ms: number): void {
    timer = clock.after(Math.min(ms, settings.idleMs), check);
  }

  return {
    counts,
    begin() {
      activeAt = clock.elapsed();
      arm(settings.idleMs);
    },
    event(event) {
      activeAt = clock.elapsed();
      switch (event.type) {
        case "model.answered":
          counts.modelCalls += 1;
          counts.tokens += event.usage.input + event.usage.output;
          if (event.usage.costUsd !== undefined) counts.costUsd = (counts.costUsd ?? 0) + event.usage.costUsd;
          break;
        case "context.used":
          counts.context = { tokens: event.tokens, window: event.window };
          break;
        case "tool.started":
          if (event.parentCallId !== undefined) return;
          calls.set(event.callId, { name: event.name, since: activeAt });
          counts.toolCalls += 1;
          counts.doing = `${event.name} ${mainArgument(event.args, maxDoingChars)}`.trim();
          break;
        case "tool.finished":
          if (!calls.delete(event.callId)) return;
          if (calls.size === 0) delete counts.doing;
          break;
        default:
          return;
      }
      changed();
    },
    stir() {
      activeAt = clock.elapsed();
      for (const call of calls.values()) call.since = activeAt;
    },
    [Symbol.dispose]() {
      isOver = true;
      delete counts.doing;
      timer?.[Symbol.dispose]();
    },
  };
}

const maxDoingChars = 120;
