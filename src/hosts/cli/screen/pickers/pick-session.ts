import { asId, type SessionId } from "../../../../base/ids.ts";
import { durationText } from "../../../../base/text/time-text.ts";
import type { Entry } from "../../../../contracts/session/session.ts";
import type { SessionSummary } from "../../../../operations/sessions/session-records.ts";
import { exchangesIn, exchangeTexts, inOrder } from "../../chat/opening/earlier-exchanges.ts";
import { type PanelHost, openPicker, valueOrThrow } from "../panels/panel-host.ts";
import { pickBranch } from "./pick-branch.ts";
import type { PickItem, PreviewLine } from "./picker-look.ts";
import type { PickAction } from "./picker.ts";

interface SessionItem extends PickItem {
  readonly session: string;
}

/** Sessions that this picker deleted or archived, so that the same key can undo it. */
type Marks = Map<string, { readonly item: SessionItem; readonly mark: "deleted" | "archived" }>;

const maxListed = 300;
const maxFound = 30;
const maxExchanges = 6;

/** Lists the sessions: search in titles and texts, switch, rename, fork, archive, delete. */
export async function pickSession(host: PanelHost, query = ""): Promise<void> {
  const { run, clock } = host;
  const texts = host.texts.panels.sessions;
  const marks: Marks = new Map();

  function itemOf({ id, title, preview, changedAt, messages, cwd }: SessionSummary): SessionItem {
    const facts = [texts.ago(durationText(clock.now() - changedAt)), texts.messages(messages)];
    return {
      id,
      session: id,
      title: title ?? preview ?? id,
      detail: facts.join(" · "),
      words: `${id} ${cwd ?? ""} ${preview ?? ""}`,
      mark: id === host.sessionId() ? "●" : " ",
    };
  }

  function withMarks(items: readonly SessionItem[]): readonly SessionItem[] {
    const listed = items.filter(({ id }) => !marks.has(id));
    return [
      ...listed,
      ...Array.from(marks.values(), ({ item, mark }) => ({ ...item, mark: "✗", isDim: true, detail: texts[mark] })),
    ];
  }

  /** Deletes or archives a session, or undoes that if this picker did it before. */
  function marking(
    mark: "deleted" | "archived",
    chords: readonly string[],
    hint: string,
    set: "sessions.delete" | "sessions.archive",
    unset: "sessions.undelete" | "sessions.unarchive",
  ): PickAction<SessionItem> {
    return {
      chords,
      hint,
      async run(item, picker) {
        if (!item) return;
        if (item.session === host.sessionId()) return picker.say(texts.isOpenHere, true);
        const isSet = marks.get(item.session)?.mark === mark;
        const { failed } = valueOrThrow(await run(isSet ? unset : set, { sessions: [item.session] }));
        if (failed[0]) return picker.say(failed[0].why, true);
        if (isSet) marks.delete(item.session);
        else marks.set(item.session, { item, mark });
        await picker.reload();
        picker.say(isSet ? texts.restored : texts[mark]);
      },
    };
  }

  const actions: readonly PickAction<SessionItem>[] = [
    {
      chords: ["enter"],
      hint: texts.switchKey,
      async run(item, picker) {
        if (!item) return;
        picker.close();
        if (item.session !== host.sessionId())
          await host.apply({ kind: "resume", session: asId<SessionId>(item.session) });
      },
    },
    {
      chords: ["ctrl+n"],
      hint: texts.newKey,
      run(_item, picker) {
        picker.close();
        host.submit("/new");
      },
    },
    {
      chords: ["ctrl+t", "f2"],
      hint: texts.renameKey,
      async run(item, picker) {
        const title = item && (await picker.ask(texts.newTitle, item.title));
        if (!item || title === undefined || title.trim() === "") return;
        const isHere = item.session === host.sessionId();
        const renamed = isHere
          ? await run("session.rename", { title })
          : await run("sessions.rename", { session: item.session, title });
        const { title: saved } = valueOrThrow(renamed);
        await picker.reload();
        picker.say(texts.renamed(saved));
      },
    },
    {
      chords: ["ctrl+b"],
      hint: texts.forkKey,
      async run(item, picker) {
        if (!item) return;
        picker.close();
        await pickBranch(host, item.session);
      },
    },
    marking("deleted", ["delete"], texts.deleteKey, "sessions.delete", "sessions.undelete"),
    marking("archived", ["ctrl+d"], texts.closeKey, "sessions.archive", "sessions.unarchive"),
    { chords: ["ctrl+r"], hint: texts.refreshKey, run: (_item, picker) => picker.reload() },
  ];

  await openPicker<SessionItem>(host, {
    title: texts.title,
    empty: texts.empty,
    query,
    initial: host.sessionId(),
    actions,
    async load() {
      const { sessions } = valueOrThrow(await run("sessions.list", { limit: maxListed, conversations: true }));
      return withMarks(sessions.map(itemOf));
    },
    async search(text) {
      const answer = await run("sessions.search", { text, limit: maxFound });
      if (!answer.ok) return [];
      return answer.value.sessions.map(({ id, title, preview, snippet }) => ({
        id,
        session: id,
        title: title ?? preview ?? id,
        detail: snippet,
        mark: id === host.sessionId() ? "●" : " ",
      }));
    },
    async preview({ session }) {
      const { entries } = valueOrThrow(await run("sessions.show", { session }));
      return exchangePreview(entries, host);
    },
  });
}

/** The last exchanges of a session. */
function exchangePreview(entries: readonly Entry[], host: PanelHost): readonly PreviewLine[] {
  const theme = host.theme();
  const texts = host.texts.panels.sessions;
  const exchanges = exchangesIn(entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])));
  if (exchanges.length === 0) return [{ text: texts.noMessages, paint: theme.dim }];
  const earlier = exchanges.length - maxExchanges;
  return [
    ...(earlier > 0 ? [{ text: texts.earlier(earlier), paint: theme.dim }] : []),
    ...exchanges.slice(-maxExchanges).flatMap((exchange) => {
      const { prompt, tools, answer } = exchangeTexts(exchange);
      return [
        { text: `${theme.promptSymbol} ${prompt}`, paint: theme.accent },
        ...inOrder<PreviewLine>(
          exchange,
          tools === "" ? [] : [{ text: `⚙ ${tools}`, paint: theme.dim }],
          answer.map((text) => ({ text })),
        ),
      ];
    }),
  ];
}
