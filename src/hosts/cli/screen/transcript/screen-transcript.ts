import type { Clock } from "../../../../base/clock.ts";
import { shortTimeText } from "../../../../base/text/time-text.ts";
import { promptText } from "../../../../commands/reply-text.ts";
import type { AgentEvent } from "../../../../contracts/session/event.ts";
import { isAnnounced } from "../../../../contracts/session/program-prompt.ts";
import { agentLine, type AgentScreen, callAgents } from "../../chat/feed/agent-lines.ts";
import { belowCall, type CallLook, callText, endedCallLines } from "../../chat/feed/call-lines.ts";
import {
  type CallItem,
  emptyFeed,
  type FeedItem,
  type FeedState,
  hasCutAnswer,
  reduceFeed,
} from "../../chat/feed/feed-state.ts";
import { printableLines } from "../../chat/feed/result-lines.ts";
import { unwrittenFiles } from "../../chat/feed/unwritten-files.ts";
import { fit } from "../../table.ts";
import type { ScreenTranscript, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { noticeLines, outcomeLines, retryLines, unwrittenLines } from "./event-lines.ts";
import { type BlockKind, createFinishedLines } from "./finished-lines.ts";
import { isPlanDone, todoLines } from "./plan-lines.ts";
import { promptLines } from "./prompt-lines.ts";
import { type Indicator, indicatorMs, type WorkingFacts, workingLine } from "./working-line.ts";

/** Settings of `display`, which commands change while the chat runs. */
export interface TranscriptDisplay {
  readonly show_reasoning: boolean;
  readonly tool_progress: "off" | "new" | "all" | "verbose";
  readonly markdown: boolean;
  readonly indicator: Indicator;
  readonly timestamps: boolean;
  /** After an answer, lists files that the turn failed to write. */
  readonly file_mutation_verifier: boolean;
  /** Shows only prompts and answers. */
  readonly focus: boolean;
}

export interface TranscriptParts {
  /** The current theme. */
  theme(): Theme;
  display(): TranscriptDisplay;
  readonly clock: Clock;
  readonly texts: ScreenTexts["transcript"];
  /** Translates the text of a notice. */
  translate?(text: string): string;
  /** Translates the reason of a failed call. */
  translateFailure?(text: string): string;
  /** The symbol of a tool, unless the theme has one. */
  emoji(tool: string): string;
  /** True: the terminal has links (OSC 8). */
  readonly hyperlinks?: boolean;
  /** How the user sees the whole output of a call: `Ctrl-O`. */
  readonly showsAll?: string;
}

export function createScreenTranscript(parts: TranscriptParts): ScreenTranscript {
  const { clock, texts } = parts;
  const finished = createFinishedLines(parts);
  let state = emptyFeed;
  /** Prompts that the host has shown before their turn starts. */
  const echoed: string[] = [];
  /** Prompts that interrupt the running turn. They are written after its last lines. */
  const interrupting: string[] = [];
  /** Commands that were typed during the turn and have not replied yet. */
  let typed: string[] = [];
  /** The line that the user typed last while no turn ran, until a turn starts. */
  let lastLine = "";
  /** The ! command that runs. */
  let shell: string | undefined;
  /** The command that interrupts the running turn, and its notes. They are written after the last lines of the turn. */
  let after: string[] | undefined;
  const calls: CallItem[] = [];
  /** When the first of consecutive model calls started. */
  let waitingSince = 0;
  let isPlanPrinted = true;
  let isTurnRunning = false;

  const look = (columns: number): CallLook => {
    const theme = parts.theme();
    return {
      paint: theme,
      columns: Math.min(columns, maxCallColumns),
      prefix: theme.toolPrefix,
      isNumbered: true,
      emoji: (tool) => theme.toolEmoji(tool) ?? parts.emoji(tool),
      isWhole: parts.display().tool_progress === "verbose",
      ...(parts.translateFailure && { translate: parts.translateFailure }),
      ...(parts.translate && { say: parts.translate }),
      ...(parts.showsAll !== undefined && { showsAll: parts.showsAll }),
    };
  };
  const eventLook = (columns: number) => ({
    theme: parts.theme(),
    texts,
    columns,
    showReasoning: parts.display().show_reasoning,
    ...(parts.translate && { translate: parts.translate }),
  });
  const agentLook = (columns: number) => ({
    paint: parts.theme(),
    columns,
    now: clock.now(),
    ...(parts.translate && { say: parts.translate }),
  });

  function add(kind: BlockKind | "command", draw: (columns: number) => readonly string[]): void {
    finished.add(kind, draw);
  }

  function addTyped(): void {
    for (const text of typed) add("command", () => text.split("\n"));
    typed = [];
  }

  /** Writes the command that interrupted the turn. */
  function addAfter(): void {
    const [command, ...notes] = after ?? [];
    after = undefined;
    if (command !== undefined) add("command", () => command.split("\n"));
    for (const text of notes) add("note", () => text.split("\n"));
  }

  function echo(text: string, sentAt: number): void {
    const time = parts.display().timestamps ? shortTimeText(sentAt, sentAt) : undefined;
    add("prompt", (columns) =>
      promptLines(text, { theme: parts.theme(), texts, columns, ...(time !== undefined && { time }) }),
    );
  }

  /** Returns whether the command that the user typed, such as `/goal PROMPT`, has already shown the prompt. */
  function isInCommand(prompt: string): boolean {
    return lastLine.startsWith("/") && lastLine.endsWith(` ${prompt.trim()}`);
  }

  function addNotice(item: Parameters<typeof noticeLines>[0]): void {
    add("note", (columns) => noticeLines(item, eventLook(columns)));
  }

  function showItem(item: FeedItem): void {
    const { show_reasoning, focus, tool_progress } = parts.display();
    switch (item.type) {
      case "answer":
        return finished.text("answer", item.delta);
      case "reasoning":
        return show_reasoning && !focus ? finished.text("reasoning", item.delta) : undefined;
      case "call":
        return item.result ? showEndedCall(item) : undefined;
      case "notice":
        // The lines of the calls have the reasons, and the end of the turn names the files.
        if (item.unwritten && !focus && tool_progress !== "off") return undefined;
        return !focus || item.level !== "info" ? addNotice(item) : undefined;
      case "model.failed":
        // The live line counts the retries.
        return (item.retry && !hasCutAnswer(state)) || focus ? undefined : addNotice(item);
      default:
        if (!focus) addNotice(item);
    }
  }

  function showEndedCall(call: CallItem): void {
    const { result } = call;
    calls.push(call);
    if (calls.length > maxCalls) calls.shift();
    if (!result || !isShown(call)) return;
    const { agents } = state;
    add("call", (columns) =>
      [
        ...endedCallLines(call, result, look(columns)),
        ...callAgents(agents, call.callId, agentLook(Math.min(columns, maxCallColumns))),
      ].map((line) => fit(line, columns)),
    );
  }

  /** The plan is drawn as a whole, so calls that change it have no lines. */
  function isShown(call: CallItem): boolean {
    const { tool_progress, focus } = parts.display();
    if (focus || tool_progress === "off" || (tool_progress === "new" && call.isRepeat)) return false;
    return call.name !== "todo" || call.result?.failed === true || tool_progress === "verbose";
  }

  function showAgent({ now: agent, before }: NonNullable<FeedState["changedAgent"]>): void {
    const { tool_progress, focus } = parts.display();
    const isInCall = agent.depth > 1 || running().some(({ callId }) => callId === agent.callId);
    if (focus || tool_progress === "off" || isInCall || agent.state === before || agent.state === "waiting") return;
    add("call", (columns) => [fit(agentLine(agent, agentLook(Math.min(columns, maxCallColumns))), columns)]);
  }

  /** Writes the plan once, when it is done or the turn ends. */
  function showPlan(): void {
    if (isPlanPrinted || state.plan.length === 0 || parts.display().focus) return;
    if (!state.isOver && !isPlanDone(state.plan)) return;
    isPlanPrinted = true;
    const { plan } = state;
    add("plan", (columns) => todoLines(plan, { theme: parts.theme(), texts, columns }));
  }

  function running(): readonly CallItem[] {
    return state.items.filter((item): item is CallItem => item.type === "call" && !item.result && !state.isOver);
  }

  /** The model that has been silent, before its first word or in the middle of an answer. */
  function silence(now: number): Omit<WorkingFacts, "indicator"> | undefined {
    const { waiting, answering, isOver } = state;
    if (isOver) return undefined;
    if (waiting) return { isThinking: waiting.isThinking, model: waiting.model, elapsedMs: now - waitingSince };
    if (!answering || now - answering.at < stalledMs) return undefined;
    return { isThinking: false, isStalled: true, model: answering.model, elapsedMs: now - answering.at };
  }

  return {
    show(event: AgentEvent) {
      const before = state;
      state = reduceFeed(before, event);
      if (event.type === "turn.finished") isTurnRunning = false;
      if (event.type === "turn.started") {
        isTurnRunning = true;
        const text = promptText(event.prompt);
        const index = echoed.indexOf(text);
        const sent = interrupting.splice(0, interrupting.indexOf(text) + 1);
        if (sent.length > 0) for (const each of sent) echo(each, event.at);
        else if (index >= 0) echoed.splice(index, 1);
        else if (!isInCommand(text) && !isAnnounced(event.prompt)) echo(text, event.at);
        lastLine = "";
      }
      if (state.waiting && !before.waiting) waitingSince = event.at;
      if (state.answer !== before.answer) finished.end();
      const item = state.changed === undefined ? undefined : state.items[state.changed];
      if (item) showItem(item);
      if (state.plan !== before.plan) isPlanPrinted = false;
      if (state.changedAgent) showAgent(state.changedAgent);
      if (event.type === "turn.finished") {
        finished.end();
        state.interrupted?.forEach(showEndedCall);
        // No note about the stop if a prompt interrupted the turn, because the prompt already shows it.
        const isReplaced = event.outcome.reason === "aborted" && echoed.length + interrupting.length > 0;
        const { file_mutation_verifier, focus, tool_progress } = parts.display();
        const failures = file_mutation_verifier && !focus && tool_progress !== "off" ? unwrittenFiles(state.items) : [];
        if (event.outcome.reason === "answered" && failures.length > 0)
          add("note", (columns) => unwrittenLines(failures, eventLook(columns)));
        if (!isReplaced) add("note", (columns) => outcomeLines(event.outcome, eventLook(columns)));
        addAfter();
      }
      showPlan();
    },
    prompt(text, isSteered = false) {
      if (isTurnRunning && !isSteered) return void interrupting.push(text);
      // The unfinished line of the running turn stays above the prompt.
      if (isTurnRunning) finished.pause();
      echoed.push(text);
      if (!isInCommand(text)) echo(text, clock.now());
    },
    order: (text) => void echoed.push(text),
    // During a turn other lines follow the command, so that the prompt is shown when its own turn starts.
    typed: (line) => void (lastLine = isTurnRunning ? "" : line.trim()),
    command(text) {
      typed.push(text);
      if (!isTurnRunning) addTyped();
    },
    commandEnded: addTyped,
    shellStarted(text) {
      shell = text;
    },
    shellEnded() {
      const text = shell;
      shell = undefined;
      if (text !== undefined) add("command", () => text.split("\n"));
    },
    willInterrupt() {
      if (isTurnRunning && typed.length > 0) after = typed.splice(0);
    },
    note(text) {
      if (after) return void after.push(text);
      addTyped();
      return add("note", () => text.split("\n"));
    },
    block: (draw) => add("note", draw),
    takeFinished: (columns) => finished.take(columns),
    willShowCall: (id) => running().some((call) => call.callId === id && isShown(call)),
    live({ columns, rows }) {
      if (rows < 1) return [];
      const theme = parts.theme();
      const { indicator, focus } = parts.display();
      const now = clock.now();
      const shownCalls = running().filter(isShown);
      const silent = silence(now);
      const working = silent ? [workingLine({ indicator, ...silent }, theme, texts, columns)] : [];
      const retries = state.retrying ? retryLines(state.retrying, now, eventLook(columns)) : [];
      const plan =
        state.isPlanNew && !isPlanPrinted && !focus
          ? todoLines(state.plan, { theme, texts, columns, maxLines: Math.max(1, Math.floor(rows / 3)) })
          : [];
      const sent = [
        ...interrupting.flatMap((prompt) => ["", ...promptLines(prompt, { theme, texts, columns })]),
        ...[...(after ?? []), ...typed, ...(shell === undefined ? [] : [shell])].flatMap((text) => text.split("\n")),
      ];
      const room = Math.max(1, rows - working.length - retries.length - plan.length - sent.length);
      const callLines = runningLines(shownCalls, state, look(columns), agentLook(columns), room);
      const left = room - callLines.length;
      const text = left > 0 ? finished.open(columns, left).slice(-left) : [];
      const { lastKind } = finished;
      const continues = text.length > 0 || (callLines.length > 0 && lastKind === "call") || lastKind === undefined;
      const lines = [...text, ...callLines, ...plan, ...retries, ...working, ...sent];
      // Uses the layout of the finished lines, so that nothing moves when they are finished.
      if (!continues && lines.length > 0 && lines.length < rows) lines.unshift("");
      return lines.slice(-rows).map((line) => fit(line, columns));
    },
    redrawAfterMs() {
      return isTurnRunning ? Math.min(secondMs, indicatorMs) : undefined;
    },
    get state() {
      return state;
    },
    get calls() {
      return [...calls, ...running()];
    },
  };
}

/** Running calls with their time, the end of their output, and their agents. */
function runningLines(
  calls: readonly CallItem[],
  state: FeedState,
  look: CallLook,
  agents: AgentScreen & { readonly paint: Theme },
  rows: number,
): readonly string[] {
  if (calls.length === 0) return [];
  const each = Math.max(1, Math.floor(rows / calls.length));
  const { paint } = look;
  const lines = calls.flatMap((call) => {
    const took = paint.dim(`${Math.floor(Math.max(0, agents.now - call.startedAt) / 1_000)} s`);
    const tree = callAgents(state.agents, call.callId, agents, Math.max(1, each - 1));
    const printed = tree.length > 0 ? [] : call.printed.flatMap(printableLines).slice(-1);
    return [
      `${callText(call, look)} ${took}`,
      ...printed.map((line) => belowCall(paint.dim(line), look)),
      ...tree,
    ].slice(0, each);
  });
  return lines.slice(0, rows);
}

const secondMs = 1_000;
/** After this time without text, an answer counts as stalled. */
const stalledMs = 3_000;
const maxCalls = 200;
const maxCallColumns = 160;
