import { oneLine } from "../../../../base/text/text.ts";
import type { TodoItem, TodoStatus } from "../../../../contracts/session/todo.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { fit } from "../../table.ts";
import type { Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

export interface PlanLook {
  readonly theme: Theme;
  readonly texts: ScreenTexts["transcript"];
  readonly columns: number;
  /** Default: all. */
  readonly maxLines?: number;
}

/**
 * The plan: a header with its progress, then one line per item. If space is short, finished items are omitted first.
 */
export function todoLines(plan: readonly TodoItem[], look: PlanLook): readonly string[] {
  const { theme, texts, columns, maxLines = Infinity } = look;
  const done = plan.filter(({ status }) => status === "completed").length;
  const head = `${theme.paintAs("title", texts.plan)} ${theme.dim(texts.planDone(done, plan.length))}`;
  const shown = plan.length + 1 <= maxLines ? plan : itemsAround(plan, Math.max(1, maxLines - 2));
  const left = plan.length - shown.length;
  return [
    head,
    ...shown.map((item) => `  ${itemText(item, theme, columns - 4)}`),
    ...(left > 0 && maxLines > 1 ? [theme.dim(`  ${texts.moreItems(left)}`)] : []),
  ].slice(0, maxLines);
}

export function isPlanDone(plan: readonly TodoItem[]): boolean {
  return plan.every(({ status }) => status === "completed" || status === "cancelled");
}

/** The first open items, with the last done one before them. */
function itemsAround(plan: readonly TodoItem[], count: number): readonly TodoItem[] {
  const first = plan.findIndex(({ status }) => status === "in_progress" || status === "pending");
  const start = Math.min(Math.max(0, first - 1), Math.max(0, plan.length - count));
  return plan.slice(start, start + count);
}

function itemText({ content, status }: TodoItem, theme: Theme, columns: number): string {
  const words = fit(escapeInvisible(oneLine(content, 400)), columns);
  return `${paintSign(status, theme)} ${status === "in_progress" ? theme.bold(words) : status === "pending" ? words : theme.dim(words)}`;
}

function paintSign(status: TodoStatus, theme: Theme): string {
  switch (status) {
    case "completed":
      return theme.paintAs("ok", "☑");
    case "cancelled":
      return theme.dim("☒");
    case "in_progress":
      return theme.paintAs("accent", "▸");
    case "pending":
      return theme.dim("☐");
  }
}
