import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { type HookEntry, hookFacts } from "../../contracts/host/hook.ts";
import type { HookEvents } from "../hooks/plugin-hooks.ts";
import { withOwnArgs } from "../hooks/shown-values.ts";
import type { HookConsents } from "./consents.ts";
import { readHookAnswer, runShellHook, type ShellHookRun, shellInput } from "./run-shell-hook.ts";
import type { ShellHook } from "./shell-hook.ts";

export interface ShellHookDeps extends ShellHookRun {
  readonly consents: HookConsents;
  readonly events: HookEvents;
  readonly log: Logger;
  /** Shows a sentence to the user. */
  report(sentence: string): void;
}

/** Registers shell hooks on the hook bus. Disposing waits a moment for hooks that only observe. */
export interface AdaptedShellHooks extends AsyncDisposable {
  readonly entries: readonly { readonly owner: string; readonly entry: HookEntry }[];
}

/** How the user can accept a hook. */
export const acceptAdvice = "Accept it: hermes hooks accept";

export function shellHookEntries(hooks: readonly ShellHook[], deps: ShellHookDeps): AdaptedShellHooks {
  const { consents, events, log } = deps;
  const reported = new Set<string>();
  const ends: Promise<void>[] = [];
  const closing = new AbortController();

  /** Runs the program and returns its answer. Throws if the answer is missing or invalid. */
  async function answerOf(hook: ShellHook, args: JsonObject, signal: AbortSignal): Promise<unknown> {
    const state = consents.stateOf(hook);
    if (state !== "accepted") throw new Error(`${unaccepted[state]}. ${acceptAdvice}`);
    const ran = await runShellHook(hook, shellInput(hook, args, deps.cwd), deps, signal);
    const output = ran.ok ? readHookAnswer(ran.value) : ran;
    if (!output.ok) throw new Error(output.error);
    return output.value ?? undefined;
  }

  function failed(hook: ShellHook, thrown: unknown): void {
    log.warn("shell_hook.failed", { event: hook.event, command: hook.command, error: reasonOf(thrown) });
    const key = `${hook.event} ${hook.command}`;
    if (reported.has(key)) return;
    reported.add(key);
    deps.report(`The shell hook ${hook.command} (${hook.event}) failed: ${reasonOf(thrown)}`);
  }

  function isFor(hook: ShellHook, event: object): boolean {
    // The cast is safe: the hook bus passes each hook the event of its own name.
    if (hook.original && !hook.original.isFor(event as never)) return false;
    const { call } = event as { readonly call?: { readonly name: string } };
    return !hook.matcher || call === undefined || hook.matcher.test(call.name);
  }

  function asking(hook: ShellHook) {
    return async (event: object, signal: AbortSignal): Promise<unknown> => {
      if (!isFor(hook, event)) return undefined;
      try {
        const args = events.args(event, hook.original);
        const answer = await answerOf(hook, args, signal);
        return withOwnArgs(hook.original ? hook.original.reply(answer, event as never) : answer, args, event);
      } catch (thrown) {
        if (!hook.isPolicy && !signal.aborted) failed(hook, thrown);
        throw thrown;
      }
    };
  }

  /** Runs are sequential, so that a program sees the events in order. */
  function observing(hook: ShellHook) {
    const slot = ends.push(Promise.resolve()) - 1;
    let waiting = 0;
    async function run(event: object, before: Promise<void> | undefined): Promise<void> {
      await before;
      try {
        if (!closing.signal.aborted) await answerOf(hook, events.args(event, hook.original), closing.signal);
      } catch (thrown) {
        failed(hook, thrown);
      }
      waiting -= 1;
    }
    return (event: object): void => {
      if (!isFor(hook, event)) return;
      if (waiting >= maxWaiting) return failed(hook, "the program is too slow, so some events were dropped");
      waiting += 1;
      ends[slot] = run(event, ends[slot]);
    };
  }

  return {
    entries: hooks.map((hook) => {
      const run = hookFacts[hook.hook].kind === "interceptor" ? asking(hook) : observing(hook);
      return {
        owner: `shell hook ${hook.command}`,
        entry: {
          hooks: { [hook.hook]: run },
          // The program has its own timeout; this longer one covers only the overhead.
          options: { enforce: hook.isPolicy, timeoutMs: hook.timeoutMs + 5_000 },
        },
      };
    }),
    async [Symbol.asyncDispose]() {
      using _timer = deps.clock.after(lastMs, () => closing.abort());
      await Promise.all(ends);
    },
  };
}

const unaccepted = {
  new: "You have not accepted this program",
  changed: "The program changed since you accepted it",
} as const;

/** The maximum number of events queued for an observing program. */
const maxWaiting = 100;
/** How long observing programs may continue after the session has ended. */
const lastMs = 5_000;
