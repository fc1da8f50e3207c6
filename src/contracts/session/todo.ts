export const todoStatuses = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof todoStatuses)[number];

/** Limits; a longer plan is useless. */
export const todoLimits = { items: 256, contentChars: 4000 } as const;

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

/** The plan of one conversation: in order, ids unique. */
export interface TodoList {
  read(): readonly TodoItem[];
  replace(items: readonly TodoItem[]): readonly TodoItem[];
  /** Changes items with a known id in place and appends new ones. */
  merge(items: readonly TodoItem[]): readonly TodoItem[];
}
