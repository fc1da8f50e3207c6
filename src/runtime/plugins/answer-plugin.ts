import { asId, type SessionId } from "../../base/ids.ts";
import { checkJson, isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import { createValueMask } from "../../config/keys/mask-values.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AnswerPlugin } from "../../contracts/plugin/client.ts";
import type { Permissions } from "../../contracts/plugin/manifest.ts";
import type { HostRequests } from "../../contracts/plugin/wire.ts";
import { agentSource } from "../../contracts/session/agents.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { type CallTool, fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { fenceText } from "../../kernel/dispatch/result/untrusted.ts";
import type { LiveSession, LiveSessions } from "../session/session-deps.ts";
import { type CompletionDeps, completeForPlugin } from "./complete-for-plugin.ts";

export interface AnswerDeps extends CompletionDeps {
  /** The current permissions, with those that the person granted. */
  readonly permissions: () => Permissions;
  /** Running calls of this plugin that may nest calls, by call id. */
  readonly runningCalls: ReadonlyMap<string, CallTool>;
  readonly sessions: LiveSessions;
  readonly config: Pick<LoadedConfig, "values" | "secrets">;
  readonly redactor: Redactor;
  /** Handles `next` of a middleware. */
  readonly next?: (params: Params, signal: AbortSignal) => Promise<Result<HostRequests["next"]["result"], string>>;
  /** Shows a refusal to the person, once. */
  readonly report: (sentence: string) => void;
}

type Params = Readonly<Record<string, unknown>>;
type Answers = {
  readonly [M in keyof HostRequests]: (
    params: Params,
    signal: AbortSignal,
  ) => Promise<Result<HostRequests[M]["result"], string>>;
};

/** Answers the requests of one plugin's process. Every value in them may be invalid. */
export function createAnswerPlugin(deps: AnswerDeps): AnswerPlugin {
  /**
   * Number of session calls that run now. It is limited, because a hook whose calls fire the same hook would never end.
   */
  let sessionCalls = 0;
  const callInSession: CallInSession = async (live, name, args, signal) => {
    if (sessionCalls >= maxSessionCalls) {
      return fail(`${name} was not called: ${deps.plugin} already waits for ${maxSessionCalls} calls`, "blocked");
    }
    sessionCalls += 1;
    return live.callTool({ name, args, origin: "plugin", signal }).finally(() => (sessionCalls -= 1));
  };
  const answers: Answers = {
    "host.callTool": (params, signal) => callTool(params, deps, callInSession, signal),
    async "host.complete"(params, signal) {
      const live = liveSession(params, deps);
      if (!live) return err("There is no session whose model could answer. Start a chat, or name a session.");
      return completeForPlugin(params, live, deps, signal);
    },
    "host.injectMessage": async (params) => ok(injectMessage(params, deps)),
    "host.subagents": async (params) => ok(await childAgentsOf(params, deps)),
    "host.config": async () => ok(shownConfig(deps)),
    next: async (params, signal) => (await deps.next?.(params, signal)) ?? err("No middleware is running"),
  };
  return async (method, params, signal) => {
    try {
      return await answers[method](params, signal);
    } catch (thrown) {
      return err(`${method} failed: ${reasonOf(thrown)}`);
    }
  };
}

type CallInSession = (live: LiveSession, name: string, args: JsonObject, signal: AbortSignal) => Promise<ToolResult>;

const maxSessionCalls = 16;
const argsLimits = { maxChars: 5_000_000, maxDepth: 100 };

/** A nested call of the running call, or a call of the session. The permission is checked here, the call by the dispatcher. */
async function callTool(
  { name, args = {}, callId, sessionId }: Params,
  deps: AnswerDeps,
  callInSession: CallInSession,
  signal: AbortSignal,
): Promise<Result<ToolResult, string>> {
  if (typeof name !== "string") return err("name must be the name of a tool");
  const checked = checkJson(args, argsLimits);
  if (!checked.ok || !isObject(checked.value)) return err(`the arguments of ${name} must be a JSON object`);
  const { tools } = deps.permissions();
  if (!tools.includes("*") && !tools.includes(name)) {
    const sentence = `The plugin ${deps.plugin} may not call ${name}. Allow it: hermes plugins grant ${deps.plugin} tools:${name}`;
    deps.report(sentence);
    return ok(fail(sentence, "denied"));
  }
  // The cast is safe: the value was checked to be a JSON object.
  const given = checked.value;
  const nested = typeof callId === "string" ? deps.runningCalls.get(callId) : undefined;
  if (nested) return ok(await nested(name, given, "plugin"));
  const live = liveSession({ sessionId }, deps);
  if (!live) return ok(fail(`${name} was not called: there is no session`, "unavailable"));
  return ok(await callInSession(live, name, given, signal));
}

/** The named session, else the most recently opened one. */
function liveSession({ sessionId }: Params, { sessions }: AnswerDeps): LiveSession | undefined {
  if (typeof sessionId === "string" && sessionId !== "") return sessions.get(asId<SessionId>(sessionId));
  return [...sessions.values()].findLast(({ source }) => source !== agentSource);
}

/** Sources of sessions whose output a user reads. */
const chats: readonly string[] = ["cli"];
const maxInjectedChars = 50_000;

/** Sends a message to a chat. It is added to the running turn or starts one, and is marked as text of the plugin. */
function injectMessage({ content, sessionId, role }: Params, deps: AnswerDeps): boolean {
  const live = liveSession({ sessionId }, deps);
  const isPlain = role === undefined || role === null || role === "user";
  if (!live || !isPlain || typeof content !== "string" || content.trim() === "" || !chats.includes(live.source)) {
    return false;
  }
  const source = `plugin ${deps.plugin}`;
  live.taint({ kind: "message", name: source });
  const text = `Message from the ${source}, not from the person:\n${fenceText(cut(content, maxInjectedChars), source)}`;
  live.session.steer([{ type: "text", text }]);
  return true;
}

/** The child agents of the session, running and ended. Their goals are returned without secrets. */
async function childAgentsOf(params: Params, deps: AnswerDeps): Promise<readonly JsonObject[]> {
  const children = (await liveSession(params, deps)?.session.agents.list()) ?? [];
  return children.map((status) => {
    const { agentId: id, goal, doing, context: _, ...facts } = status;
    // Copying through JSON drops undefined values.
    return JSON.parse(
      JSON.stringify({ id, goal: deps.redactor.redact(goal), doing: doing && deps.redactor.redact(doing), ...facts }),
    ) as JsonObject;
  });
}

/** The settings without secrets, by their names in the file. */
function shownConfig({ config: { values, secrets } }: AnswerDeps): JsonObject {
  const show = createValueMask(secrets);
  // The cast is safe: settings are JSON.
  const settings = JSON.parse(JSON.stringify(values)) as JsonObject;
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, show(key, value)]));
}
