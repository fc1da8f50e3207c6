import { abortable } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import type { ModelError } from "../../contracts/model/model.ts";
import type { AgentCommand } from "../endpoint.ts";
import { protocolFault, modelFault, versionFault } from "./agent-faults.ts";
import { type AgentLink, createAgentLink, type SessionListener } from "./agent-link.ts";
import type { RunningAgent, StartAgent } from "./agent-program.ts";
import type { PromptBlock } from "./prompt.ts";

/** A started and initialised program. It handles one prompt at a time. */
export interface AgentConnection {
  readonly seesImages: boolean;
  isOpen(): boolean;
  /** Opens an empty session. If `model` is undefined, the program chooses the model. */
  newSession(model: string | undefined): Promise<Result<string, ModelError>>;
  /** Sends a prompt. Resolves with the stop reason and the usage. */
  prompt(
    session: string,
    blocks: readonly PromptBlock[],
    listener: SessionListener,
  ): Promise<Result<JsonObject, ModelError>>;
  /** Cancels the running prompt and closes the session. Returns true if the program can handle the next prompt. */
  settle(): Promise<boolean>;
  setBusy(isBusy: boolean): void;
  complaints(): string;
  redact(text: string): string;
  end(): Promise<void>;
}

export interface ConnectionDeps {
  readonly start: StartAgent;
  readonly clock: Clock;
}

/** Starts and initialises the program. If that fails or is aborted, no process is left running. */
export async function openConnection(
  call: AgentCommand,
  env: Readonly<Record<string, string>>,
  { start, clock }: ConnectionDeps,
  signal: AbortSignal,
): Promise<Result<AgentConnection, ModelError>> {
  const started = await start(call, env, signal);
  if (!started.ok) return started;
  const agent = started.value;
  const link = createAgentLink(call, agent, clock);
  let isGreeted = false;
  try {
    const greeted = await abortable(link.request("initialize", greeting), signal);
    if (!greeted.ok) return greeted;
    if (greeted.value["protocolVersion"] !== 1) return err(versionFault(call, greeted.value["protocolVersion"]));
    isGreeted = true;
    return ok(connectionOf(call, agent, link, objectIn(greeted.value, "agentCapabilities"), clock));
  } finally {
    if (!isGreeted) await agent.end();
  }
}

const greeting = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: "hermes-agent-ts", title: "Hermes", version },
};

function connectionOf(
  call: AgentCommand,
  agent: RunningAgent,
  link: AgentLink,
  can: Readonly<Record<string, unknown>>,
  clock: Clock,
): AgentConnection {
  const forget = ["delete", "close"].find((way) => isObject(objectIn(can, "sessionCapabilities")[way]));
  /** The open session. `answer` is set while a prompt is pending. */
  let doing: { readonly session: string; readonly answer?: Promise<unknown> } | "opening" | undefined;

  async function choose(session: string, model: string, offer: Readonly<Record<string, unknown>>) {
    const way = waysToChoose(session, model, offer).find(({ offered }) => offered.length > 0);
    if (!way) return undefined;
    if (!way.offered.includes(model)) return modelFault(call, model, way.offered);
    const chosen = await link.request(way.method, way.params);
    return chosen.ok ? undefined : chosen.error;
  }

  return {
    seesImages: objectIn(can, "promptCapabilities")["image"] === true,
    isOpen: link.isOpen,
    async newSession(model) {
      doing = "opening";
      const result = await link.request("session/new", { cwd: agent.folder, mcpServers: [] });
      if (!result.ok) return result;
      const { sessionId: session } = result.value;
      if (typeof session !== "string") return err(protocolFault(call, "sent a session without an id"));
      const refused = model === undefined ? undefined : await choose(session, model, result.value);
      doing = { session };
      return refused ? err(refused) : ok(session);
    },
    async prompt(session, blocks, listener) {
      link.follow(session, listener);
      const answer = link.request("session/prompt", {
        sessionId: session,
        prompt: blocks.map((block) => ({ ...block })),
      });
      doing = { session, answer };
      const ended = await answer;
      doing = { session };
      link.unfollow();
      return ended;
    },
    async settle() {
      link.unfollow();
      if (doing === "opening" || !link.isOpen()) return false;
      if (doing === undefined) return true;
      const { session, answer } = doing;
      if (answer) {
        link.notify("session/cancel", { sessionId: session });
        if (!(await isDoneWithin(answer, cancelMs, clock))) return false;
      }
      doing = undefined;
      // Not awaited: the program reads this message before the next request.
      if (forget !== undefined) void link.request(`session/${forget}`, { sessionId: session });
      return link.isOpen();
    },
    setBusy: agent.setBusy,
    complaints: agent.complaints,
    redact: agent.redact,
    end: agent.end,
  };
}

/** The time that a program has to cancel a prompt before it is killed. */
const cancelMs = 1_000;

function objectIn(value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const match = value[name];
  return isObject(match) ? match : {};
}

async function isDoneWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  using _timer = clock.after(ms, () => late.resolve(false));
  return await Promise.race([work.then(() => true), late.promise]);
}

/** A request that selects the model of a session, and the models it accepts. */
interface WayToChoose {
  readonly method: string;
  readonly params: JsonObject;
  readonly offered: readonly string[];
}

/** Programs offer their models in a separate list or as a session option, possibly grouped. */
function waysToChoose(
  session: string,
  model: string,
  { models, configOptions }: Readonly<Record<string, unknown>>,
): readonly WayToChoose[] {
  const option = objectsIn(configOptions).find(({ category }) => category === "model");
  const values = objectsIn(option?.["options"]).flatMap((one) => ("options" in one ? objectsIn(one["options"]) : one));
  return [
    {
      method: "session/set_model",
      params: { sessionId: session, modelId: model },
      offered: textsIn(objectsIn(isObject(models) ? models["availableModels"] : undefined), "modelId"),
    },
    {
      method: "session/set_config_option",
      params: { sessionId: session, configId: typeof option?.["id"] === "string" ? option["id"] : "", value: model },
      offered: textsIn(values, "value"),
    },
  ];
}

function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsIn(list: readonly Record<string, unknown>[], name: string): readonly string[] {
  return list.map((one) => one[name]).filter((text) => typeof text === "string");
}
