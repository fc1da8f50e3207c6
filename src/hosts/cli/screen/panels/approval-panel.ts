import type { Clock } from "../../../../base/clock.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { durationText } from "../../../../base/text/time-text.ts";
import type { Answer, ApprovalQuestion } from "../../../../contracts/safety/approval.ts";
import { changeLines } from "../../chat/feed/result-lines.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { coveredRules, markedLines } from "../../questions/approval-form.ts";
import { chooseRules, type RuleDialog, type TryRule } from "../../questions/choose-rules.ts";
import { fit, folded } from "../../table.ts";
import type { Drawn, KeyPress, Panel, Space, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { reasonText } from "../texts/reason-text.ts";
import { translateReply } from "../texts/translate-reply.ts";
import { createLineInput, type LineInput } from "./line-input.ts";
import { createScrollView, listRow, startCountdown, titleLine } from "./panel-layout.ts";
import { isTyped } from "./panel-stack.ts";
import { createTypedYes } from "./typed-yes.ts";

export interface ApprovalPanelParts {
  readonly question: ApprovalQuestion & { readonly expiresAt?: number };
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  readonly tryRule: TryRule;
  readonly signal: AbortSignal;
  /** Passes text that is not an answer to the draft. */
  typeElsewhere?(key: KeyPress): void;
  close(answer: Answer): void;
  redraw(): void;
}

type Option = "once" | "session" | "always" | "deny";

/** Which part of the panel receives the keys. */
type View =
  | { readonly kind: "question" }
  | { readonly kind: "why"; readonly lines: readonly string[] }
  | { readonly kind: "reason"; readonly input: LineInput }
  /** A rule before it is saved. `typed`: receives the line. */
  | {
      readonly kind: "rule";
      readonly text: string;
      readonly prompt: string;
      readonly input: LineInput;
      typed(line: string): void;
    }
  | { readonly kind: "busy" };

/**
 * Asks whether a call may run. Deny is preselected, so that Enter alone never allows anything. Every line of the call has
 * a border, so that none of them can imitate the panel.
 */
export function createApprovalPanel(parts: ApprovalPanelParts): Panel {
  const { question, theme, clock, signal, redraw } = parts;
  const { reasons: reasonTexts, panels, replies } = parts.texts;
  const texts = panels.approval;
  const rules = coveredRules(question);
  const options: readonly Option[] = rules.length === 0 ? ["once", "deny"] : ["once", "session", "always", "deny"];
  const [body, facts, details] = [createScrollView(), createScrollView(), createScrollView()];
  const choosing = new AbortController();
  let current = options.length - 1;
  let view: View = { kind: "question" };
  let isClosed = false;
  let drawn: { readonly columns: number; readonly lines: readonly string[] } | undefined;

  function close(answer: Answer): void {
    isClosed = true;
    choosing.abort();
    parts.close(answer);
  }

  function show(next: View): void {
    view = next;
    redraw();
  }

  function leftMs(): number | undefined {
    return question.expiresAt === undefined ? undefined : Math.max(0, question.expiresAt - clock.now());
  }

  async function always(): Promise<void> {
    show({ kind: "busy" });
    const dialog: RuleDialog = {
      paint: theme,
      columns: () => drawn?.columns ?? 80,
      tryRule: parts.tryRule,
      say() {},
      hasOwnHint: true,
      async ask({ text, prompt, initial }) {
        const typed = Promise.withResolvers<string>();
        details.scrollTo(0);
        show({ kind: "rule", text, prompt, input: createLineInput({ initial }), typed: typed.resolve });
        return typed.promise;
      },
    };
    const stop = AbortSignal.any([signal, choosing.signal]);
    const answer = await chooseRules(question, dialog, stop).catch(() => undefined);
    if (isClosed || signal.aborted) return;
    if (answer) close(answer);
    else show({ kind: "question" });
  }

  async function explain(): Promise<void> {
    details.scrollTo(0);
    show({ kind: "why", lines: explanation([]) });
    const trials = await Promise.all(
      rules.map(async (rule) => parts.tryRule(rule, rules, signal).catch(() => undefined)),
    );
    const results = trials.map((trial) => (trial ? (trial.ok ? trial.value.covers : trial.error.message) : ""));
    const covers = results.map((text) => translateReply(text, replies));
    if (view.kind === "why") show({ kind: "why", lines: explanation(covers) });
  }

  function explanation(covers: readonly string[]): readonly string[] {
    return [
      texts.because,
      ...question.asks.map(({ rule, reason }) => `  ${escapeInvisible(rule)}: ${reasonText(reason, reasonTexts)}`),
      ...(question.leavesSandbox ? [`  ${texts.leavesSandbox}`] : []),
      texts.yourAnswers,
      `  o  ${texts.explainOnce}`,
      ...(rules.length === 0
        ? [`  ${texts.onlyOnce}`]
        : [
            `  s  ${texts.explainSession}`,
            `  a  ${texts.explainAlways}`,
            ...rules.map((rule, index) => `     ${escapeInvisible(rule)} ${escapeInvisible(covers[index] ?? "")}`),
          ]),
      `  d  ${texts.explainDeny}`,
      texts.whereRulesAre,
    ];
  }

  function choose(option: Option): void {
    if (option === "always") void always();
    else close({ scope: option });
  }

  /** False: text without a meaning here. */
  function pressQuestion(press: KeyPress): boolean {
    const { chord, text } = press;
    const isUsed = yes.press(press);
    if (isUsed !== undefined) return isUsed;
    // A letter of a text is not an answer.
    if (chord === "paste" || (press.isBurst && isTyped(press))) return false;
    const key = text ?? chord;
    const number = /^[1-9]$/u.test(key) ? options[Number(key) - 1] : undefined;
    const letter = options.find((option) => option.startsWith(key.toLowerCase()) && key.length === 1);
    const option = number ?? letter;
    if (option) choose(option);
    else if (key === "?") void explain();
    // `n` as in no: the next letter of that word would allow the call.
    else if (chord === "escape" || /^n$/iu.test(key)) close({ scope: "deny" });
    else if (chord === "enter") choose(options[current] ?? "deny");
    else if (chord === "tab" || key === "r") show({ kind: "reason", input: createLineInput() });
    else if (chord === "up" || chord === "left") current = Math.max(0, current - 1);
    else if (chord === "down" || chord === "right") current = Math.min(options.length - 1, current + 1);
    else return scroll(press) || !isTyped(press);
    return true;
  }

  /** Page keys scroll the call to its end, then the facts below it; back in the opposite order. */
  function scroll({ chord }: KeyPress): boolean {
    const isDown = chord.endsWith("down");
    const [first, second] = isDown ? [body, facts] : [facts, body];
    const side = isDown ? "below" : "above";
    return (first.hidden[side] > 0 ? first : second).press({ chord });
  }

  function press(key: KeyPress): boolean {
    const { chord } = key;
    let isUsed = true;
    switch (view.kind) {
      case "question":
        isUsed = pressQuestion(key);
        break;
      case "why":
        if (["escape", "q", "?"].includes(key.text ?? chord) || chord === "escape") view = { kind: "question" };
        else if (!details.press(key, true) && chord !== "enter") {
          view = { kind: "question" };
          isUsed = pressQuestion(key);
        }
        break;
      case "reason":
        if (chord === "escape") view = { kind: "question" };
        else if (chord === "enter") {
          const reason = view.input.text.trim();
          close({ scope: "deny", ...(reason !== "" && { reason }) });
        } else view.input.press(key);
        break;
      case "rule":
        if (chord === "escape") {
          const { typed } = view;
          view = { kind: "busy" };
          typed("back");
        } else if (chord === "enter") {
          const { typed, input } = view;
          view = { kind: "busy" };
          typed(input.text);
        } else if (!details.press(key)) view.input.press(key);
        break;
      case "busy":
        if (chord === "escape") {
          choosing.abort();
          close({ scope: "deny" });
        }
    }
    redraw();
    return isUsed;
  }

  /** The child agent or background session that asks. Empty: the user's own session. */
  function asker(): string {
    const { agent, background } = question;
    if (agent !== undefined) return texts.agent(escapeInvisible(agent));
    return background === undefined ? "" : texts.background(escapeInvisible(background));
  }

  function optionText(option: Option): string {
    return option === "session" && asker() !== "" ? texts.ownSession : texts.options[option];
  }

  function head(columns: number): string {
    const { tool, cwd, backend } = question;
    const place = backend === "local" ? cwd : `${cwd} (${backend})`;
    const left = leftMs();
    return titleLine(
      theme,
      texts.title(escapeInvisible(tool), escapeInvisible(place), asker()),
      left === undefined ? "" : texts.left(durationText(left)),
      columns,
      "warn",
    );
  }

  /** The call with the deciding words marked, and the change of the file. */
  function callLines(columns: number): readonly string[] {
    if (drawn?.columns === columns) return drawn.lines;
    const edge = `  ${theme.dim("│")} `;
    const spans = question.asks.flatMap((ask) => ask.spans);
    const marked = markedLines(question.text, spans, theme, columns - 5);
    const change = question.preview === undefined ? [] : ["", ...changeLines(question.preview, theme, Infinity)];
    const lines = [...marked, ...change].map((line) => edge + fit(line, columns - 5));
    if (!drawn) {
      // Scrolls so that the first deciding word is visible when the panel opens.
      const from = Math.min(...spans.map((span) => span.from));
      const row = Number.isFinite(from)
        ? markedLines(question.text.slice(0, from), [], theme, columns - 5).length - 1
        : 0;
      if (row > 2) body.scrollTo(row - 1);
    }
    drawn = { columns, lines };
    return lines;
  }

  function factLines(columns: number): readonly string[] {
    const rest = question.asks.length - question.asks.filter(({ covers }) => covers !== undefined).length;
    const reasons = question.asks.flatMap(({ reason, rule }) =>
      folded(`${reasonText(reason, reasonTexts)} [${escapeInvisible(rule)}]`, columns - 4).map(
        (line, index) => `${index === 0 ? ` ${theme.bad("•")} ` : "   "}${line}`,
      ),
    );
    return [
      ...reasons,
      ...(rules.length === 0
        ? folded(texts.onlyOnce, columns - 1).map((line) => theme.dim(` ${line}`))
        : [
            fit(` ${texts.covers}`, columns),
            ...rules.flatMap((rule) =>
              folded(escapeInvisible(rule), columns - 4).map((line) => `   ${theme.accent(line)}`),
            ),
          ]),
      ...(rules.length > 0 && rest > 0 ? [theme.dim(fit(` ${texts.restOnce}`, columns))] : []),
    ];
  }

  function sandboxLines(columns: number): readonly string[] {
    return question.leavesSandbox ? folded(texts.leavesSandbox, columns - 1).map((line) => theme.warn(` ${line}`)) : [];
  }

  function optionLines(columns: number, isShort: boolean): readonly string[] {
    if (!isShort) {
      return options.map((option, index) =>
        listRow(
          theme,
          `${index + 1}  ${theme.bold(option.slice(0, 1))}  ${optionText(option)}`,
          index === current,
          columns,
        ),
      );
    }
    const words = (isTiny: boolean) =>
      options.map((option, index) => {
        const isCurrent = index === current;
        const name = isTiny && !isCurrent ? "" : ` ${texts.shortOptions[option]}`;
        return `${isCurrent ? "❯" : " "}${option.slice(0, 1)}${name}`;
      });
    // In a tiny window only the marked answer has its word.
    const shown = words(textWidth(words(false).join(" ")) > columns);
    const painted = shown.map((word, index) => (index === current ? theme.paintAs("menuCurrent", word) : word));
    return [fit(painted.join(" "), columns)];
  }

  function drawQuestion({ columns, rows }: Space): Drawn {
    const isShort = rows < 14;
    const choices = optionLines(columns, isShort);
    const [reasons, sandbox] = [factLines(columns), sandboxLines(columns)];
    // A tiny window shows the call, the first reason and the answers; the tiniest one the answers.
    const [hasHead, hasHint] = [rows >= 4, rows >= 7];
    const free = Math.max(0, rows - Number(hasHead) - Number(hasHint) - choices.length);
    const call = free < 2 ? [...callLines(columns), ...reasons, ...sandbox] : callLines(columns);
    const factRows =
      free < 2 ? 0 : Math.min(reasons.length + sandbox.length, Math.max(Math.floor(free / 2), free - call.length));
    const callRows = Math.max(Math.min(1, free), Math.min(call.length, free - factRows));
    const visible = body.visible(call, callRows);
    const shownFacts = factRows === 0 ? [] : visibleFacts(reasons, sandbox, factRows, columns);
    const { above, below } = body.hidden;
    const hint = above + below > 0 ? `${texts.scroll(above, below)} · ${texts.hint}` : texts.hint;
    const lines = [
      ...(hasHead ? [head(columns)] : []),
      ...visible.slice(0, callRows),
      ...shownFacts,
      ...choices,
      ...(hasHint ? [theme.dim(fit(` ${hint}`, columns))] : []),
    ];
    return { lines: lines.slice(0, Math.max(1, rows)) };
  }

  /** Reasons and rules. The sentence about the sandbox stays visible below them if there is a row for both. */
  function visibleFacts(
    reasons: readonly string[],
    sandbox: readonly string[],
    rows: number,
    columns: number,
  ): readonly string[] {
    const isFixed = rows > sandbox.length;
    const room = isFixed ? rows - sandbox.length : rows;
    const lines = isFixed ? reasons : [...sandbox, ...reasons];
    const hasNote = lines.length > room && room > 1;
    const shown = facts.visible(lines, hasNote ? room - 1 : room);
    const { below } = facts.hidden;
    const note = hasNote && below > 0 ? [theme.dim(fit(` ${texts.moreFacts(below)}`, columns))] : [];
    return [...shown.map((line) => fit(line, columns)), ...note, ...(isFixed ? sandbox : [])];
  }

  function drawInput(
    { columns, rows }: Space,
    above: readonly string[],
    prompt: string,
    input: LineInput,
    hint: string,
  ) {
    const shown = details.visible(above, Math.max(0, rows - 3));
    const line = input.draw(columns - prompt.length - 1);
    const lines = [
      head(columns),
      ...shown,
      ` ${theme.accent(prompt)}${line.text}`,
      theme.dim(fit(` ${hint}`, columns)),
    ];
    return { lines, cursor: { row: lines.length - 2, column: prompt.length + 1 + line.column } };
  }

  const yes = createTypedYes({ ...parts, answer: () => choose("once") });
  const countdown = startCountdown(parts, () => leftMs() ?? 0);
  return {
    isQuestion: true,
    press,
    closed() {
      yes[Symbol.dispose]();
      countdown[Symbol.dispose]();
    },
    draw(space) {
      const { columns, rows } = space;
      switch (view.kind) {
        case "question":
          return drawQuestion(space);
        case "why": {
          const lines = view.lines.flatMap((line) => folded(line, columns - 1)).map((line) => ` ${line}`);
          if (rows < 3) return { lines: details.visible(lines, rows) };
          const shown = details.visible(lines, rows - 2);
          const { above, below } = details.hidden;
          const hint = above + below > 0 ? `${texts.scroll(above, below)} · ${texts.backHint}` : texts.backHint;
          return { lines: [head(columns), ...shown, theme.dim(fit(` ${hint}`, columns))] };
        }
        case "reason":
          return drawInput(space, callLines(columns), texts.reasonPrompt, view.input, texts.reasonHint);
        case "rule": {
          const above = view.text
            .trim()
            .split("\n")
            .map((line) => fit(line, columns));
          return drawInput(space, above, texts.rulePrompt, view.input, texts.ruleHint);
        }
        case "busy":
          return { lines: [head(columns), theme.dim(` ${texts.testing}`)] };
      }
    },
  };
}
