import { openPicker, type PanelHost, valueOrThrow } from "../panels/panel-host.ts";
import type { PickItem } from "./picker-look.ts";

/** Maximum number of files. More would slow down typing in the search. */
const maxFiles = 50_000;

/** Lists the files of the project; Enter inserts a reference to one into the prompt. */
export async function pickFile(host: PanelHost, query = ""): Promise<void> {
  const texts = host.texts.panels.files;
  await openPicker<PickItem>(host, {
    title: texts.title,
    empty: texts.empty,
    query,
    load: async () => {
      const { files } = valueOrThrow(await host.run("references.files", {}));
      return files.slice(0, maxFiles).map((path) => ({ id: path, title: path }));
    },
    actions: [
      {
        chords: ["enter"],
        hint: texts.attachKey,
        run(item, picker) {
          if (!item) return;
          picker.close();
          host.insert(fileReference(item.id));
        },
      },
    ],
  });
}

/** `@file:PATH `, in quotes if the path has blanks. */
export function fileReference(path: string): string {
  return /[\s"'(),;]/u.test(path) ? `@file:"${path}" ` : `@file:${path} `;
}
