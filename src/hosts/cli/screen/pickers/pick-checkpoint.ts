import { shortTimeText } from "../../../../base/text/time-text.ts";
import { checkpointLine } from "../../../../contracts/knowledge/checkpoint-text.ts";
import { diffPreview } from "../panels/call-text.ts";
import { type PanelHost, openPicker, valueOrThrow } from "../panels/panel-host.ts";
import type { PickItem } from "./picker-look.ts";

const maxListed = 200;

/** Lists the file checkpoints. The preview shows the changes since a checkpoint, and a restore asks first. */
export async function pickCheckpoint(host: PanelHost): Promise<void> {
  const { run, clock } = host;
  const texts = host.texts.panels.checkpoints;
  await openPicker<PickItem>(host, {
    title: texts.title,
    empty: texts.empty,
    async load() {
      const { checkpoints } = valueOrThrow(await run("checkpoints.list", { limit: maxListed }));
      return checkpoints.map((checkpoint) => ({
        id: checkpoint.id,
        title: checkpointLine(checkpoint, 300),
        detail: shortTimeText(checkpoint.takenAt, clock.now()),
      }));
    },
    async preview({ id }) {
      const { diff } = valueOrThrow(await run("checkpoints.diff", { checkpoint: id }));
      return diff.trim() === "" ? [{ text: texts.noChange, paint: host.theme().dim }] : diffPreview(diff, host.theme());
    },
    actions: [
      {
        chords: ["enter"],
        hint: texts.restoreKey,
        run(item, picker) {
          if (!item) return;
          picker.close();
          host.submit(`/rollback ${item.id}`);
        },
      },
    ],
  });
}
