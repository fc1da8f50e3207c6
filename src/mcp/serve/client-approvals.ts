import { abortable } from "../../base/async/abort.ts";
import type { Answer, ApprovalSurface, PendingApproval } from "../../contracts/safety/approval.ts";
import type { ClientPorts } from "./served-client.ts";

/**
 * Shows approval questions about a client's calls: as a form of the client if it supports forms; otherwise the call
 * waits for `hermes approvals`, and the client gets progress messages. If the client supports neither, the call is
 * denied.
 */
export function clientApprovals(portsOf: (pending: PendingApproval) => ClientPorts | undefined): ApprovalSurface {
  return {
    name: "the MCP client",
    async ask(pending, signal) {
      const ports = portsOf(pending);
      if (ports?.elicit) {
        const answered = await ports.elicit({ message: questionText(pending), schema: decisionForm }, signal);
        if (answered.ok) return answered.value.action === "accept" ? decisionOf(answered.value.content) : declined;
        if (signal.aborted) return undefined;
      }
      if (!ports?.progress) throw new Error("the client supports neither forms nor progress messages");
      ports.progress(waitText(pending));
      const { promise } = Promise.withResolvers<undefined>();
      return abortable(promise, signal).catch(() => undefined);
    },
  };
}

const declined: Answer = { scope: "deny" };

/** A form that is submitted unchanged denies the call. */
const decisionForm = {
  type: "object",
  properties: {
    decision: {
      type: "string",
      title: "Decision",
      oneOf: [
        { const: "deny", title: "No" },
        { const: "once", title: "Yes, this once" },
        { const: "session", title: "Yes, for this session" },
      ],
      default: "deny",
    },
    reason: { type: "string", title: "Reason", description: "If you choose no: a reason for the model" },
  },
  required: ["decision"],
} as const;

function decisionOf({ decision, reason }: Readonly<Record<string, unknown>>): Answer {
  if (decision === "once" || decision === "session") return { scope: decision };
  return typeof reason === "string" && reason !== "" ? { scope: "deny", reason } : declined;
}

function questionText({ agent, background, tool, text, cwd, asks, preview, leavesSandbox }: PendingApproval): string {
  const starter = agent === undefined ? background && `background ${background}` : `agent ${agent}`;
  return [
    `Hermes asks whether ${starter === undefined ? tool : `${starter}: ${tool}`} may run in ${cwd}:`,
    text,
    ...asks.map(({ reason }) => `- ${reason}`),
    ...(leavesSandbox ? ["An approved command runs outside the sandbox."] : []),
    ...(preview === undefined ? [] : [preview.slice(0, maxPreviewChars)]),
  ].join("\n");
}

function waitText({ id, tool, asks }: PendingApproval): string {
  const reasons = asks.map(({ reason }) => reason).join("; ");
  return `${tool} waits for approval (${reasons}). To answer: hermes approvals answer ${id} once|session|always|deny`;
}

const maxPreviewChars = 4_000;
