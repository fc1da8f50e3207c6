import type { Entry } from "../../contracts/session/session.ts";
import { storedTodos } from "../../kernel/session/session-state.ts";
import { storedTaint } from "../../kernel/session/session-taint.ts";
import type { OpenedRecord } from "./services/open-record.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The todo list of a session and the untrusted texts that it has read, computed from the entries up to its head. */
export interface SessionPlan {
  todos(): ReturnType<typeof storedTodos>;
  taint(): ReturnType<ReturnType<typeof storedTaint>>;
  /** Called after the head moved, with the entries up to it. */
  restore(path: readonly Entry[]): void;
}

export function createSessionPlan({ entries, log }: OpenedRecord, { logger }: SessionDeps): SessionPlan {
  const read = (path: readonly Entry[]) => ({
    todos: storedTodos(path, (body) => log.append([body]), logger),
    taint: storedTaint(path, (body) => log.append([body]), logger),
  });
  let current = read(entries);
  return {
    todos: () => current.todos,
    taint: () => current.taint(),
    restore: (path) => void (current = read(path)),
  };
}
