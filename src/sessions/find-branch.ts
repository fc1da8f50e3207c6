import type { SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Branch, SessionTree } from "../contracts/session/session-tree.ts";
import type { SessionStore } from "../contracts/session/session.ts";
import { exchangesUpTo, treeOf } from "./branches.ts";

/** Reads the branches of a session, even if another process has it open. */
export async function readTree(store: Pick<SessionStore, "entries">, id: SessionId): Promise<SessionTree> {
  return treeOf(await store.entries(id));
}

/** Finds a branch by its name, a prefix of it, or the number of an exchange that only this branch contains. */
export function findBranch(requested: string, tree: SessionTree): Result<Branch> {
  const { branches } = tree;
  const text = requested.trim();
  const exact = branches.find(({ name }) => name === text);
  if (exact) return ok(exact);
  const names = branches.map(({ name }) => name).join(", ");
  if (/^\d+$/u.test(text)) {
    const number = Number(text);
    const ending = branches.filter(({ last }) => last === number);
    const holding = branches.filter(({ last }) => exchangesUpTo(tree, last).includes(number));
    const [first, second] = ending.length > 0 ? ending : holding;
    if (!first) return err({ message: `there is no exchange ${text}` });
    if (!second) return ok(first);
    const several = (ending.length > 0 ? ending : holding).map(({ name }) => name).join(", ");
    return err({ message: `exchange ${text} is on several branches: ${several}` });
  }
  const folded = text.toLowerCase();
  const [first, second] = branches.filter(({ name }) => folded !== "" && name.toLowerCase().startsWith(folded));
  if (first && !second) return ok(first);
  return err({ message: `there is no branch "${text}"; there are: ${names}` });
}
