import { textWidth } from "../../../../base/text/text-width.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { tokenText } from "../../chat/feed/status-line.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { fit } from "../../table.ts";
import type { StatusSegment, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

/** Everything that the line at the bottom can show. Absent facts are omitted. */
export interface StatusFacts {
  readonly model: string;
  readonly isOffline: boolean;
  readonly context?: { readonly tokens: number; readonly window: number; readonly estimated: boolean };
  /** Undefined: the price is unknown. */
  readonly costUsd?: number;
  readonly hasUsage: boolean;
  /** The duration of the running turn, or of the last one. */
  readonly turnMs?: number;
  readonly branch?: string;
  readonly backend: string;
  readonly isolation: "on" | "auto" | "off";
  readonly approvals: "manual" | "smart" | "yolo" | "readonly";
  readonly queued: number;
  readonly backgroundSessions: number;
  readonly processes: number;
  readonly agents: number;
  readonly compactions: number;
  readonly goal?: string;
  readonly title?: string;
  /** Not shown; used as the window title if the session has no title. */
  readonly cwd?: string;
  /** Plan mode: the session only reads. */
  readonly isPlanning: boolean;
  /** Segments of plugins. */
  readonly segments: readonly StatusSegment[];
}

interface Part extends StatusSegment {
  /** The painted text; `text` determines its width. */
  readonly painted: string;
}

/**
 * The status line: as many parts as fit; unimportant parts are dropped first. From 76 columns on it includes the bar.
 */
export function statusBar(
  facts: StatusFacts,
  {
    theme,
    texts,
    columns,
  }: { readonly theme: Theme; readonly texts: ScreenTexts["transcript"]; readonly columns: number },
): string {
  const isWide = columns >= wideColumns;
  const { turnMs: _time, ...withoutTime } = facts;
  // Omits the time in a narrow window, because the growing number would push other parts out while a turn runs.
  const shown = columns < minTimeColumns ? withoutTime : facts;
  const parts = partsOf(shown, isWide, theme, texts.status).filter(({ text }) => text !== "");
  const separator = isWide ? " │ " : " · ";
  const kept = new Set(parts);
  const width = () => [...kept].reduce((sum, { text }) => sum + textWidth(text) + separator.length, -separator.length);
  for (const part of parts.toSorted((a, b) => b.priority - a.priority)) {
    if (width() <= columns || kept.size === 1) break;
    kept.delete(part);
  }
  const line = parts.filter((part) => kept.has(part)).map(({ painted }) => painted);
  return theme.paintAs("status", fit(line.join(theme.dim(separator)), columns));
}

const wideColumns = 76;
const minTimeColumns = 52;
const maxModel = 26;
const cells = 10;

function partsOf(
  facts: StatusFacts,
  isWide: boolean,
  theme: Theme,
  texts: ScreenTexts["transcript"]["status"],
): readonly Part[] {
  const plain = (text: string, priority: number): Part => ({ text, painted: text, priority });
  const marked = (text: string, priority: number, role: "warn" | "error" | "accent"): Part => ({
    text,
    painted: theme.paintAs(role, text),
    priority,
  });
  const shown = (text: string, maxChars: number) => escapeInvisible(oneLine(text, maxChars));
  const count = (sign: string, number: number, priority: number) =>
    plain(number > 0 ? `${sign} ${number}` : "", priority);
  const { context, approvals } = facts;
  return [
    ...(approvals === "yolo" ? [marked(texts.yolo, 1, "error")] : []),
    ...(facts.isPlanning ? [marked(texts.planning, 3, "accent")] : []),
    plain(shown(facts.model, maxModel), 0),
    ...(context && !facts.isOffline ? contextParts(context, isWide, theme) : []),
    plain(facts.isOffline ? "" : costText(facts, texts), 8),
    plain(facts.turnMs === undefined ? "" : secondsText(facts.turnMs), 9),
    ...(facts.branch === undefined ? [] : [plain(`⎇ ${shown(facts.branch, 24)}`, 10)]),
    facts.backend === "local"
      ? facts.isolation === "off"
        ? marked(texts.noSandbox, 6, "warn")
        : plain(texts.sandbox, 15)
      : plain(shown(facts.backend, 16), 7),
    ...(approvals === "yolo" ? [] : [plain(texts[approvals], 14)]),
    count("⋯", facts.queued, 4),
    count("▶", facts.backgroundSessions, 5),
    count("⚙", facts.processes, 11),
    count("⛓", facts.agents, 11),
    count("↯", facts.compactions, 16),
    ...(facts.goal === undefined ? [] : [plain(`◎ ${shown(facts.goal, 24)}`, 12)]),
    ...(facts.title === undefined || !isWide ? [] : [plain(shown(facts.title, 30), 17)]),
    ...facts.segments.map(({ text, priority }) => plain(shown(text, 40), 20 + priority)),
  ];
}

/** `12k/128k`, then the bar and the percentage in the colour of its level. */
function contextParts(
  { tokens, window, estimated }: NonNullable<StatusFacts["context"]>,
  isWide: boolean,
  theme: Theme,
): readonly Part[] {
  if (window <= 0) return [];
  const share = Math.min(1, tokens / window);
  const percent = `${estimated ? "~" : ""}${Math.round(share * 100)} %`;
  const filled = Math.round(share * cells);
  const bar = isWide ? `${"█".repeat(filled)}${"░".repeat(cells - filled)} ` : "";
  const amount = `${tokenText(tokens)}/${tokenText(window)}`;
  const level = { text: `${bar}${percent}`, painted: levelColour(share, `${bar}${percent}`, theme), priority: 2 };
  return isWide ? [{ text: amount, painted: amount, priority: 13 }, level] : [level];
}

/** Below 50 % green, below 80 % yellow, below 95 % orange, then red. */
function levelColour(share: number, text: string, theme: Theme): string {
  if (share < 0.5) return theme.paintAs("ok", text);
  if (share < 0.8) return theme.paintAs("warn", text);
  if (share >= 0.95) return theme.paintAs("error", text);
  return theme.isColoured ? `\u001b[38;5;208m${text}\u001b[39m` : text;
}

function costText({ costUsd, hasUsage }: StatusFacts, texts: ScreenTexts["transcript"]["status"]): string {
  if (!hasUsage) return "";
  if (costUsd === undefined) return texts.noPrice;
  return costUsd === 0 ? texts.free : `$${costUsd < 0.1 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`;
}

/** `42s`, `3m 5s`, `1h 2m`. */
function secondsText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
