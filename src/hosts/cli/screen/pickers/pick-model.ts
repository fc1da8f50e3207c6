import type { ModelFacts } from "../../../../contracts/model/model.ts";
import { tokenText } from "../../chat/feed/status-line.ts";
import { type PanelHost, openPicker, valueOrThrow } from "../panels/panel-host.ts";
import type { PickItem } from "./picker-look.ts";

/** Lists the models that can be used, with provider, context and price. */
export async function pickModel(host: PanelHost, query = ""): Promise<void> {
  const { run } = host;
  const texts = host.texts.panels.models;
  let refresh = false;

  function priceText(price: ModelFacts["price"]): string {
    if (!price) return texts.unknownPrice;
    if (price.input === 0 && price.output === 0) return texts.free;
    return texts.perMillion(String(price.input), String(price.output));
  }

  await openPicker<PickItem>(host, {
    title: texts.title,
    empty: texts.empty,
    query,
    async load() {
      const [listed, names, status] = [
        valueOrThrow(await run("model.list", { refresh })),
        valueOrThrow(await run("model.names", {})),
        await run("session.status", {}),
      ];
      refresh = false;
      const now = status.ok ? `${status.value.model.provider}/${status.value.model.model}` : "";
      const facts = new Map(listed.models.map((each) => [each.name, each]));
      const all = new Map(names.names.map(({ name, note }) => [name, note]));
      for (const { name, provider } of listed.models) if (!all.has(name)) all.set(name, provider);
      return Array.from(all, ([name, note]) => {
        const model = facts.get(name);
        const context = model && model.contextTokens > 0 ? [texts.context(tokenText(model.contextTokens))] : [];
        const details = model ? [...context, priceText(model.price), ...(model.vision ? [texts.images] : [])] : [note];
        const isNow = name === now || (model && `${model.provider}/${model.model}` === now);
        return { id: name, title: name, detail: details.join(" · "), words: note, mark: isNow ? "●" : " " };
      });
    },
    actions: [
      {
        chords: ["enter"],
        hint: texts.useKey,
        run(item, picker) {
          if (!item) return;
          picker.close();
          host.submit(`/model ${item.id}`);
        },
      },
      {
        chords: ["ctrl+g"],
        hint: texts.defaultKey,
        run(item, picker) {
          if (!item) return;
          picker.close();
          host.submit(`/model ${item.id} --global`);
        },
      },
      {
        chords: ["ctrl+r"],
        hint: texts.refreshKey,
        run(_item, picker) {
          refresh = true;
          return picker.reload();
        },
      },
    ],
  });
}
