import type { EntryId, TurnId } from "../base/ids.ts";
import { oneLine } from "../base/text/text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { Branch, SessionTree } from "../contracts/session/session-tree.ts";
import type { Entry } from "../contracts/session/session.ts";

export const mainBranch = "main";

/**
 * The tree that a session's entries make, in the order of their writing. A move of the head with a name begins a branch;
 * one to the end of a branch goes on with it; any other takes something back: the branch keeps its name and goes on from
 * there, and what was taken back is a branch of its own.
 */
export function treeOf(entries: readonly Entry[]): SessionTree {
  const places = new Map<EntryId, Place>();
  const exchanges: MadeExchange[] = [];
  const branches: MadeBranch[] = [{ name: mainBranch, kind: "main", tip: undefined, start: nowhere }];
  let current = branches[0] as MadeBranch;
  let before: EntryId | undefined;

  const placeOf = (id: EntryId | undefined) => (id === undefined ? undefined : places.get(id)) ?? nowhere;
  const names = createNames();

  function move(entry: Entry & { readonly type: "head_moved" }): void {
    const { to, branch: name } = entry;
    const gone = branches.find(({ tip }) => tip !== undefined && tip === to);
    if (gone && (name === undefined || name === gone.name)) current = gone;
    else if (name !== undefined) {
      current = { name: names.free(name), kind: "named", tip: undefined, start: placeOf(to) };
      branches.push(current);
    } else if (current.tip !== undefined) {
      const left = placeOf(current.tip);
      const start = placeOf(to);
      if (left.exchange !== start.exchange)
        branches.push({ name: names.undone(), kind: "undone", tip: current.tip, start });
    }
  }

  for (const entry of entries) {
    // What is damaged has lost its parent, too; most often that was the entry before it.
    const parent = entry.parent ?? (entry.type === "damaged" ? before : undefined);
    const at = placeOf(parent);
    if (entry.type === "head_moved") move(entry);
    places.set(entry.id, placeAfter(entry, parent, at, exchanges));
    current.tip = entry.id;
    before = entry.id;
  }

  const followed = new Set(exchanges.map(({ after }) => after));
  const ends = Map.groupBy(branches, ({ tip }) => placeOf(tip).exchange);
  return {
    exchanges: exchanges.map(({ parent, after, ...rest }) => ({
      ...rest,
      ...(parent !== undefined && { parent }),
      ...(after && { after: after.number }),
    })),
    branches: branches.filter(isShown).map((branch): Branch => {
      const { name, kind, tip, start } = branch;
      const { exchange, checkpoint, at } = placeOf(tip);
      return {
        name,
        kind,
        ...(tip !== undefined && { tip }),
        ...(exchange && { last: exchange.number }),
        ...(start.exchange && { from: start.exchange.number }),
        changedAt: at,
        isCurrent: branch === current,
        ...(checkpoint !== undefined && { checkpoint }),
      };
    }),
  };

  /** What was taken back step by step is all on the longest way. */
  function isShown(branch: MadeBranch): boolean {
    if (branch === current) return true;
    if (branch.kind !== "undone") return branch.tip !== undefined;
    const { exchange } = placeOf(branch.tip);
    const same = ends.get(exchange) ?? [];
    const isElsewhere = same.some((other) => other === current || other.kind !== "undone");
    return !followed.has(exchange) && !isElsewhere && same[0] === branch;
  }
}

/** The numbers of the exchanges from the beginning to that one, in order. */
export function exchangesUpTo(tree: SessionTree, last: number | undefined): readonly number[] {
  const path: number[] = [];
  for (let at = last; at !== undefined; at = tree.exchanges[at - 1]?.after) path.push(at);
  return path.toReversed();
}

/** Names that no branch has yet. */
function createNames() {
  const taken = new Set([mainBranch]);
  let undone = 0;
  return {
    free(name: string): string {
      let free = name;
      for (let count = 2; taken.has(free); count++) free = `${name} #${count}`;
      taken.add(free);
      return free;
    },
    undone(): string {
      do undone++;
      while (taken.has(`undone-${undone}`));
      taken.add(`undone-${undone}`);
      return `undone-${undone}`;
    },
  };
}

interface MadeExchange {
  readonly number: number;
  readonly entry: EntryId;
  readonly parent: EntryId | undefined;
  readonly after: MadeExchange | undefined;
  readonly asked: string;
  readonly at: number;
  end: EntryId;
  answered: string;
  calls: number;
}

interface MadeBranch {
  readonly name: string;
  readonly kind: Branch["kind"];
  tip: EntryId | undefined;
  readonly start: Place;
}

/** What is known at an entry, from the way that leads there. */
interface Place {
  readonly exchange: MadeExchange | undefined;
  readonly turn: TurnId | undefined;
  /** The head was moved here, and nothing was said since. */
  readonly isMoved: boolean;
  readonly checkpoint: string | undefined;
  readonly at: number;
}

const nowhere: Place = { exchange: undefined, turn: undefined, isMoved: false, checkpoint: undefined, at: 0 };

function placeAfter(entry: Entry, parent: EntryId | undefined, place: Place, exchanges: MadeExchange[]): Place {
  const { at } = entry;
  if (entry.type === "head_moved") return { ...place, isMoved: true, at };
  if (entry.type === "message") return { ...afterMessage(entry, parent, place, exchanges), at };
  if (place.exchange && !place.isMoved) place.exchange.end = entry.id;
  if (entry.type === "checkpointed") return { ...place, checkpoint: entry.checkpoint, at };
  if (entry.type === "dispatched") return { ...place, checkpoint: undefined, at };
  return { ...place, at };
}

function afterMessage(
  entry: Entry & { readonly type: "message" },
  parent: EntryId | undefined,
  place: Place,
  exchanges: MadeExchange[],
): Place {
  const { message, turnId, id, at } = entry;
  const isPrompt = message.role === "user" && (turnId === undefined || turnId !== place.turn);
  let { exchange } = place;
  if (!exchange || isPrompt || place.isMoved) {
    const after = exchange;
    const asked = message.role === "user" ? wordsOf(message.content) : "";
    exchange = { number: exchanges.length + 1, entry: id, parent, after, asked, at, end: id, answered: "", calls: 0 };
    exchanges.push(exchange);
  }
  exchange.end = id;
  if (message.role === "assistant") {
    exchange.answered = wordsOf(message.content) || exchange.answered;
    exchange.calls += message.calls.length;
  }
  return { ...place, exchange, turn: turnId ?? place.turn, isMoved: false };
}

const shownChars = 300;

function wordsOf(content: readonly ContentPart[]): string {
  const text = content.find((part) => part.type === "text");
  if (text) return oneLine(text.text.slice(0, 2_000), shownChars);
  return content.map(({ type }) => `[${type}]`).join(" ");
}
