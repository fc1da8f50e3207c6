import type { OutputOf } from "../../../../operations/catalog.ts";
import { printableLines } from "../../chat/feed/result-lines.ts";
import { elapsedText } from "../../chat/feed/tool-line.ts";
import type { Theme } from "../parts.ts";
import type { PreviewLine } from "../pickers/picker-look.ts";
import type { ScreenTexts } from "../texts/english.ts";

type CallData = Omit<OutputOf<"session.call">, "nested">;

/** The lines of a diff in their colours. */
export function diffPreview(diff: string, theme: Theme): readonly PreviewLine[] {
  return printableLines(diff).map((text) => ({ text, paint: diffPaint(text, theme) }));
}

function diffPaint(line: string, theme: Theme): (text: string) => string {
  if (/^(?:\+\+\+|---) /u.test(line)) return theme.bold;
  if (line.startsWith("+")) return (text) => theme.paintAs("added", text);
  if (line.startsWith("-")) return (text) => theme.paintAs("removed", text);
  return line.startsWith("@@") ? theme.accent : theme.dim;
}

/** Everything about a call: arguments, change, whole output, nested calls. */
export function callLines(
  call: OutputOf<"session.call">,
  theme: Theme,
  { panels }: ScreenTexts,
): readonly PreviewLine[] {
  const texts = panels.calls;
  const { nested } = call;
  return [
    ...oneCall(call, theme, texts),
    ...(nested.length === 0
      ? []
      : [
          { text: "" },
          { text: texts.nested(nested.length), paint: theme.bold },
          ...nested.flatMap((each) => [
            { text: `── ${each.tool}`, paint: theme.accent },
            ...oneCall(each, theme, texts).map((line) => ({ ...line, text: `  ${line.text}` })),
          ]),
        ]),
  ];
}

function oneCall(call: CallData, theme: Theme, texts: ScreenTexts["panels"]["calls"]): readonly PreviewLine[] {
  const { args, durationMs, failed, summary, diff, output } = call;
  const outcome = failed ? `✗ ${summary} (${elapsedText(durationMs)})` : `✓ ${elapsedText(durationMs)}`;
  const lines = printableLines(output);
  return [
    { text: outcome, paint: failed ? theme.bad : theme.good },
    { text: texts.args, paint: theme.bold },
    ...Object.entries(args).flatMap(([name, value]) => argumentLines(name, value)),
    ...(diff === undefined ? [] : [{ text: texts.diff, paint: theme.bold }, ...diffPreview(diff, theme)]),
    { text: texts.output, paint: theme.bold },
    ...(lines.length === 0 ? [{ text: texts.noOutput, paint: theme.dim }] : lines.map((text) => ({ text }))),
  ];
}

function argumentLines(name: string, value: unknown): readonly PreviewLine[] {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  const lines = text.split("\n");
  return lines.length === 1
    ? [{ text: `  ${name}: ${text}` }]
    : [{ text: `  ${name}:` }, ...lines.map((line) => ({ text: `    ${line}` }))];
}
