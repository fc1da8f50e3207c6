import { promptText } from "../../../../commands/reply-text.ts";
import { type PanelHost, openPicker, valueOrThrow } from "../panels/panel-host.ts";
import type { PickItem } from "./picker-look.ts";
import type { PickAction } from "./picker.ts";

interface QueuedItem extends PickItem {
  /** The position, starting at 1. */
  readonly place: number;
  readonly text: string;
}

/** Lists the prompts that wait: edit, remove and move them. */
export async function pickQueued(host: PanelHost): Promise<void> {
  const { run } = host;
  const texts = host.texts.panels.queue;

  const moving = (chord: string, step: number, hint: string): PickAction<QueuedItem> => ({
    chords: [chord],
    hint,
    async run(item, picker) {
      if (!item) return;
      valueOrThrow(await run("session.moveQueued", { place: item.place, to: item.place + step, was: item.text }));
      await picker.reload();
    },
  });

  await openPicker<QueuedItem>(host, {
    title: texts.title,
    empty: texts.empty,
    reloadMs: 500,
    async load() {
      const { queued, held } = valueOrThrow(await run("session.queue", {}));
      const counts = new Map<string, number>();
      return queued.map((content, index) => {
        const text = promptText(content);
        const count = (counts.get(text) ?? 0) + 1;
        counts.set(text, count);
        // The prompt stays selected when it moves.
        return {
          id: `${count}:${text}`,
          place: index + 1,
          text,
          title: `${index + 1}. ${held[index] ? `${host.texts.screen.isHeld} ` : ""}${text}`,
        };
      });
    },
    preview: async ({ text }) => text.split("\n").map((line) => ({ text: line })),
    actions: [
      {
        chords: ["enter"],
        hint: texts.editKey,
        async run(item, picker) {
          const text = item && (await picker.ask(texts.prompt, item.text));
          if (!item || text === undefined || text.trim() === "" || text === item.text) return;
          const edited = await run("session.editQueued", { place: item.place, text, was: item.text });
          // The prompt has started meanwhile: the new text moves to the input line.
          if (!edited.ok) host.insert(text);
          await picker.reload();
          valueOrThrow(edited);
        },
      },
      {
        chords: ["delete"],
        hint: texts.removeKey,
        async run(item, picker) {
          if (!item) return;
          valueOrThrow(await run("session.removeQueued", { place: item.place, was: item.text }));
          await picker.reload();
        },
      },
      moving("alt+up", -1, texts.moveKey),
      moving("alt+down", 1, ""),
    ],
  });
}
