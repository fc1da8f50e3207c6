export const todoStatuses = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof todoStatuses)[number];

/** The maximum size of a plan. A longer plan does not help the model. */
export const todoLimits = { items: 256, contentChars: 4000 } as const;

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

/** The todo list of one conversation: items in order, with unique ids. */
export interface TodoList {
  read(): readonly TodoItem[];
  replace(items: readonly TodoItem[]): readonly TodoItem[];
  /** Changes items with a known id in place and appends new ones. */
  merge(items: readonly TodoItem[]): readonly TodoItem[];
}
