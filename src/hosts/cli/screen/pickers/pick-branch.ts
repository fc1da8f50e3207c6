import { asId, type SessionId } from "../../../../base/ids.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { timeText } from "../../../../base/text/time-text.ts";
import { drawTree } from "../../../../commands/sessions/draw-tree.ts";
import type { Exchange, SessionTree } from "../../../../contracts/session/session-tree.ts";
import { withoutControls } from "../../without-controls.ts";
import { type PanelHost, openPicker, valueOrThrow } from "../panels/panel-host.ts";
import type { PickItem, PreviewLine } from "./picker-look.ts";

interface ExchangeItem extends PickItem {
  readonly exchange?: Exchange;
  /** The branch that ends here. */
  readonly branch?: string;
}

/** The tree of a session: continue on a branch, or start one at a message. Default: the session of the screen. */
export async function pickBranch(host: PanelHost, session?: string): Promise<void> {
  const { run } = host;
  const texts = host.texts.panels.tree;
  const theme = host.theme();
  const isHere = session === undefined || session === host.sessionId();

  /** Switches to the session first, then runs the command there. */
  async function command(line: string): Promise<void> {
    if (!isHere) await host.apply({ kind: "resume", session: asId<SessionId>(session) });
    host.submit(line);
  }

  await openPicker<ExchangeItem>(host, {
    title: texts.title,
    empty: texts.empty,
    async load() {
      const tree = isHere
        ? valueOrThrow(await run("session.tree", {}))
        : valueOrThrow(await run("sessions.tree", { session }));
      return treeItems(tree, host.clock.now());
    },
    ...(isHere && { initial: "here" }),
    preview: async ({ exchange, branch }) => {
      if (!exchange) return [{ text: texts.start, paint: theme.dim }];
      const { asked: prompt, answered, calls, at: askedAt } = exchange;
      const facts = [
        timeText(askedAt),
        ...(calls > 0 ? [texts.calls(calls)] : []),
        ...(branch ? [texts.branch(branch)] : []),
      ];
      const lines: PreviewLine[] = [
        { text: facts.join(" · "), paint: theme.dim },
        ...prompt
          .split("\n")
          .map((text, index) => ({ text: index === 0 ? `${theme.promptSymbol} ${text}` : text, paint: theme.accent })),
        ...answered.split("\n").map((text) => ({ text })),
      ];
      return lines;
    },
    actions: [
      {
        chords: ["enter"],
        hint: texts.goKey,
        async run(item, picker) {
          if (!item) return;
          picker.close();
          const { branch, exchange } = item;
          await command(branch === undefined ? `/branch ${exchange?.number ?? 0}` : `/branch switch ${branch}`);
        },
      },
      {
        chords: ["ctrl+b"],
        hint: texts.forkKey,
        async run(item, picker) {
          if (!item) return;
          picker.close();
          await command(`/branch ${item.exchange?.number ?? 0}`);
        },
      },
    ],
  });
}

/** One row per exchange, drawn as a tree. */
function treeItems(tree: SessionTree, now: number): readonly ExchangeItem[] {
  const clean = (text: string) => oneLine(withoutControls(text), 500);
  const exchanges = tree.exchanges.map((each) => ({
    ...each,
    asked: clean(each.asked),
    answered: clean(each.answered),
  }));
  const branches = tree.branches.map((each) => ({ ...each, name: clean(each.name) }));
  if (exchanges.length === 0) return [];
  const drawn = drawTree({ exchanges, branches }, { columns: treeColumns, now, isWhole: true }).split("\n");
  const here = branches.find(({ isCurrent }) => isCurrent)?.last ?? 0;
  return drawn.flatMap((line) => {
    const number = /^[│├─ ]*[●◉○] (?<number>\d+)/u.exec(line)?.groups?.["number"];
    if (number === undefined) return [];
    const exchange = tree.exchanges.find((each) => each.number === Number(number));
    const branch = branches.find(({ last }) => (last ?? 0) === Number(number));
    return [
      {
        id: Number(number) === here ? "here" : number,
        title: line,
        words: exchange ? `${exchange.asked} ${exchange.answered}` : "",
        ...(exchange && { exchange }),
        ...(branch && { branch: branch.name }),
      },
    ];
  });
}

const treeColumns = 160;
