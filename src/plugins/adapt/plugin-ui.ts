import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plainText } from "../../base/text/ansi.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import type { PluginPanelContent, PluginPanelRow, UiAnswer, UiContribution } from "../../contracts/plugin/ui.ts";
import { asJson, pluginObject } from "./plugin-object.ts";

const segmentTimeoutMs = 3_000;
const panelTimeoutMs = 10_000;
const answerTimeoutMs = 60_000;
const maxSegmentChars = 60;
const maxNoteChars = 10_000;
const maxTextChars = 200_000;
const maxRows = 1_000;

/**
 * The parts that a plugin adds to the full-screen interface. Every answer is read as data and cleaned, because a
 * plugin may return anything.
 */
export function pluginUi({ ui }: PluginRegistration, client: PluginClient): readonly UiContribution[] {
  return ui.map(({ id, ...part }) => {
    const object = pluginObject(client, id);
    async function call<Value>(
      method: string,
      args: readonly JsonValue[],
      { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
      read: (value: unknown) => Value,
    ): Promise<Result<Value>> {
      const answer = await object.call(method, args, { signal, timeoutMs });
      return answer.ok ? ok(read(answer.value)) : err({ message: answer.error.message });
    }
    return {
      ...part,
      name: `${client.key}:${part.kind}:${part.name}`,
      plugin: client.key,
      segmentText: (ctx, signal) =>
        call("text", [asJson(ctx)], { signal, timeoutMs: segmentTimeoutMs }, (value) =>
          oneLine(clean(value), maxSegmentChars),
        ),
      press: (ctx, signal) => call("press", [asJson(ctx)], { signal, timeoutMs: answerTimeoutMs }, answerOf),
      content: (ctx, signal) => call("content", [asJson(ctx)], { signal, timeoutMs: panelTimeoutMs }, contentOf),
      choose: (row, ctx, signal) =>
        call("choose", [row, asJson(ctx)], { signal, timeoutMs: answerTimeoutMs }, answerOf),
      submit: (values: JsonObject, ctx, signal) =>
        call("submit", [values, asJson(ctx)], { signal, timeoutMs: answerTimeoutMs }, answerOf),
    };
  });
}

/** The text without control characters. A value of another type counts as empty text. */
function clean(value: unknown, maxChars = maxTextChars): string {
  return typeof value === "string" ? plainText(cut(value, maxChars)) : "";
}

function answerOf(value: unknown): UiAnswer {
  if (typeof value === "string") return { note: clean(value, maxNoteChars) };
  if (!isObject(value)) return {};
  const { note, insert, panel, dialog } = value;
  return {
    ...(typeof note === "string" && { note: clean(note, maxNoteChars) }),
    ...(typeof insert === "string" && { insert: clean(insert) }),
    ...(typeof panel === "string" && { panel }),
    ...(typeof dialog === "string" && { dialog }),
  };
}

function contentOf(value: unknown): PluginPanelContent {
  if (typeof value === "string") return { text: clean(value) };
  if (!isObject(value)) return {};
  const { rows, text } = value;
  if (!Array.isArray(rows)) return { text: clean(text) };
  return { rows: rows.slice(0, maxRows).flatMap(rowOf) };
}

function rowOf(value: unknown): readonly PluginPanelRow[] {
  if (typeof value === "string") return [{ id: cut(value, 500), title: clean(value, 500) }];
  if (!isObject(value)) return [];
  const { id, title, detail } = value;
  if (typeof title !== "string") return [];
  return [
    {
      id: typeof id === "string" ? cut(id, 500) : cut(title, 500),
      title: clean(title, 500),
      ...(typeof detail === "string" && { detail: clean(detail, 500) }),
    },
  ];
}
