import { oneLine } from "../../../../base/text/text.ts";
import { compactionText } from "../../../../contracts/model/context.ts";
import type { TurnOutcome } from "../../../../contracts/session/event.ts";
import type { FeedItem, Retrying } from "../../chat/feed/feed-state.ts";
import { noticeText } from "../../chat/feed/notice-text.ts";
import { elapsedText } from "../../chat/feed/tool-line.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { wrapPlain } from "../../markdown/wrap-runs.ts";
import { fit } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import type { Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

export interface EventLook {
  readonly theme: Theme;
  readonly texts: ScreenTexts["transcript"];
  readonly columns: number;
  readonly showReasoning: boolean;
  /** Translates the text of a notice. */
  translate?(text: string): string;
}

type NoticeItem = Exclude<FeedItem, { type: "answer" | "reasoning" | "call" }>;

/** Retries, consulted models, compactions and notices. */
export function noticeLines(item: NoticeItem, look: EventLook): readonly string[] {
  const { theme, texts, translate = same } = look;
  const say = (text: string, style: (text: string) => string) => wrapped(text, look).map(style);
  switch (item.type) {
    case "model.failed":
      // Does not show the last failure, because the end of the turn reports it.
      if (item.next === "give_up") return [];
      return say(
        `↻ ${escapeInvisible(translate(oneLine(item.error.message, 300)))}: ${item.retry ? texts.startsAgain : escapeInvisible(translate(item.how))}`,
        theme.dim,
      );
    case "model.consulted":
      return consultedLines(item, look);
    case "context.compacting":
      return say(`◌ ${texts.compacting(String(item.tokens))}`, theme.dim);
    case "context.compacted":
      return say(`◌ ${texts.compacted(translate(compactionText(item)))}`, theme.dim);
    case "notice":
      return say(
        noticeText(translate(item.text)),
        item.level === "info" ? theme.dim : (text) => theme.paintAs(item.level === "error" ? "error" : "warn", text),
      );
  }
}

function consultedLines(item: Extract<NoticeItem, { type: "model.consulted" }>, look: EventLook): readonly string[] {
  const { theme, texts, translate = same } = look;
  const { provider, model, durationMs, text, error } = item;
  const by = escapeInvisible(`${provider}/${model}`);
  const took = elapsedText(durationMs);
  if (error) {
    const why = escapeInvisible(translate(oneLine(error.message, 300)));
    return wrapped(`◇ ${texts.didNotAnswer(by, took)}: ${why}`, look).map((line) => theme.paintAs("warn", line));
  }
  const words = text === undefined || look.showReasoning ? "" : escapeInvisible(oneLine(text, 120));
  const all = text !== undefined && look.showReasoning ? withoutControls(text).split("\n") : [];
  const head = `◇ ${by} (${took})${words === "" ? "" : `: ${words}`}`;
  return [head, ...all].flatMap((line) => wrapped(line, look)).map((line) => theme.dim(line));
}

/** Lines that say why a turn has no complete answer. */
export function outcomeLines({ reason, why }: TurnOutcome, look: EventLook): readonly string[] {
  const { theme, texts, translate = same } = look;
  if (reason === "aborted") return [theme.paintAs("warn", texts.stopped)];
  if (reason === "answered" && why === undefined) return [];
  const role = reason === "answered" ? "warn" : "error";
  return [
    ...wrapped(translate(withoutControls(why ?? reason)), look).map((line) => theme.paintAs(role, line)),
    ...(reason === "failed" ? [theme.dim(fit(texts.sendAgain, look.columns))] : []),
  ];
}

/** Files that the turn failed to write. The lines of their calls have the reasons. */
export function unwrittenLines(files: readonly string[], look: EventLook): readonly string[] {
  const { theme, texts } = look;
  const paths = files.slice(0, maxFiles).map((path) => escapeInvisible(oneLine(path, 200)));
  const left = files.length - paths.length;
  const more = left > 0 ? ` ${texts.moreItems(left)}` : "";
  return wrapped(`⚠ ${texts.notWritten(files.length)} ${paths.join(", ")}${more}`, look).map((line) =>
    theme.paintAs("warn", line),
  );
}

/** A failed request that is sent again, with the time until then. */
export function retryLines({ message, retry, nextAt }: Retrying, now: number, look: EventLook): readonly string[] {
  const left = Math.max(0, Math.ceil((nextAt - now) / 1_000));
  const text = look.texts.retrying(left, retry.number, retry.of);
  return wrapped(`↻ ${escapeInvisible((look.translate ?? same)(oneLine(message, 300)))}: ${text}`, look).map((line) =>
    look.theme.dim(line),
  );
}

const maxFiles = 5;

function same(text: string): string {
  return text;
}

function wrapped(text: string, { columns }: EventLook): readonly string[] {
  return text.split("\n").flatMap((line) => wrapPlain(line, columns, "  "));
}
