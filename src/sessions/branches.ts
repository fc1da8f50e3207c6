import type { EntryId, TurnId } from "../base/ids.ts";
import { oneLine } from "../base/text/text.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import { promptForPeople } from "../contracts/session/program-prompt.ts";
import type { Branch, SessionTree } from "../contracts/session/session-tree.ts";
import type { Entry } from "../contracts/session/session.ts";

export const mainBranch = "main";

/**
 * Builds the tree of a session from its entries, in the order in which they were written. A move with a name starts a
 * branch. A move to the end of a branch resumes it. Any other move is an undo: the current branch keeps its name and
 * continues from there, and the undone exchanges become a separate branch.
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
    const removed = branches.find(({ tip }) => tip !== undefined && tip === to);
    if (removed && (name === undefined || name === removed.name)) current = removed;
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
    // A damaged entry has also lost its parent, which was usually the entry before it.
    const parent = entry.parent ?? (entry.type === "damaged" ? before : undefined);
    const place = placeOf(parent);
    if (entry.type === "head_moved") move(entry);
    places.set(entry.id, placeAfter(entry, parent, place, exchanges));
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
      const { exchange, checkpoint, at: changedAt } = placeOf(tip);
      return {
        name,
        kind,
        ...(tip !== undefined && { tip }),
        ...(exchange && { last: exchange.number }),
        ...(start.exchange && { from: start.exchange.number }),
        changedAt: changedAt,
        isCurrent: branch === current,
        ...(checkpoint !== undefined && { checkpoint }),
      };
    }),
  };

  /** Returns whether to show the branch: the longest undone branch contains those that were undone step by step. */
  function isShown(branch: MadeBranch): boolean {
    if (branch === current) return true;
    if (branch.kind !== "undone") return branch.tip !== undefined;
    const { exchange } = placeOf(branch.tip);
    const same = ends.get(exchange) ?? [];
    const isElsewhere = same.some((other) => other === current || other.kind !== "undone");
    return !followed.has(exchange) && !isElsewhere && same[0] === branch;
  }
}

/** Returns the numbers of the exchanges from the start to that one, in order. */
export function exchangesUpTo(tree: SessionTree, last: number | undefined): readonly number[] {
  const path: number[] = [];
  for (let index = last; index !== undefined; index = tree.exchanges[index - 1]?.after) path.push(index);
  return path.toReversed();
}

/** Generates branch names that are not used yet. */
function createNames() {
  const used = new Set([mainBranch]);
  let undone = 0;
  return {
    free(name: string): string {
      let free = name;
      for (let count = 2; used.has(free); count++) free = `${name} #${count}`;
      used.add(free);
      return free;
    },
    undone(): string {
      do undone++;
      while (used.has(`undone-${undone}`));
      used.add(`undone-${undone}`);
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

/** The state at an entry, along the path that leads to it. */
interface Place {
  readonly exchange: MadeExchange | undefined;
  readonly turn: TurnId | undefined;
  /** True if the session moved here and has no message since. */
  readonly isMoved: boolean;
  readonly checkpoint: string | undefined;
  readonly at: number;
}

const nowhere: Place = { exchange: undefined, turn: undefined, isMoved: false, checkpoint: undefined, at: 0 };

function placeAfter(entry: Entry, parent: EntryId | undefined, place: Place, exchanges: MadeExchange[]): Place {
  const { at: writtenAt } = entry;
  if (entry.type === "head_moved") return { ...place, isMoved: true, at: writtenAt };
  if (entry.type === "message") return { ...afterMessage(entry, parent, place, exchanges), at: writtenAt };
  if (place.exchange && !place.isMoved) place.exchange.end = entry.id;
  if (entry.type === "checkpointed") return { ...place, checkpoint: entry.checkpoint, at: writtenAt };
  if (entry.type === "dispatched") return { ...place, checkpoint: undefined, at: writtenAt };
  return { ...place, at: writtenAt };
}

function afterMessage(
  entry: Entry & { readonly type: "message" },
  parent: EntryId | undefined,
  place: Place,
  exchanges: MadeExchange[],
): Place {
  const { message, turnId, id, at: writtenAt } = entry;
  const isPrompt = message.role === "user" && (turnId === undefined || turnId !== place.turn);
  let { exchange } = place;
  if (!exchange || isPrompt || place.isMoved) {
    const after = exchange;
    const request = message.role === "user" ? wordsOf(message.content, promptForPeople) : "";
    exchange = {
      number: exchanges.length + 1,
      entry: id,
      parent,
      after,
      asked: request,
      at: writtenAt,
      end: id,
      answered: "",
      calls: 0,
    };
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

function wordsOf(content: readonly ContentPart[], shown = (text: string) => text): string {
  const text = content.find((part) => part.type === "text");
  if (text) return oneLine(shown(text.text).slice(0, 2_000), shownChars);
  return content.map(({ type }) => `[${type}]`).join(" ");
}
