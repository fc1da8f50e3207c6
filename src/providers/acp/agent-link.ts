import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { connectStreams } from "../../base/rpc/connect-streams.ts";
import { rpcCodes } from "../../base/rpc/json-rpc.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { AgentCommand } from "../endpoint.ts";
import { exitFault, protocolFault, refusalFault } from "./agent-faults.ts";
import type { RunningAgent } from "./agent-program.ts";

/** The connection to one started program. Failures are described for the user, without secrets. */
export interface AgentLink {
  isOpen(): boolean;
  /** Never rejects. */
  request(method: string, params: JsonObject): Promise<Result<JsonObject, ModelError>>;
  notify(method: string, params: JsonObject): void;
  /** Passes the updates of this session to `listener` from now on. */
  follow(session: string, listener: SessionListener): void;
  unfollow(): void;
}

export interface SessionListener {
  update(update: Readonly<Record<string, unknown>>): void;
  /** Called when the program sends something, which shows that it is alive. */
  onActivity(): void;
}

/** Rejects every request of the program, such as those for permissions, files and terminals. */
export function createAgentLink(call: AgentCommand, agent: RunningAgent, clock: Clock): AgentLink {
  let fault: ModelError | undefined;
  let hasAnswered = false;
  let followed: { readonly session: string; readonly listener: SessionListener } | undefined;
  let bytesReceived = 0;

  const connection = connectStreams(
    agent.streams,
    {
      onActivity: () => followed?.listener.onActivity(),
      onViolation: fail,
      onRequest: async ({ method, params }) =>
        method === "session/request_permission" ? ok(refusePermission(params)) : err(notHere),
      onNotification(method, { sessionId, update }) {
        if (method !== "session/update" || !followed || sessionId !== followed.session) return;
        if (isObject(update)) followed.listener.update(update);
      },
    },
    clock,
  );
  agent.streams.input.on("data", (bytes: Buffer) => {
    bytesReceived += bytes.length;
    if (bytesReceived > maxBytes) fail(`sent more than ${maxBytes >> 20} MB`);
  });
  const closed = closeAfterExit();

  async function closeAfterExit(): Promise<void> {
    const exit = await agent.exited;
    fault ??= withoutSecrets(exitFault(call, exit, agent.complaints(), hasAnswered));
    connection.close();
  }

  function fail(reason: string): void {
    fault ??= withoutSecrets(protocolFault(call, reason));
    connection.close();
  }

  function withoutSecrets(error: ModelError): ModelError {
    return { ...error, message: agent.redact(error.message) };
  }

  return {
    isOpen: () => !connection.isClosed(),
    async request(method, params) {
      const answer = await connection.request(method, params);
      if (answer.ok) {
        hasAnswered = true;
        return ok(isObject(answer.value) ? answer.value : {});
      }
      if (answer.error.kind === "refused") return err(withoutSecrets(refusalFault(answer.error, call, clock.now())));
      // The output of a program can end before its exit is reported.
      if (!fault) await waitFor(closed, { ms: exitMs, clock, isOptional: true });
      return err(fault ?? protocolFault(call, "closed its output"));
    },
    notify: connection.notify,
    follow(session, listener) {
      bytesReceived = 0;
      followed = { session, listener };
    },
    unfollow: () => void (followed = undefined),
  };
}

/** The maximum size of one answer and everything that the program sends with it. */
const maxBytes = 64 * 2 ** 20;
const exitMs = 1_000;

const notHere = { code: rpcCodes.methodNotFound, message: "This client offers no file access and no terminal." };

function refusePermission({ options }: Readonly<Record<string, unknown>>): JsonValue {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  const refusals = list.filter(isObject).filter(({ kind }) => kind === "reject_once" || kind === "reject_always");
  const optionId = (refusals.find(({ kind }) => kind === "reject_once") ?? refusals[0])?.["optionId"];
  return { outcome: typeof optionId === "string" ? { outcome: "selected", optionId } : { outcome: "cancelled" } };
}
