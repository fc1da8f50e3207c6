import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/log.ts";
import { reasonOf } from "../base/result.ts";
import type { Asker } from "../contracts/host/ports.ts";
import type { Message } from "../contracts/model/message.ts";
import type { TurnOutcome } from "../contracts/session/event.ts";
import type { EntryBody, Rating } from "../contracts/session/session.ts";
import type { OngoingConversation, TurnCompanion } from "../contracts/session/turn-companion.ts";
import { lastTurn, skillsUsed } from "./turn-work.ts";

export interface FeedbackDeps {
  readonly asker: Asker;
  readonly settings: { readonly minToolCalls: number; readonly minRecovered: number; readonly intervalMs: number };
  history(): readonly Message[];
  /** Stores an entry with the session. */
  append(entry: EntryBody): Promise<unknown>;
  rate(skills: readonly string[], rating: Rating): Promise<void>;
  readonly canSaveSkill: boolean;
  readonly canRemember: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One round of questions. A text that the user types instead of an answer becomes a prompt. */
interface Talk {
  readonly conversation: OngoingConversation;
  readonly signal: AbortSignal;
}

const outcomes: readonly (readonly [choice: string, rating: Rating])[] = [
  ["Worked perfectly", "perfect"],
  ["Mostly good", "good"],
  ["Had issues", "issues"],
  ["Didn't work", "failed"],
];
const settleMs = 300;
const saving = { yes: "Yes", review: "Yes, but let me review it first", no: "No" } as const;
const remembering = { yes: "Yes", no: "No", depends: "It depends" } as const;

/**
 * Asks for feedback after long or difficult work, but rarely. Enter skips the question; any other text becomes the next
 * prompt.
 */
export function feedbackCompanion(deps: FeedbackDeps): TurnCompanion {
  const { asker, settings, clock, log } = deps;
  const closing = new AbortController();
  let request = Number.NEGATIVE_INFINITY;
  let current = new AbortController();
  let soon: Disposable | undefined;

  /** Returns the selected choice; undefined ends the questions. */
  async function ask(
    text: string,
    choices: readonly string[],
    { conversation, signal }: Talk,
  ): Promise<string | undefined> {
    const isBusy = conversation.turn !== undefined || conversation.queued.length > 0;
    if (signal.aborted || isBusy) return undefined;
    const listed = choices.map((label) => ({ label }));
    const answered = await asker.ask({ text: `${text} (Enter skips)`, choices: listed, isOptional: true }, signal);
    const [answer] = answered.ok ? answered.value : [];
    if (answer === undefined || choices.includes(answer)) return answer;
    conversation.prompt([{ type: "text", text: answer }]);
    return undefined;
  }

  async function talk(skills: readonly string[], round: Talk): Promise<void> {
    const how = await ask(
      "How did that work out?",
      outcomes.map(([choice]) => choice),
      round,
    );
    const rating = outcomes.find(([choice]) => choice === how)?.[1];
    if (rating === undefined) return;
    await deps.append({ type: "rated", rating, skills });
    if (skills.length > 0) await deps.rate(skills, rating);
    if (rating !== "perfect" && rating !== "good") return;
    const wishes: string[] = [];
    if (deps.canSaveSkill) {
      const save = await ask("Want me to save that approach as a skill?", Object.values(saving), round);
      if (save === undefined) return;
      if (save === saving.yes) wishes.push("Save the approach of this task as a skill, for next time.");
      if (save === saving.review)
        wishes.push("Draft a skill from the approach of this task and show it to me; save it only when I approve.");
    }
    if (deps.canRemember) {
      const keep = await ask("Should I remember what I learned about your work?", Object.values(remembering), round);
      if (keep === remembering.yes) wishes.push("Remember durable facts and preferences of mine from this task.");
      if (keep === remembering.depends)
        wishes.push("List what you would remember from this task; save only what I approve.");
    }
    if (wishes.length > 0) round.conversation.prompt([{ type: "text", text: wishes.join(" ") }]);
  }

  function isWorthAsking({ reason }: TurnOutcome, calls: number, failed: number): boolean {
    if (reason !== "answered" || clock.elapsed() - request < settings.intervalMs) return false;
    return calls >= settings.minToolCalls || failed >= settings.minRecovered;
  }

  return {
    async before() {
      current.abort();
      return [];
    },
    after(_prompt, outcome, _isTainted, conversation) {
      const work = lastTurn(deps.history());
      if (!isWorthAsking(outcome, work.calls.length, work.failed)) return;
      request = clock.elapsed();
      current = new AbortController();
      const signal = AbortSignal.any([current.signal, closing.signal]);
      // Waits until the answer is on the screen and the input line is free.
      soon = clock.after(settleMs, () => {
        talk(skillsUsed(work), { conversation, signal }).catch((thrown: unknown) =>
          log.warn("feedback.failed", { error: reasonOf(thrown) }),
        );
      });
    },
    async close() {
      soon?.[Symbol.dispose]();
      closing.abort();
    },
  };
}
