import { asId, type SessionId } from "../../../../base/ids.ts";
import type { PanelName } from "../../../../contracts/host/command.ts";
import { openPicker, type PanelHost } from "../panels/panel-host.ts";
import { fileReference } from "./pick-file.ts";
import type { PickItem } from "./picker-look.ts";

interface PaletteItem extends PickItem {
  choose(): Promise<void> | void;
}

const maxSessions = 100;
/** Maximum number of files. More would slow down typing in the search; the file picker lists all of them. */
const maxFiles = 10_000;

/** Commands, sessions, models and files in one list. A source that fails is left out. */
export async function openPalette(host: PanelHost, query = ""): Promise<void> {
  const texts = host.texts.panels.palette;
  await openPicker<PaletteItem>(host, {
    title: texts.title,
    empty: texts.empty,
    query,
    async load() {
      const [sessions, models, files] = await Promise.all([sessionItems(host), modelItems(host), fileItems(host)]);
      return [...commandItems(host), ...panelItems(host), ...pluginItems(host), ...sessions, ...models, ...files];
    },
    actions: [
      {
        chords: ["enter"],
        hint: texts.openKey,
        run(item, picker) {
          if (!item) return undefined;
          picker.close();
          return item.choose();
        },
      },
    ],
  });
}

function commandItems(host: PanelHost): readonly PaletteItem[] {
  const kind = host.texts.panels.palette.kinds.command;
  return host.commands().map(({ name, aliases = [], summary, args }) => ({
    id: `command ${name}`,
    title: `/${name}  ${summary}`,
    detail: kind,
    words: aliases.join(" "),
    // A command that needs arguments is put into the input line.
    choose: () => (args !== undefined && /^(?!\[)/u.test(args) ? host.insert(`/${name} `) : host.submit(`/${name}`)),
  }));
}

/** Other panels, by name. */
function panelItems(host: PanelHost): readonly PaletteItem[] {
  const { palette, ...texts } = host.texts.panels;
  const titles: readonly (readonly [PanelName, string])[] = [
    ["sessions", texts.sessions.title],
    ["tree", texts.tree.title],
    ["checkpoints", texts.checkpoints.title],
    ["models", texts.models.title],
    ["calls", texts.calls.title],
    ["queue", texts.queue.title],
    ["agents", texts.agents.title],
    ["files", texts.files.title],
    ["prompt", texts.compose.title],
    ["keys", texts.keys.title],
  ];
  return titles.map(([panel, title]) => ({
    id: `open ${panel}`,
    title,
    detail: palette.kinds.panel,
    choose: () => host.apply({ kind: "open", panel }),
  }));
}

function pluginItems(host: PanelHost): readonly PaletteItem[] {
  const kind = host.texts.panels.palette.kinds.panel;
  return (host.pluginPanels?.() ?? []).map(({ part, title, plugin }) => ({
    id: `panel ${part}`,
    title,
    detail: kind,
    words: plugin,
    choose: () => host.openPluginPanel?.(part),
  }));
}

async function sessionItems(host: PanelHost): Promise<readonly PaletteItem[]> {
  const kind = host.texts.panels.palette.kinds.session;
  const listed = await host.run("sessions.list", { limit: maxSessions, conversations: true });
  if (!listed.ok) return [];
  return listed.value.sessions.flatMap(({ id, title, preview }) => {
    if (id === host.sessionId()) return [];
    const choose = () => host.apply({ kind: "resume", session: asId<SessionId>(id) });
    return [{ id: `session ${id}`, title: title ?? preview ?? id, detail: kind, words: id, choose }];
  });
}

async function modelItems(host: PanelHost): Promise<readonly PaletteItem[]> {
  const kind = host.texts.panels.palette.kinds.model;
  const listed = await host.run("model.names", {});
  if (!listed.ok) return [];
  return listed.value.names.map(({ name, note }) => ({
    id: `model ${name}`,
    title: name,
    detail: kind,
    words: note,
    choose: () => host.submit(`/model ${name}`),
  }));
}

async function fileItems(host: PanelHost): Promise<readonly PaletteItem[]> {
  const kind = host.texts.panels.palette.kinds.file;
  const listed = await host.run("references.files", {});
  if (!listed.ok) return [];
  return listed.value.files.slice(0, maxFiles).map((path) => ({
    id: `file ${path}`,
    title: path,
    detail: kind,
    choose: () => host.insert(fileReference(path)),
  }));
}
