import type { Clock } from "../../src/base/clock.ts";
import { runCommand } from "../../src/commands/run-command.ts";
import { type SlashContext, slashRunner } from "../../src/commands/slash-command.ts";
import type { Command, CommandReply } from "../../src/contracts/host/command.ts";
import type { AgentEvent } from "../../src/contracts/session/event.ts";
import type { Session, SessionOptions } from "../../src/contracts/session/runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { servicesOf } from "../../src/operations/operation.ts";
import { createRunner } from "../../src/operations/run-operation.ts";
import type { OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import { eventually } from "./eventually.ts";
import type { FakeClock } from "./fake-clock.ts";
import { operationContext } from "./operation-context.ts";
import { runtimeRig, type RuntimeRigOptions } from "./runtime-rig.ts";
import { plainDisplay } from "./slash-run.ts";

/** A live session whose slash commands a test runs as a chat does. */
export interface SlashSession extends AsyncDisposable {
  readonly runtime: OpenedRuntime;
  readonly session: Session;
  /** Every event since the session was opened. */
  readonly events: readonly AgentEvent[];
  /** Texts of the notices, oldest first. */
  notices(): readonly string[];
  /** Resolves when the condition holds. */
  until(condition: () => boolean | Promise<boolean>, message?: string): Promise<void>;
  /** Resolves when a notice fits. */
  noticed(pattern: RegExp): Promise<void>;
  /** Runs a command line. If it returns a prompt, the prompt is sent. */
  command(line: string, parts?: Partial<SlashContext>): Promise<CommandReply>;
  /** Sends a prompt and returns the answer. */
  ask(text: string): Promise<string>;
  /** Resolves when no turn runs and none waits. */
  idle(): Promise<void>;
}

export interface SlashSessionOptions extends RuntimeRigOptions {
  /** A fake clock advances a little while a test waits, because the store waits by it. */
  readonly clock?: Clock | FakeClock;
  readonly session?: Partial<SessionOptions>;
  readonly prepare?: (runtime: OpenedRuntime) => Promise<void>;
}

export async function slashSession({ session: wish, prepare, ...options }: SlashSessionOptions): Promise<SlashSession> {
  const runtime = await runtimeRig(options);
  await prepare?.(runtime);
  const session = await runtime.openSession({ source: "cli", cwd: options.cwd ?? options.folder, ...wish });
  const events: AgentEvent[] = [];
  void (async () => {
    for await (const event of session.events(0)) events.push(event);
  })();
  const { builtinCommands } = await import("../../src/commands/builtin-commands.ts");
  const commands: readonly Command[] = builtinCommands;
  const { env, user } = await runtime.services.get("config");
  const services = servicesOf(() => runtime.services, {
    session: () => session,
    configPlace: () => ({ env, user, cwd: options.cwd ?? options.folder }),
  });
  const about = { ...operationContext(), principal: localPrincipal(), cwd: options.cwd ?? options.folder };
  const run = slashRunner(createRunner(services, { ...about, ...(options.clock && { clock: options.clock }) }));
  const { clock } = options;
  const until: SlashSession["until"] = (condition, message) =>
    eventually(() => {
      if (clock && "advance" in clock) clock.advance(1);
      return condition();
    }, message);
  /** The store waits by the clock, also for a command and at the end. */
  async function advancing<Value>(work: Promise<Value>): Promise<Value> {
    if (!clock || !("advance" in clock)) return work;
    const timer = setInterval(() => clock.advance(1), 5);
    return work.finally(() => clearInterval(timer));
  }
  const notices = () => events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  const idle = () => until(() => session.turn === undefined && session.queued.length === 0);
  return {
    runtime,
    session,
    events,
    idle,
    until,
    notices,
    noticed: (pattern) =>
      until(() => notices().some((text) => pattern.test(text)), `no notice fits ${String(pattern)}`),
    async command(line, parts = {}) {
      const reply = await advancing(
        runCommand(line, true, session, {
          run,
          signal: about.signal,
          sessionId: session.id,
          commands,
          answersAs: "a test",
          offered: {},
          columns: 100,
          display: plainDisplay,
          ...parts,
        }),
      );
      if (reply.effect?.kind === "prompt") session.prompt(reply.effect.content);
      return reply;
    },
    async ask(text) {
      const { text: answer } = await advancing(session.prompt([{ type: "text", text }]).done);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await advancing(Promise.resolve(runtime[Symbol.asyncDispose]()));
    },
  };
}
