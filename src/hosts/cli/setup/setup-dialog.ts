import { abortable } from "../../../base/async/abort.ts";
import { systemClock } from "../../../base/clock.ts";
import { plainText } from "../../../base/text/ansi.ts";
import type { Choice } from "../../../contracts/host/question.ts";
import { type ChoiceMenu, createChoiceMenu } from "../chat/typing/choice-menu.ts";
import { openLineEditor } from "../chat/typing/line-editor.ts";
import type { LineMenu } from "../chat/typing/line-menu.ts";
import type { CliContext } from "../command.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import { wrap } from "../table.ts";

export interface SetupQuestion {
  readonly title: string;
  readonly text?: string;
  readonly choices: readonly Choice[];
  /** The choice for Enter alone. */
  readonly initial?: number;
  /** True: a typed line that names no choice is accepted as a free-text answer. */
  readonly allowsText?: boolean;
}

/** Thrown when the user leaves the wizard with Ctrl-C, Ctrl-D, Esc or q. */
export class SetupLeft extends Error {}

/**
 * Questions of a wizard. Each one rejects with `SetupLeft` when the person leaves. On a terminal that cannot draw again
 * (TERM=dumb) and for screen readers, choices are a numbered list.
 */
export interface SetupDialog extends Disposable {
  say(text: string): void;
  /** The index of the choice, or the typed words. */
  choose(question: SetupQuestion): Promise<number | string>;
  /** The indexes of the marked choices. */
  mark(
    question: Omit<SetupQuestion, "initial" | "allowsText"> & { readonly initial: readonly number[] },
  ): Promise<readonly number[]>;
  /** Reads one line; Enter alone returns the default. */
  line(title: string, byDefault?: string): Promise<string>;
  /** Reads a text without echo. Empty: none. */
  secret(title: string): Promise<string>;
  /** Runs something that the person can interrupt with Ctrl-C. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Undefined without a terminal. */
export function openSetupDialog(ctx: CliContext): SetupDialog | undefined {
  const { io, paint, signal, env } = ctx;
  const { keys } = io;
  if (!keys || !io.stdinIsTerminal || !io.stdoutIsTerminal || ctx.json) return undefined;
  const isDumb = env["TERM"] === "dumb";
  const left = new AbortController();
  const leave = () => left.abort(new SetupLeft("left"));
  const editor = openLineEditor({
    keys,
    write: (text) => void io.write(isDumb ? plainText(text) : text),
    columns: () => io.columns,
    rows: () => io.rows,
    clock: systemClock,
    prompt: "",
    history: [],
    complete: () => [],
    heard: { input() {}, remember() {}, interrupt: leave, end: leave },
  });
  editor.setBusy(true);
  const stopped = AbortSignal.any([left.signal, signal]);

  async function ask(question: Parameters<typeof editor.ask>[0]): Promise<string> {
    // The user started the wizard, so the first key is accepted.
    return editor.ask({ ...question, isFollowUp: true }, stopped).catch((thrown: unknown) => {
      throw stopped.aborted ? new SetupLeft("left") : thrown;
    });
  }

  const head = ({ title, text }: Pick<SetupQuestion, "title" | "text">) =>
    wrap(
      [
        "",
        paint.bold(escapeInvisible(title)),
        ...(text === undefined ? [] : text.split("\n").map((line) => `  ${line}`)),
      ].join("\n"),
      io.columns,
    );

  async function pick(
    question: SetupQuestion,
    hasSeveral: boolean,
    initial: readonly number[],
  ): Promise<{ readonly picked: readonly number[]; readonly words: string }> {
    const { choices, allowsText = false } = question;
    const hint = hasSeveral
      ? "↑↓ and space, or numbers mark · Enter goes on · Esc or q leaves"
      : `↑↓ or a number, Enter answers${allowsText ? " · or type a name" : ""} · Esc or q leaves`;
    let above = head(question);
    for (;;) {
      const menu = createChoiceMenu({
        choices: isDumb ? [] : choices,
        hasSeveral,
        allowsText,
        initial,
        canBeEmpty: hasSeveral || isDumb,
        hint,
        paint,
        columns: () => io.columns,
        rows: () => io.rows,
      });
      const list = isDumb ? `${plainList(choices, hasSeveral, initial)}\n${plainHint(hasSeveral, initial)}` : "";
      const typed = await ask({
        text: isDumb ? `${above}\n${wrap(list, io.columns)}` : above,
        prompt: isDumb ? "> " : "❯ ",
        ...(!isDumb && { menu: leavable(menu) }),
        reply: (line) => (isDumb ? "" : wrap(replyText(menu.answer, line, choices), io.columns)),
      });
      const answer = isDumb ? plainAnswer(typed, choices, hasSeveral, initial) : menu.answer;
      if (!answer || isLeaving(answer.words)) throw new SetupLeft("left");
      if (answer.words === "" || allowsText) return answer;
      above = paint.bad(`There is no choice "${escapeInvisible(answer.words.slice(0, 40))}".`);
    }
  }

  return {
    say: (text) => editor.print(`${wrap(text, io.columns)}\n`),
    async choose(question) {
      const { picked, words } = await pick(question, false, [question.initial ?? 0]);
      return words === "" ? (picked[0] ?? question.initial ?? 0) : words;
    },
    async mark({ initial, ...question }) {
      return (await pick(question, true, initial)).picked;
    },
    async line(title, byDefault) {
      const shown = byDefault === undefined ? "" : ` [${byDefault}]`;
      const typed = (await ask({ text: "", prompt: `${wrap(`${title}${shown}`, io.columns)}: ` })).trim();
      if (isLeaving(typed)) throw new SetupLeft("left");
      return typed === "" ? (byDefault ?? "") : typed;
    },
    secret: async (title) => (await ask({ text: "", prompt: `${title}: `, isHidden: true })).trim(),
    async during(work) {
      try {
        return await abortable(work(stopped), stopped);
      } catch (thrown) {
        throw stopped.aborted ? new SetupLeft("left") : thrown;
      }
    },
    [Symbol.dispose]: () => editor[Symbol.dispose](),
  };
}

/** `q` exits if other words name a choice. */
function leavable(menu: ChoiceMenu): LineMenu {
  const { rows, press, decline, submit } = menu;
  return { rows, press, decline, submit: (line) => isLeaving(line) || submit(line) };
}

function isLeaving(words: string): boolean {
  return /^(?:q|quit|exit)$/iu.test(words.trim());
}

type PickedChoices = { readonly picked: readonly number[]; readonly words: string };

function replyText(answer: PickedChoices | undefined, line: string, choices: readonly Choice[]): string {
  if (!answer) return "";
  const labels = answer.picked.map((index) => choices[index]?.label ?? "");
  return `❯ ${escapeInvisible(answer.words === "" ? labels.join(", ") || "none" : line)}`;
}

function plainList(choices: readonly Choice[], hasSeveral: boolean, initial: readonly number[]): string {
  return choices
    .map(({ label, description }, index) => {
      const state = hasSeveral && initial.includes(index) ? " (on)" : "";
      const about = description === undefined ? "" : ` - ${description}`;
      return escapeInvisible(`  ${index + 1}. ${label}${state}${about}`);
    })
    .join("\n");
}

function plainHint(hasSeveral: boolean, initial: readonly number[]): string {
  if (!hasSeveral) return `Type a number; Enter alone: ${(initial[0] ?? 0) + 1}; q leaves.`;
  return "Type the numbers of all that should be on, with commas; Enter alone changes nothing; q leaves.";
}

function plainAnswer(
  line: string,
  choices: readonly Choice[],
  hasSeveral: boolean,
  initial: readonly number[],
): PickedChoices {
  const typed = line.trim();
  if (typed === "") return { picked: initial, words: "" };
  const words = hasSeveral ? typed.split(",") : [typed];
  const indexes = words.map((word) => {
    const name = word.trim().toLowerCase();
    if (/^\d+$/u.test(name)) return choices[Number(name) - 1] ? Number(name) - 1 : -1;
    return choices.findIndex(({ label }) => label.toLowerCase() === name);
  });
  return indexes.includes(-1) ? { picked: [], words: typed } : { picked: indexes, words: "" };
}
