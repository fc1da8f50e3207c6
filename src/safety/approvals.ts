import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/log.ts";
import type { HookBus } from "../contracts/host/hook.ts";
import type { ApprovalDesk, Question } from "../contracts/safety/approval.ts";
import { createApprovalDesk } from "./policy/approvals/approval-desk.ts";
import { createApprovalStore } from "./policy/approvals/approval-store.ts";

export interface DeskOptions {
  /** The folder that holds the pending questions of all programs. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** A question without an answer is denied after this time. */
  readonly timeoutMs: number;
  /** Notified of questions and answers. */
  readonly hooks?: HookBus | undefined;
}

/** Where questions about calls wait for an answer. Every program that uses the folder can list and answer them. */
export function openApprovalDesk({ folder, clock, log, timeoutMs, hooks }: DeskOptions): ApprovalDesk {
  const never = new AbortController().signal;
  return createApprovalDesk({
    store: createApprovalStore({ folder, now: clock.now, pid: process.pid, isAlive }),
    clock,
    log,
    timeoutMs,
    ...(hooks && {
      asked: ({ asks, ...question }) => void hooks.notify("approvalRequested", { ...callIds(question), asks }, never),
      settled: (question, settled) => {
        const answer = settled.how === "answered" ? settled.answer : ({ scope: "deny", reason: settled.how } as const);
        void hooks.notify("approvalAnswered", { ...callIds(question), answer }, never);
      },
    }),
  });
}

function callIds({ sessionId, callId, parentCallId }: Pick<Question, "sessionId" | "callId" | "parentCallId">) {
  return { sessionId, callId, ...(parentCallId !== undefined && { parentCallId }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
