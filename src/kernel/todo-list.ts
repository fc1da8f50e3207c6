import { cut } from "../base/text/text.ts";
import { type TodoItem, type TodoList, todoLimits } from "../contracts/session/todo.ts";

/** Bounded: items and characters beyond the limits are not taken. Of items with one id the last holds. */
export function createTodoList(initial: readonly TodoItem[] = []): TodoList {
  let items = unique(initial);
  return {
    read: () => items,
    replace(next) {
      items = unique(next);
      return items;
    },
    merge(changes) {
      const merged = new Map(items.map((item) => [item.id, item]));
      for (const change of changes) merged.set(change.id, change);
      items = unique([...merged.values()]);
      return items;
    },
  };
}

function unique(items: readonly TodoItem[]): readonly TodoItem[] {
  const byId = new Map<string, TodoItem>();
  for (const { id, content, status } of items) {
    byId.delete(id);
    byId.set(id, Object.freeze({ id, content: cut(content, todoLimits.contentChars), status }));
  }
  return Object.freeze([...byId.values()].slice(0, todoLimits.items));
}
