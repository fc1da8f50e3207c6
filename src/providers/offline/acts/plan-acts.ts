import { isObject } from "../../../base/json.ts";
import { plural } from "../../../base/text/text.ts";
import { type Act, failure, oneCall, type Outcome } from "../act.ts";

export function plans(items: readonly string[]): Act {
  const todos = items.map((content, at) => ({ id: String(at + 1), content, status: "pending" }));
  return oneCall("todo", { todos }, (outcome) => `The plan is written down:\n${planLines(outcome)}`);
}

export const showsPlan: Act = oneCall("todo", {}, (outcome) =>
  itemsIn(outcome).length === 0
    ? 'There is no plan. Say "plan: first step, second step" to make one.'
    : `The plan:\n${planLines(outcome)}`,
);

export const clearsPlan: Act = oneCall("todo", { todos: [] }, () => "The plan is empty now.");

export function addsToPlan(items: readonly string[]): Act {
  return afterReading(
    (before) => {
      const taken = new Set(before.map(({ id }) => id));
      const free = freeIds(taken, items.length);
      return {
        todos: items.map((content, at) => ({ id: free[at] ?? `new-${at}`, content, status: "pending" })),
        merge: true,
      };
    },
    `Added ${plural(items.length, "item")}.`,
  );
}

export function marks(which: string, status: "completed" | "in_progress" | "cancelled"): Act {
  return afterReading(
    (before) => {
      const meant = chosen(before, which);
      return meant.length === 0
        ? undefined
        : { todos: meant.map(({ id, content }) => ({ id, content, status })), merge: true };
    },
    `Marked as ${status.replace("_", " ")}.`,
  );
}

interface Item {
  readonly id: string;
  readonly content: string;
  readonly status: string;
}

type TodoArgs = {
  readonly todos: readonly { readonly id: string; readonly content: string; readonly status: string }[];
  readonly merge: boolean;
};

/** The list is read first: what is written depends on it. */
function afterReading(change: (before: readonly Item[]) => TodoArgs | undefined, done: string): Act {
  return ([read, changed]) => {
    if (!read) return { call: { name: "todo", args: {} } };
    if (read.failed) return failure(read);
    const args = change(itemsIn(read));
    if (!args) {
      const there = itemsIn(read).length === 0 ? "The plan is empty." : `The plan has:\n${planLines(read)}`;
      return { say: `There is no such item. ${there}`, failed: true };
    }
    if (!changed)
      return { call: { name: "todo", args: { todos: args.todos.map((item) => ({ ...item })), merge: args.merge } } };
    return changed.failed ? failure(changed) : { say: `${done}\n${planLines(changed)}` };
  };
}

/** By place or id, by words, or all. */
function chosen(items: readonly Item[], which: string): readonly Item[] {
  const words = which.trim().toLowerCase();
  if (/^(?:all|everything|all of them|alles|tout)$/u.test(words)) return items;
  if (/^(?:it|that|this|the (?:first|next)(?: one)?|first|next)$/u.test(words)) {
    const open =
      items.find(({ status }) => status === "in_progress") ?? items.find(({ status }) => status === "pending");
    return open ? [open] : [];
  }
  const exact = items.find(({ id }) => id === words);
  const byPlace = /^\d{1,3}$/u.test(words) ? items[Number(words) - 1] : undefined;
  const found = exact ?? byPlace ?? items.find(({ content }) => content.toLowerCase().includes(words));
  return found ? [found] : [];
}

function freeIds(taken: ReadonlySet<string>, count: number): readonly string[] {
  const free: string[] = [];
  for (let id = 1; free.length < count; id++) if (!taken.has(String(id))) free.push(String(id));
  return free;
}

function itemsIn({ data }: Outcome): readonly Item[] {
  const { todos } = data;
  if (!Array.isArray(todos)) return [];
  return todos
    .filter(isObject)
    .map(({ id, content, status }) => ({ id: String(id), content: String(content), status: String(status) }));
}

function planLines(outcome: Outcome): string {
  return itemsIn(outcome)
    .map(({ content, status }, at) => `${at + 1}. ${signs[status] ?? "[ ]"} ${content}`)
    .join("\n");
}

const signs: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]", cancelled: "[-]" };
