import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { ProgramCall } from "../endpoint.ts";
import { endFault, foreignFault, refusalFault } from "./agent-faults.ts";
import type { RunningAgent } from "./agent-program.ts";
import { createRpcClient } from "./json-rpc.ts";

/** The talk with one started program: what is asked, and in words why no answer came. */
export interface AgentLink {
  isOpen(): boolean;
  /** Never rejects. */
  ask(method: string, params: JsonObject): Promise<Result<JsonObject, ModelError>>;
  tell(method: string, params: JsonObject): void;
  /** From now on `ears` hear what is said of this session, and nobody of any other. */
  follow(session: string, ears: SessionEars): void;
  unfollow(): void;
}

export interface SessionEars {
  update(update: Readonly<Record<string, unknown>>): void;
  /** It is alive. */
  heard(): void;
}

/** Whatever the program asks of us is refused: its permissions, our files, a terminal. */
export function createAgentLink(call: ProgramCall, agent: RunningAgent, clock: Clock): AgentLink {
  let fault: ModelError | undefined;
  let hasAnswered = false;
  let followed: { readonly session: string; readonly ears: SessionEars } | undefined;
  let bytesHeard = 0;

  const rpc = createRpcClient({
    write: (line) => agent.write(line),
    heard: () => followed?.ears.heard(),
    broken: (why) => close(foreignFault(call, why)),
    asked: (method, params) => (method === "session/request_permission" ? ok(refusal(params)) : err(notHere)),
    notified(method, { sessionId, update }) {
      if (method !== "session/update" || !followed || sessionId !== followed.session) return;
      if (isObject(update)) followed.ears.update(update);
    },
  });
  agent.listen({
    said(bytes) {
      bytesHeard += bytes.length;
      if (bytesHeard > mostBytes) close(foreignFault(call, `more than ${mostBytes >> 20} MB`));
      else rpc.push(bytes);
    },
    ended: (end) => close(endFault(call, end, agent.complaints(), hasAnswered)),
  });

  function close(why: ModelError): void {
    fault ??= withoutSecrets(why);
    rpc.close();
  }

  function withoutSecrets(error: ModelError): ModelError {
    return { ...error, message: agent.redact(error.message) };
  }

  return {
    isOpen: () => fault === undefined,
    async ask(method, params) {
      const answer = await rpc.request(method, params);
      if (answer.ok) hasAnswered = true;
      if (answer.ok) return answer;
      if (answer.error.is === "closed") return err(fault ?? foreignFault(call, "nothing"));
      return err(withoutSecrets(refusalFault(answer.error, call, clock.now())));
    },
    tell: (method, params) => rpc.notify(method, params),
    follow(session, ears) {
      bytesHeard = 0;
      followed = { session, ears };
    },
    unfollow: () => void (followed = undefined),
  };
}

/** Of one answer, with all that surrounds it. */
const mostBytes = 64 * 2 ** 20;

const notHere = { code: -32_601, message: "This client has no files and no terminal for you." };

function refusal({ options }: Readonly<Record<string, unknown>>): JsonValue {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  const refusals = list.filter(isObject).filter(({ kind }) => kind === "reject_once" || kind === "reject_always");
  const optionId = (refusals.find(({ kind }) => kind === "reject_once") ?? refusals[0])?.["optionId"];
  return { outcome: typeof optionId === "string" ? { outcome: "selected", optionId } : { outcome: "cancelled" } };
}
