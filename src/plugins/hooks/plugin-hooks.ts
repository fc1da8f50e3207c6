import type { JsonObject } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";
import { type HookEntry, hookFacts, type HookName, type Hooks } from "../../contracts/host/hook.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelRequest } from "../../contracts/model/model.ts";
import type { PluginClient, SerialisedEvent } from "../../contracts/plugin/client.ts";
import { handlerHook, type HookRegistration, type PluginRegistration } from "../../contracts/plugin/registration.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { folderHooks } from "./folder-events.ts";
import { createObserverQueue, type DeliveryPace } from "./observer-queue.ts";
import { type OriginalHook, originalHook } from "./original-hooks.ts";
import { createShownValues, maxRequestChars, maxTurnChars, type ShownValues, withOwnArgs } from "./shown-values.ts";

/**
 * Events in the form that plugin processes receive. All plugins share them: each event is built and serialised once.
 */
export interface HookEvents {
  /** `hook` is undefined for the typed event of a TypeScript plugin. */
  args(event: object, hook: OriginalHook | undefined): JsonObject;
  /** `id`: the id under which the plugin registered the hook. */
  serialised(event: object, hook: OriginalHook | undefined, id: string): SerialisedEvent;
}

/** One event in the arguments of one hook. */
interface EventForm {
  readonly args: JsonObject;
  /** One event for each id under which plugins registered the hook. */
  readonly serialised: Map<string, SerialisedEvent>;
}

export function createHookEvents(redactor: Redactor): HookEvents {
  const shown = createShownValues(redactor);
  const built = new WeakMap<object, Map<OriginalHook | undefined, EventForm>>();

  function build(event: object, hook: OriginalHook | undefined): EventForm {
    let forms = built.get(event);
    if (!forms) built.set(event, (forms = new Map()));
    let form = forms.get(hook);
    if (!form) {
      // The cast is safe: the hook bus passes each hook the event of its own name.
      const args = hook ? hook.args(event as never, shown) : typedArgs(event, shown);
      forms.set(hook, (form = { args, serialised: new Map() }));
    }
    return form;
  }

  return {
    args: (event, hook) => build(event, hook).args,
    serialised(event, hook, id) {
      const { args, serialised } = build(event, hook);
      let one = serialised.get(id);
      if (!one) {
        const [other] = serialised.values();
        serialised.set(id, (one = { id, args: other?.args ?? JSON.stringify(args) }));
      }
      return one;
    },
  };
}

/**
 * The typed event as JSON. A request is reduced to the names of its tools and its last messages, a history to its
 * last messages.
 */
function typedArgs(event: object, shown: ShownValues): JsonObject {
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined) continue;
    if (name === "request") args[name] = requestArgs(value as ModelRequest);
    else if (name === "messages" || name === "history") args[name] = lastMessages(value as Message[], maxTurnChars);
    else args[name] = value;
    // Fields that are never masked: ids and names are not secret, but arguments and texts can be.
    if (!plainFields.has(name)) args[name] = shown.json(args[name]);
  }
  return args as JsonObject;
}

const plainFields: ReadonlySet<string> = new Set(
  "sessionId turnId requestId callId parentCallId parentSessionId platform model provider tool status outcome".split(
    " ",
  ),
);

function requestArgs({ tools, messages, system: _, ...request }: ModelRequest): object {
  return {
    ...request,
    system: [],
    messages: lastMessages(messages, maxRequestChars),
    tools: tools.map(({ name }) => ({ name })),
  };
}

function lastMessages(messages: readonly Message[], maxChars: number): readonly Message[] {
  let chars = 0;
  const start = messages.findLastIndex((message) => {
    chars += message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 100), 60);
    return chars > maxChars;
  });
  return messages.slice(Math.min(start + 1, messages.length - 1));
}

export interface PluginHookDeps {
  readonly events: HookEvents;
  readonly pace: DeliveryPace;
  /** Shows a sentence to the user once. */
  report(sentence: string): void;
}

/** The hooks of one plugin, for the hook bus. Disposing sends the events that are still queued. */
export interface AdaptedHooks extends Disposable {
  readonly entries: readonly HookEntry[];
}

export function pluginHooks(
  { hooks }: Pick<PluginRegistration, "hooks">,
  client: PluginClient,
  deps: PluginHookDeps,
  /** The events that the plugin's `handle` function receives, if it has one. */
  handled: readonly string[] = [],
): AdaptedHooks {
  const queue = createObserverQueue(client, deps.pace);
  const reported = new Set<string>();

  function adapt(registration: HookRegistration): HookEntry {
    const original = registration.original === undefined ? undefined : originalHook(registration.original);
    const name = (original?.hook ?? registration.hook) as HookName;
    const { timeoutMs, isPolicy } = registration;
    const isAsked = hookFacts[name].kind === "interceptor" && (registration.mayAnswer || isPolicy);
    const run = isAsked ? asking(registration, original) : observing(registration, name, original);
    return {
      // The cast is safe: each function gets the event of its own name.
      hooks: { [name]: run },
      options: { enforce: isPolicy, ...(timeoutMs !== undefined && { timeoutMs }) },
    };
  }

  function handle(registration: HookRegistration): readonly HookEntry[] {
    const { hooks: watched, unknown } = folderHooks(handled);
    for (const name of unknown)
      deps.report(`The plugin ${client.key} registered a hook for ${name}, which is not an event.`);
    return watched.map((hook) => ({
      hooks: { [hook.hook]: observing(registration, hook.hook, hook) } as Hooks,
      options: {},
    }));
  }

  function observing({ id }: HookRegistration, name: HookName, original: OriginalHook | undefined) {
    return (event: object): void => {
      if (original && !original.isFor(event as never)) return;
      queue.add(deps.events.serialised(event, original, id));
      if (name === "sessionEnd") queue.flush();
    };
  }

  function asking({ id, original: used, hook, timeoutMs }: HookRegistration, original: OriginalHook | undefined) {
    return async (event: object, signal: AbortSignal): Promise<unknown> => {
      if (original && !original.isFor(event as never)) return undefined;
      // Sends the queued events first, so that the plugin sees events in order.
      queue.flush();
      const limits = { signal, ...(timeoutMs !== undefined && { timeoutMs }) };
      const args = deps.events.args(event, original);
      const answered = await client.request("hook.run", { id, args }, limits);
      try {
        if (!answered.ok) throw new Error(answered.error.message);
        const answer = answered.value ?? undefined;
        return withOwnArgs(original ? original.reply(answer, event as never) : answer, args, event);
      } catch (thrown) {
        if (!signal.aborted) reportOnce(used ?? hook, reasonOf(thrown));
        throw thrown;
      }
    };
  }

  function reportOnce(hook: string, why: string): void {
    if (reported.has(hook)) return;
    reported.add(hook);
    deps.report(`The hook ${hook} of the plugin ${client.key} failed: ${why}`);
  }

  const entries = hooks.flatMap((one) => (one.hook === handlerHook ? handle(one) : [adapt(one)]));
  return { entries, [Symbol.dispose]: queue.flush };
}
