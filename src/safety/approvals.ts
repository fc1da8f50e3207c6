import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/log.ts";
import type { HookBus } from "../contracts/host/hook.ts";
import type { ApprovalDesk, Question } from "../contracts/safety/approval.ts";
import { createApprovalDesk } from "./policy/approvals/approval-desk.ts";
import { createApprovalStore } from "./policy/approvals/approval-store.ts";

export interface DeskOptions {
  /** The folder with the pending questions of all programs. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The time after which a question without an answer is denied. */
  readonly timeoutMs: number;
  /** Receives questions and answers. */
  readonly hooks?: HookBus | undefined;
}

/** Stores open approval questions. Every program that uses the folder can list and answer them. */
export function openApprovalDesk({ folder, clock, log, timeoutMs, hooks }: DeskOptions): ApprovalDesk {
  const never = new AbortController().signal;
  return createApprovalDesk({
    store: createApprovalStore({ folder, now: clock.now, pid: process.pid, isAlive }),
    clock,
    log,
    timeoutMs,
    ...(hooks && {
      asked: (question, surfaces) => {
        if (hooks.has("approvalRequested")) {
          void hooks.notify("approvalRequested", aboutQuestion(question, surfaces), never);
        }
      },
      settled: (question, settled, surfaces) => {
        if (!hooks.has("approvalAnswered")) return;
        const { how } = settled;
        const answer = how === "answered" ? settled.answer : ({ scope: "deny", reason: how } as const);
        const facts = { answer, how, ...(how === "answered" && { by: settled.by }) };
        void hooks.notify("approvalAnswered", { ...aboutQuestion(question, surfaces), ...facts }, never);
      },
    }),
  });
}

function aboutQuestion(question: Question, surfaces: readonly string[]) {
  const { sessionId, turnId, callId, parentCallId, tool, text, asks, shownIn } = question;
  return {
    sessionId,
    ...(turnId !== undefined && { turnId }),
    callId,
    ...(parentCallId !== undefined && { parentCallId }),
    tool,
    text,
    asks,
    shownIn,
    surfaces,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
