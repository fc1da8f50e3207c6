import { type JsonValue, isObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { Entry, EntryBody } from "../../contracts/session/session.ts";
import { type TodoItem, type TodoList, todoStatuses, todoLimits } from "../../contracts/session/todo.ts";

/** The todo list of a session. It is restored on resume and stored whenever it changes. */
export function storedTodos(
  entries: readonly Entry[],
  store: (entry: EntryBody) => Promise<unknown>,
  log: Logger,
): TodoList {
  const list = createTodoList(todosIn(lastState(entries, "todos")));
  const kept = (items: readonly TodoItem[]) => {
    // The list is on disk before the result of the call that changed it, because appends keep their order.
    const writing = store({ type: "state", name: "todos", value: items.map((item) => ({ ...item })) });
    writing.catch((thrown: unknown) => log.error("todos.not_stored", { error: reasonOf(thrown) }));
    return items;
  };
  return {
    read: list.read,
    replace: (items) => kept(list.replace(items)),
    merge: (items) => kept(list.merge(items)),
  };
}

/** Returns the prompts that were queued when the session was closed. */
export function storedQueue(entries: readonly Entry[]): readonly (readonly ContentPart[])[] {
  const value = lastState(entries, "queue");
  if (!Array.isArray(value)) return [];
  return value.map((content: JsonValue) => (Array.isArray(content) ? content.filter(isText) : []));
}

function lastState(entries: readonly Entry[], name: string): JsonValue | undefined {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === name);
  return last?.type === "state" ? last.value : undefined;
}

function todosIn(value: JsonValue | undefined): readonly TodoItem[] {
  return Array.isArray(value) ? value.filter(isTodo) : [];
}

function isTodo(value: unknown): value is TodoItem {
  return (
    isObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["content"] === "string" &&
    todoStatuses.some((status) => status === value["status"])
  );
}

function isText(value: unknown): value is ContentPart {
  return isObject(value) && value["type"] === "text" && typeof value["text"] === "string";
}

/** Drops items and characters beyond the limits. If several items have the same id, the last one wins. */
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
