import type { JsonObject } from "../../base/json.ts";
import type { SessionFacts } from "../../contracts/host/hook-events.ts";
import type { HookName } from "../../contracts/host/hook.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import type { Events } from "./original-arguments.ts";
import type { OriginalHook } from "./original-hooks.ts";
import type { ShownValues } from "./shown-values.ts";

/**
 * The hooks for the events that a hook folder names: one event such as `agent:start`, or all events of a kind such as
 * `agent:*`. `unknown` lists names that match no event.
 */
export function folderHooks(names: readonly string[]): {
  readonly hooks: readonly OriginalHook[];
  readonly unknown: readonly string[];
} {
  const isCommand = (name: string) => name.startsWith("command:");
  const commands = names.filter(isCommand).map((name) => name.slice("command:".length));
  const others = names.filter((name) => !isCommand(name));
  const chosen = Object.entries(events).filter(([event]) => others.some((name) => covers(name, event)));
  const unknown = others.filter(
    (name) => name !== "gateway:startup" && !Object.keys(events).some((event) => covers(name, event)),
  );
  return {
    hooks: [...chosen.map(([, hook]) => hook), ...(commands.length > 0 ? [commandHook(commands)] : [])],
    unknown,
  };
}

function covers(name: string, event: string): boolean {
  return name === event || (name.endsWith(":*") && event.startsWith(name.slice(0, -1)));
}

function define<K extends HookName>(
  event: string,
  hook: K,
  context: (event: Events[K], shown: ShownValues) => JsonObject,
): OriginalHook {
  return {
    hook,
    isFor: () => true,
    args: (facts: Events[K], shown) => ({
      event_type: event,
      context: { ...sessionContext(facts), ...context(facts, shown) },
    }),
    reply: () => undefined,
  };
}

function sessionContext({ platform, senderId, sessionId }: SessionFacts & { readonly sessionId: string }): JsonObject {
  return { platform: platform ?? "", user_id: senderId ?? "", session_id: sessionId, session_key: sessionId };
}

const events: Readonly<Record<string, OriginalHook>> = {
  "session:start": define("session:start", "sessionStart", () => ({})),
  "session:end": define("session:end", "sessionEnd", () => ({})),
  "session:reset": define("session:reset", "sessionReset", () => ({})),
  "agent:start": define("agent:start", "turnStart", ({ prompt, model }, shown) => ({
    message: shown.text(textOf(prompt)),
    model,
  })),
  "agent:step": define("agent:step", "afterModelCall", ({ callCount, response }) => ({
    iteration: callCount,
    tool_names: response.calls.map(({ name }) => name),
  })),
  "agent:end": define("agent:end", "turnEnd", ({ prompt, text, outcome }, shown) => ({
    message: shown.text(textOf(prompt)),
    response: shown.text(text),
    outcome,
  })),
};

function commandHook(names: readonly string[]): OriginalHook {
  return {
    hook: "commandRun",
    isFor: ({ command }: Events["commandRun"]) => names.includes("*") || names.includes(command),
    args: (facts: Events["commandRun"], shown) => ({
      event_type: `command:${facts.command}`,
      context: { ...sessionContext(facts), command: facts.command, args: shown.text(facts.args) },
    }),
    reply: () => undefined,
  };
}
