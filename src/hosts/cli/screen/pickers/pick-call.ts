import { oneLine } from "../../../../base/text/text.ts";
import { mainArgument } from "../../../../contracts/tool/main-argument.ts";
import { elapsedText } from "../../chat/feed/tool-line.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { callLines } from "../panels/call-text.ts";
import { type PanelHost, openPicker, valueOrThrow, viewText } from "../panels/panel-host.ts";
import type { PickItem } from "./picker-look.ts";

interface CallListItem extends PickItem {
  readonly tool: string;
}

/** Lists the tool calls of the session; Enter shows the details of one. */
export async function pickCall(host: PanelHost): Promise<void> {
  const { run } = host;
  const texts = host.texts.panels.calls;
  await openPicker<CallListItem>(host, {
    title: texts.title,
    empty: texts.empty,
    async load() {
      const { calls } = valueOrThrow(await run("session.calls", {}));
      return calls.map(({ callId, tool, args, durationMs, failed, summary }) => ({
        id: callId,
        tool,
        title: `${tool} ${escapeInvisible(mainArgument(args, 200))}`,
        detail: failed ? `${oneLine(summary, 40)} ${elapsedText(durationMs)}` : elapsedText(durationMs),
        words: summary,
        mark: failed ? "✗" : "✓",
      }));
    },
    async preview({ id }) {
      return callLines(valueOrThrow(await run("session.call", { call: id })), host.theme(), host.texts);
    },
    actions: [
      {
        chords: ["enter"],
        hint: texts.openKey,
        async run(item) {
          if (!item) return;
          const call = valueOrThrow(await run("session.call", { call: item.id }));
          void viewText(host, item.title, callLines(call, host.theme(), host.texts));
        },
      },
    ],
  });
}
