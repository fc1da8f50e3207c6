import { textWidth } from "../../../../base/text/text-width.ts";
import { version } from "../../../../base/version.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { tokenText } from "../../chat/feed/status-line.ts";
import { newcomerLines, serverStates } from "../../chat/opening/opening-lines.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { wrapPlain } from "../../markdown/wrap-runs.ts";
import { fit, wrap } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import type { Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

/** Facts of the first lines. */
export interface OpeningBlockFacts {
  readonly model: string;
  readonly contextTokens: number;
  readonly isOffline: boolean;
  /** Shows suggestions for new users. */
  readonly isNewcomer: boolean;
  readonly folder: string;
  readonly sessionId: string;
  /** Absent: the default profile. */
  readonly profile?: string;
  readonly toolsets: readonly { readonly name: string; readonly tools: readonly string[] }[];
  readonly servers: OutputOf<"servers.states">["servers"];
  readonly skills: number;
}

export interface OpeningLook {
  readonly theme: Theme;
  readonly texts: ScreenTexts["transcript"];
  readonly columns: number;
}

/**
 * The first lines of a chat: model, folder, session, tools by toolset, servers with their state, skills. A small window
 * gets a shorter form.
 */
export function openingBlock(facts: OpeningBlockFacts, look: OpeningLook): readonly string[] {
  const { theme, texts, columns } = look;
  const { opening } = texts;
  const count = facts.toolsets.reduce((sum, { tools }) => sum + tools.length, 0);
  const servers = facts.servers.filter(({ state }) => state !== "disabled");
  const isNarrow = columns < narrowColumns;
  const sums = [
    opening.tools(count),
    ...(isNarrow && servers.length > 0 ? [opening.servers(servers.length)] : []),
    ...(facts.skills > 0 ? [opening.skills(facts.skills)] : []),
  ].join(" · ");
  const first = facts.isNewcomer
    ? newcomerLines(theme, opening)
        .slice(0, -1)
        .flatMap((line) => wrap(line, columns).split("\n"))
    : headLines(facts, look);
  const rows = isNarrow ? [] : [...toolRows(facts, look), ...serverRow(facts, look)];
  const keys = `${sums} · ${opening.keys}`;
  const last = textWidth(keys) <= columns ? keys : `${sums} · ${opening.shortKeys}`;
  return [...bannerLines(look), ...first, ...rows, ...wrapPlain(last, columns).map((line) => theme.dim(line)), ""];
}

const narrowColumns = 60;
const logoColumns = 95;
const maxToolRows = 8;
const maxNameColumns = 14;

function bannerLines({ theme, columns }: OpeningLook): readonly string[] {
  const { logo } = theme.banner;
  const lines = withoutControls(logo).split("\n");
  if (columns < logoColumns || logo.trim() === "" || lines.some((line) => textWidth(line) > columns)) return [];
  return [...lines.map((line) => theme.paintAs("title", line.trimEnd())), ""];
}

function headLines(facts: OpeningBlockFacts, { theme, texts, columns }: OpeningLook): readonly string[] {
  const name = escapeInvisible(theme.branding.agentName ?? "Hermes");
  const size = facts.isOffline ? texts.opening.noAi : tokenText(facts.contextTokens);
  const parts = [
    `${name} ${version}`,
    `${escapeInvisible(facts.model)} (${size})`,
    ...(facts.profile === undefined ? [] : [texts.opening.profile(escapeInvisible(facts.profile))]),
    escapeInvisible(facts.folder),
    facts.sessionId,
  ];
  const lines: string[] = [];
  // Breaks lines only between parts.
  for (const part of parts) {
    const before = lines.at(-1);
    if (before !== undefined && textWidth(before) + 3 + textWidth(part) <= columns)
      lines[lines.length - 1] = `${before} · ${part}`;
    else lines.push(part);
  }
  return lines.map((line, index) => {
    const text = fit(line, columns);
    return index === 0 && text.startsWith(name) ? theme.paintAs("title", name) + text.slice(name.length) : text;
  });
}

function toolRows({ toolsets }: OpeningBlockFacts, look: OpeningLook): readonly string[] {
  const { theme, texts } = look;
  const shown = toolsets.length <= maxToolRows ? toolsets : toolsets.slice(0, maxToolRows - 1);
  const left = toolsets.length - shown.length;
  return [
    ...shown.map(({ name, tools }) => row(name, (columns) => namesWithin(tools, columns, texts.opening.more), look)),
    ...(left > 0 ? [theme.dim(`  ${texts.opening.moreToolsets(left)}`)] : []),
  ];
}

function serverRow({ servers }: OpeningBlockFacts, look: OpeningLook): readonly string[] {
  const text = serverStates(servers, look.texts.opening);
  return text === "" ? [] : [row("MCP", (columns) => fit(text, columns), look)];
}

function row(name: string, words: (columns: number) => string, { theme, columns }: OpeningLook): string {
  const label = padTo(fit(escapeInvisible(name), maxNameColumns), maxNameColumns + 1);
  return `  ${theme.paintAs("label", label)}${words(Math.max(8, columns - maxNameColumns - 4))}`;
}

function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** As many names as fit, and the number of omitted ones. */
function namesWithin(names: readonly string[], columns: number, more: (count: number) => string): string {
  let text = "";
  for (const [index, name] of names.entries()) {
    const next = `${text}${text === "" ? "" : ", "}${escapeInvisible(name)}`;
    const left = names.length - index;
    const room = columns - (left > 1 ? textWidth(more(left)) + 1 : 0);
    if (textWidth(next) > room) return text === "" ? fit(next, columns) : `${text} ${more(left)}`;
    text = next;
  }
  return text;
}
