import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import { waitFor } from "../../../base/async/bounded-wait.ts";
import { systemClock } from "../../../base/clock.ts";
import { describeFault } from "../../../base/files/file-fault.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import { reasonOf } from "../../../base/result.ts";
import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { plural } from "../../../base/text/text.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { ModelFacts } from "../../../contracts/model/model.ts";
import type { TurnEnd, TurnOutcome } from "../../../contracts/session/event.ts";
import type { Session, Turn } from "../../../contracts/session/runtime.ts";
import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import type { ChatRequest } from "./chat-request.ts";
import { forPeople } from "./feed/for-people.ts";
import { openChat, type OpenedChat } from "./open-chat.ts";
import { preloadedSkills, withUsedSkill } from "./opening/preloaded-skills.ts";
import { promptContent } from "./prompt-content.ts";
import { type RunBudget, startRunBudget } from "./run-budget.ts";

/** Runs one prompt as one turn. The exit code reports how it ended. */
export async function runOneShot(request: ChatRequest, ctx: CliContext): Promise<Reply> {
  const { usageFile } = request;
  if (usageFile === undefined) {
    const ended = await answer(request, ctx);
    return ended ? { exitCode: exitCodes[ended.outcome.reason] } : {};
  }
  const run = await answer(request, ctx).catch((thrown: unknown) => ({ thrown }));
  if (!run) return {};
  const isInterrupted = ctx.signal.aborted;
  const report = usageReport("thrown" in run ? { error: reasonOf(run.thrown), isInterrupted } : run);
  await writeFile(resolve(ctx.cwd, usageFile), `${JSON.stringify(report, undefined, 2)}\n`).catch((thrown: unknown) =>
    ctx.io.warn(`${ctx.paint.warn("warning:")} ${describeFault(thrown, usageFile).message}\n`),
  );
  if ("thrown" in run) throw run.thrown;
  return { exitCode: exitCodes[run.outcome.reason] };
}

/** A turn with denied calls also counts as answered. */
export const exitCodes: Readonly<Record<TurnEnd, number>> = {
  answered: 0,
  failed: 1,
  budget: 3,
  denied: 4,
  aborted: 130,
};

/** The answer of the turn. Empty if there is none. */
async function answer(request: ChatRequest, ctx: CliContext): Promise<EndedRun | undefined> {
  const { io, paint, signal } = ctx;
  const content = await promptContent(request, ctx);
  if (content === undefined) {
    await refuseToResume(request, ctx);
    const { noTerminalLines } = await import("./opening/opening-lines.ts");
    ctx.io.warn(noTerminalLines(ctx.paint));
    return undefined;
  }
  let asking: Promise<unknown> | undefined;
  let hideLive = () => {};
  /** While a question is open, nothing else is printed. */
  function duringQuestion<T>(question: () => Promise<T>): Promise<T> {
    hideLive();
    const answered = question();
    const over = () => (asking = undefined);
    asking = answered.then(over, over);
    return answered;
  }
  const asker = request.isQuiet ? undefined : (await import("../questions/ask-person.ts")).askerAt(ctx, duringQuestion);
  await using opened = await openChat(request, ctx, {
    source: "oneshot",
    ...(asker && { asker }),
    say: (sentence) => io.warn(`${paint.dim(`hermes: ${sentence}`)}\n`),
    tell: (line) => io.warn(`${line}\n`),
  });
  const { session, runtime } = opened;
  if (session.heldBy !== undefined) throw sessionInUse(session);
  using attached = new DisposableStack();
  if (!request.isQuiet) {
    const { approvalSurfaceAt } = await import("../questions/ask-approval.ts");
    const surface = approvalSurfaceAt(ctx);
    if (surface)
      attached.use(
        session.approvals.attach({
          ...surface,
          ask: (pending, stop) => duringQuestion(() => surface.ask(pending, stop)),
        }),
      );
  }
  const references = await referencesOf(request, opened, ctx);
  const along = [...references, ...(await preloadedSkills(request, runtime, signal))];
  let turn = session.prompt([...(await withUsedSkill(content, runtime, signal)), ...along]);
  const stop = () => turn.abort("interrupted");
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  attached.defer(() => signal.removeEventListener("abort", stop));
  using budget = startRunBudget(request.runBudget, session, () => turn);
  const show = async () => {
    if (ctx.json) await printEvents(turn, budget, ctx);
    else if (request.isQuiet) {
      void tellWaits(turn, session, ctx);
      await reportFailures(turn, ctx);
    } else {
      const { printFeed } = await import("./print-feed.ts");
      await printFeed(turn, opened, ctx, {
        asking: () => asking,
        onAsk: (hide) => void (hideLive = hide),
      });
    }
    return turn.done;
  };
  let outcome = await show();
  while (outcome.reason === "answered" && (await reportsArrived(session, ctx))) {
    turn = session.prompt([{ type: "text", text: reportsPrompt }]);
    outcome = await show();
  }
  outcome = withinBudget(outcome, budget);
  if (!ctx.json) await printEnd(outcome, session, request, ctx);
  return { outcome, model: session.model(), sessionId: session.id };
}

/** Ends the command if it names a session to resume, but has no prompt for it and no terminal. */
async function refuseToResume({ resume, goOn, createsMissing }: ChatRequest, ctx: CliContext): Promise<void> {
  const name = resume ?? goOn;
  if (name === undefined) return;
  if (name !== "" && !createsMissing) await ctx.run("sessions.find", { sessions: [name] });
  const option = resume === undefined ? "-c" : `-r ${quoteForShellIfNeeded(resume)}`;
  throw new CommandFailed("There is no terminal for a chat, and no prompt.", `Add one: hermes ${option} -z "…"`, 2);
}

/** Contents of the references in a prompt on the command line; piped text has none. */
async function referencesOf(
  { prompt, isQuiet }: ChatRequest,
  opened: OpenedChat,
  ctx: CliContext,
): Promise<readonly ContentPart[]> {
  if (prompt === undefined || !prompt.includes("@")) return [];
  const { promptReferences } = await import("./prompt-references.ts");
  const { sessionRunner } = await import("./slash-context.ts");
  const run = sessionRunner(opened, opened.session, ctx, ctx.signal);
  const { content, attached, warnings, refused } = await promptReferences(prompt, run, ctx.paint);
  for (const line of [...(isQuiet ? [] : attached), ...warnings]) ctx.io.warn(`${line}\n`);
  if (refused !== undefined) throw new CommandFailed(withoutControls(refused), undefined, 2);
  return content;
}

const reportsPrompt = "The agents in the background have ended; their reports follow. Finish the request with them.";

/** Waits for background agents. False: there are none, or the user stops the program. */
async function reportsArrived({ agents }: Session, { io, paint, signal }: CliContext): Promise<boolean> {
  const ids = agents.undelivered();
  if (ids.length === 0) return false;
  io.warn(paint.dim(`hermes: waiting for ${plural(ids.length, "agent")} in the background … Ctrl-C ends them\n`));
  await agents.wait(ids, { signal });
  return !signal.aborted;
}

/** Prints each event as one line of JSON. The turn continues even if the reader closes the pipe. */
async function printEvents(turn: Turn, budget: RunBudget, { io }: CliContext): Promise<void> {
  for await (const event of turn.events()) {
    const isEnd = event.type === "turn.finished";
    const shown = isEnd ? { ...event, outcome: withinBudget(event.outcome, budget) } : event;
    await io.write(`${JSON.stringify(shown)}\n`);
  }
}

/** A turn that the run budget stopped has the reason `budget`, like its exit code. */
function withinBudget(outcome: TurnOutcome, { isUsedUp, why }: RunBudget): TurnOutcome {
  return isUsedUp ? { ...outcome, reason: "budget", why } : outcome;
}

/** Reports warnings, denied calls and how to allow them, to a user who sees only the answer. */
async function reportFailures(turn: Turn, { io, paint }: CliContext): Promise<void> {
  for await (const event of turn.events()) {
    if (event.type === "notice" && event.level !== "info")
      io.warn(`${paint.warn("warning:")} ${withoutControls(event.text)}\n`);
    if (event.type !== "tool.finished" || event.denied === undefined) continue;
    io.warn(`${paint.warn(`${event.name}:`)} ${withoutControls(forPeople(event.denied))}\n`);
  }
}

/** After this time, a user who sees only the answer gets the reason for the delay. */
const patienceMs = 2_000;

async function tellWaits(turn: Turn, session: Session, { io, paint }: CliContext): Promise<void> {
  const waited = await waitFor(turn.done, { ms: patienceMs, clock: systemClock, isOptional: true });
  if (waited.how === "done") return;
  const { provider, model } = session.model();
  // Prints the message only if a person waits at a terminal, not a program.
  if (io.stdoutIsTerminal) io.warn(paint.dim(`hermes: ${provider}/${model} is working … Ctrl-C stops it\n`));
  for await (const event of turn.events()) {
    if (event.type !== "model.failed" || (event.waitMs === undefined && event.next !== "fallback")) continue;
    io.warn(paint.dim(`hermes: ${withoutControls(event.error.message)}: ${event.how}\n`));
  }
}

async function printEnd(
  { reason, text, why }: TurnOutcome,
  session: Session,
  request: ChatRequest,
  { io, paint }: CliContext,
): Promise<void> {
  // A program gets the answer unchanged; for a terminal, control characters are removed.
  const answered = io.stdoutIsTerminal ? withoutControls(text) : text;
  if (request.isQuiet && text !== "") await io.write(answered.endsWith("\n") ? answered : `${answered}\n`);
  if (reason !== "answered") io.warn(`${paint.bad("error:")} ${withoutControls(why ?? reason)}\n`);
  else if (why !== undefined) io.warn(`${paint.warn("warning:")} ${withoutControls(why)}\n`);
  if (request.isQuiet && request.prompt !== undefined && !request.isBare)
    io.warn(paint.dim(`session: ${session.id}\n`));
}

export function sessionInUse({ id, heldBy }: Session): CommandFailed {
  return new CommandFailed(
    `Session ${id} is in use by ${heldBy}; it is read-only here.`,
    `\`hermes sessions show ${id}\` shows it; close the other program to resume it.`,
  );
}

interface EndedRun {
  readonly outcome: TurnOutcome;
  readonly model: ModelFacts;
  readonly sessionId: SessionId;
}

/** Content of `--usage-file`, with the field names of the Python version. `error`: no turn started. */
function usageReport(run: EndedRun | { readonly error: string; readonly isInterrupted: boolean }): JsonObject {
  if ("error" in run) {
    const { error, isInterrupted: interrupted } = run;
    return { completed: false, failed: !interrupted, partial: false, interrupted, error, api_calls: 0 };
  }
  const { outcome, model, sessionId } = run;
  const { reason, usage, why } = outcome;
  return {
    session_id: sessionId,
    provider: model.provider,
    model: model.model,
    completed: reason === "answered",
    failed: reason === "failed",
    partial: reason !== "answered" && outcome.text !== "",
    interrupted: reason === "aborted",
    turn_exit_reason: reason,
    ...(why !== undefined && { error: why }),
    api_calls: outcome.modelCalls,
    tool_calls: outcome.toolCalls,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    total_tokens: usage.input + usage.output,
    cost_usd: usage.costUsd ?? null,
    cost_status: usage.costUsd === undefined ? "unknown" : usage.estimated ? "estimated" : "known",
  };
}
