import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { type CallId, newId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { McpRefusal, McpServerRequests } from "../../contracts/mcp/connection.ts";
import type { AnswerMcpServer, McpRunningCall } from "../../contracts/mcp/fleet.ts";
import type { DenialCause } from "../../contracts/safety/approval.ts";
import { elicit } from "../../mcp/asks/elicit.ts";
import { createSampler, type SamplingSession } from "../../mcp/asks/sample.ts";
import type { Models } from "../models/models.ts";
import type { LiveSession, LiveSessions } from "../session/session-deps.ts";

export interface AnswerServerDeps {
  readonly sessions: LiveSessions;
  /** Undefined: the embedding program provides the models. */
  readonly models: () => Promise<Models | undefined>;
  readonly roots: McpServerRequests["roots"];
  /** Stores a line in the log of a server. */
  readonly logOf: (server: string) => McpServerRequests["log"];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers the requests of servers. Each request belongs to the session whose call waits for the server. */
export function answerServers(deps: AnswerServerDeps): AnswerMcpServer {
  const { sessions, clock, log, roots, logOf } = deps;
  return (entry, runningCalls) => {
    const sampler = createSampler(entry, { clock, log });

    /** The calls of the only session that waits for the server. Undefined: there is none, or there are several. */
    function caller(): Caller | undefined {
      const calls = runningCalls();
      const [call] = calls;
      const live = call && sessions.get(call.sessionId);
      return live && calls.every(({ sessionId }) => sessionId === call.sessionId) ? { live, call } : undefined;
    }

    /** The request is aborted when the call ends. */
    async function answer(
      call: McpRunningCall | undefined,
      signal: AbortSignal,
      work: (signal: AbortSignal) => Promise<Result<JsonObject, McpRefusal>>,
    ): Promise<Result<JsonObject, McpRefusal>> {
      using link = linkAbort(call ? AbortSignal.any([signal, call.signal]) : signal);
      try {
        return await work(link.signal);
      } catch (thrown) {
        log.error("mcp.request_failed", { server: entry.name, error: reasonOf(thrown) });
        return err({ message: "the request could not be answered", code: -32603 });
      }
    }

    return {
      sample(request, signal) {
        const by = caller();
        const session = by && samplingSession(entry.name, by, deps);
        return answer(by?.call, signal, (linked) => sampler(request, session, linked));
      },
      async elicit(request, signal) {
        const by = caller();
        using _pause = by?.call.pause();
        by?.call.progress(`${entry.name} waits for an answer from the user`);
        return await answer(by?.call, signal, (linked) =>
          elicit(entry, request, { asker: by?.live.asker, clock }, linked),
        );
      },
      roots,
      log: logOf(entry.name),
    };
  };
}

interface Caller {
  readonly live: LiveSession;
  readonly call: McpRunningCall;
}

function samplingSession(server: string, { live, call }: Caller, { models }: AnswerServerDeps): SamplingSession {
  return {
    async model(name) {
      const main = live.model();
      const all = await models();
      if (!all) return ok(main);
      if (name !== undefined) return all.client({ model: name }, { isAlone: true });
      return all.forTask("mcp", main.facts()) ?? ok(main);
    },
    refusal: live.refusal,
    async consent(preview, signal) {
      using _pause = call.pause();
      const verdict = await live.decide(
        {
          callId: newId<CallId>("call"),
          parentCallId: call.callId,
          ...(call.turnId !== undefined && { turnId: call.turnId }),
          origin: call.origin,
          tool: `the MCP server ${server}`,
          args: {},
          effects: [{ kind: "sample", server }],
          preview: async () => preview,
        },
        signal,
      );
      return verdict.decision === "allow" ? undefined : refusalText(verdict.cause);
    },
    book: live.book,
  };
}

/** The error text for the server. It reveals nothing about the user's rules. */
function refusalText(cause: DenialCause | undefined): string {
  if (cause === "person") return "the user rejected the sampling request";
  if (cause === "no_approver") return "no user is available to allow sampling";
  return cause === "timeout" ? "nobody allowed sampling in time" : "sampling is not allowed";
}
