import { abortable, linkAbort, sleep } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/clock.ts";
import { type ApprovalId, newId } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log/log.ts";
import { err, ok, reasonOf } from "../../../base/result.ts";
import {
  type ApprovalDesk,
  type ApprovalSurface,
  type Audience,
  type PendingApproval,
  type Question,
  type QuestionOutcome,
  QuestionSettled,
} from "../../../contracts/safety/approval.ts";
import type { Principal } from "../../../contracts/safety/principal.ts";
import type { ApprovalStore, StoredAnswer } from "./approval-store.ts";

export interface ApprovalDeskDeps {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** The time after which a question without an answer is denied. */
  readonly timeoutMs: number;
  /** The interval between two checks for answers from other programs. */
  readonly pollMs?: number;
  /** Called for each question. `surfaces` contains the names of the surfaces that show it. */
  readonly asked?: (pending: PendingApproval, surfaces: readonly string[]) => void;
  readonly settled?: (pending: PendingApproval, settled: QuestionOutcome, surfaces: readonly string[]) => void;
}

export function createApprovalDesk(deps: ApprovalDeskDeps): ApprovalDesk {
  const { store, clock, log, timeoutMs, pollMs = defaultPollMs } = deps;
  /** One surface can show the questions of several sessions. */
  const surfaces = new Set<{ readonly surface: ApprovalSurface; readonly audience: Audience }>();
  /** The pending questions of this process, each with a function that shows it on another surface. */
  const waiting = new Map<PendingApproval, (surface: ApprovalSurface) => void>();

  async function settle(pending: PendingApproval, signal: AbortSignal): Promise<QuestionOutcome> {
    using over = linkAbort(signal);
    const hopeless = Promise.withResolvers<QuestionOutcome>();
    let left = 0;
    async function put(surface: ApprovalSurface): Promise<void> {
      left += 1;
      try {
        const answer = await surface.ask(pending, over.signal);
        if (answer && !over.signal.aborted) await store.answer(pending.id, { answer, by: surface.name });
      } catch (thrown) {
        if (over.signal.aborted) return;
        log.warn("approval.surface_failed", { surface: surface.name, error: reasonOf(thrown) });
        left -= 1;
        if (left === 0) hopeless.resolve({ how: "no_approver" });
      }
    }
    const show = (surface: ApprovalSurface) => void put(surface);
    let outcome: QuestionOutcome | undefined;
    try {
      waiting.set(pending, show);
      for (const { surface, audience } of surfaces) if (belongsTo(audience, pending)) show(surface);
      outcome = await Promise.race([hopeless.promise, firstAnswer(pending, over.signal)]);
      return outcome;
    } catch (thrown) {
      if (signal.aborted) return { how: "aborted" };
      throw thrown;
    } finally {
      waiting.delete(pending);
      over.abort(new QuestionSettled(outcome));
    }
  }

  /** Every answer, from this program or another, is written to the store, where the first one wins. */
  async function firstAnswer(pending: PendingApproval, signal: AbortSignal): Promise<QuestionOutcome> {
    const startedAt = clock.elapsed();
    for (;;) {
      const given = await abortable(store.answered(pending.id), signal);
      if (given) return settledBy(given);
      const leftMs = timeoutMs - (clock.elapsed() - startedAt);
      if (leftMs <= 0) {
        const closed = await store.answer(pending.id, { by: "the clock" });
        if (!closed.ok || closed.value) return { how: "timeout" };
        const late = await abortable(store.answered(pending.id), signal);
        return late ? settledBy(late) : { how: "timeout" };
      } else await sleep(Math.min(pollMs, leftMs), signal, clock);
    }
  }

  const pending = async (who: Principal) =>
    (await store.list()).filter(({ principal, owner }) => principal === who.id || owner === who.id);

  return {
    attach(surface, audience) {
      const attached = { surface, audience };
      surfaces.add(attached);
      for (const [pending, show] of waiting) if (belongsTo(audience, pending)) show(surface);
      return { [Symbol.dispose]: () => void surfaces.delete(attached) };
    },
    async ask(question, signal) {
      if (!surfaces.values().some(({ audience }) => belongsTo(audience, question))) return { how: "no_approver" };
      if (signal.aborted) return { how: "aborted" };
      const askedAt = clock.now();
      const pending = { ...question, id: newId<ApprovalId>("apr"), askedAt, expiresAt: askedAt + timeoutMs };
      const stored = await store.put(pending);
      if (!stored.ok) {
        log.error("approval.not_stored", { error: stored.error.message });
        return { how: "no_approver" };
      }
      try {
        const shown = Array.from(surfaces).flatMap(({ surface, audience }) =>
          belongsTo(audience, pending) ? [surface.name] : [],
        );
        deps.asked?.(pending, shown);
        const settled = await settle(pending, signal);
        deps.settled?.(pending, settled, shown);
        return settled;
      } finally {
        await store
          .remove(pending.id)
          .catch((thrown: unknown) => log.warn("approval.left_over", { error: reasonOf(thrown) }));
      }
    },
    pending,
    async answer(id, answer, by) {
      const fitting = (await pending(by.principal)).filter(
        (each) => each.id === id || (id.length >= minIdLength && each.id.startsWith(id)),
      );
      const [question] = fitting;
      if (fitting.length > 1) return err({ message: `${id} matches ${fitting.length} questions; type more of the id` });
      if (question === undefined) return err({ message: `nothing waits for an answer under ${id}` });
      const given = await store.answer(question.id, { answer, by: by.name });
      if (!given.ok) return given;
      return given.value ? ok(question) : err({ message: `${question.id} was already answered` });
    },
  };
}

const defaultPollMs = 100;
const minIdLength = 7;

function belongsTo(audience: Audience, { principal, shownIn }: Question): boolean {
  return "session" in audience ? audience.session === shownIn : audience.principal.id === principal;
}

function settledBy({ answer, by }: StoredAnswer): QuestionOutcome {
  return answer === undefined ? { how: "timeout" } : { how: "answered", answer, by };
}
