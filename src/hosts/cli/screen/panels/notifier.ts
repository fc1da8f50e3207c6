import type { Clock } from "../../../../base/clock.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { durationText } from "../../../../base/text/time-text.ts";
import type { AgentEvent } from "../../../../contracts/session/event.ts";
import { withoutControls } from "../../without-controls.ts";
import type { KeyPress } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { notificationBytes, type NotificationKind } from "./notification-bytes.ts";

export interface NotificationSettings {
  /** `auto`: as the terminal supports. */
  readonly notifications: "auto" | "off" | NotificationKind;
  readonly notify_after_seconds: number;
  readonly bell_on_complete: boolean;
}

export interface NotifierParts {
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  settings(): NotificationSettings;
  /** Sends bytes to the terminal. */
  send(bytes: string): void;
}

/** Notifies a user who looks elsewhere that a turn ended, a question is waiting or a background task is done. */
export interface Notifier {
  /** Called for every key, including `focus` and `blur`. */
  pressed(key: KeyPress): void;
  show(event: AgentEvent): void;
  questionWaits(): void;
  /** Called for other events, such as the end of a background turn. */
  done(text: string): void;
}

/** A terminal that reports no focus counts as watched for this time after a key. */
const watchedMs = 20_000;

export function createNotifier(parts: NotifierParts): Notifier {
  const { clock } = parts;
  const texts = parts.texts.panels.notifications;
  /** Whether the window has the focus. Undefined: the terminal has not reported it. */
  let isFocused: boolean | undefined;
  let keyAt = -Infinity;
  let turnAt: number | undefined;

  const isWatched = () => isFocused ?? clock.elapsed() - keyAt < watchedMs;

  function notify(text: string): void {
    const { notifications } = parts.settings();
    if (notifications === "off" || isWatched()) return;
    const body = oneLine(withoutControls(text), maxBodyChars);
    parts.send(notificationBytes(notifications, { title: texts.title, body }, parts.env));
  }

  function endTurn(event: Extract<AgentEvent, { type: "turn.finished" }>): void {
    const { bell_on_complete: rings, notify_after_seconds: seconds } = parts.settings();
    const durationMs = turnAt === undefined ? 0 : clock.elapsed() - turnAt;
    turnAt = undefined;
    if (rings) parts.send("\x07");
    const { reason, why } = event.outcome;
    // No notification if the user stopped the turn.
    if (reason === "aborted" || durationMs < seconds * 1_000) return;
    const time = durationText(durationMs);
    notify(reason === "answered" ? texts.answered(time) : texts.failed(time, why ?? reason));
  }

  return {
    pressed({ chord }) {
      if (chord === "focus" || chord === "blur") isFocused = chord === "focus";
      else {
        keyAt = clock.elapsed();
        // A key press shows that the window has the focus.
        if (isFocused === false) isFocused = true;
      }
    },
    show(event) {
      if (event.type === "turn.started") turnAt = clock.elapsed();
      else if (event.type === "turn.finished") endTurn(event);
      else if (event.type === "agent.changed") {
        const { agent } = event;
        const hasEnded = agent.state !== "running" && agent.state !== "waiting";
        if (agent.isBackground && hasEnded) notify(texts.agentEnded(oneLine(agent.goal, 80), agent.state));
      }
    },
    questionWaits() {
      const { bell_on_complete: rings } = parts.settings();
      if (rings && !isWatched()) parts.send("\x07");
      notify(texts.question);
    },
    done: notify,
  };
}

const maxBodyChars = 200;
