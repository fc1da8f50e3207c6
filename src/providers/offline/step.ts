import type { JsonObject } from "../../base/json.ts";

/** One thing that was asked for. */
export type Step =
  | { readonly does: "run"; readonly command: string; readonly workdir?: string }
  | { readonly does: "start"; readonly command: string; readonly workdir?: string }
  | { readonly does: "processes" }
  | { readonly does: "look"; readonly which: string }
  | { readonly does: "wait"; readonly which: string }
  /** `which`: an id, words of the command, or nothing for all. */
  | { readonly does: "stop"; readonly which?: string }
  | { readonly does: "read"; readonly path: string; readonly from?: number; readonly lines?: number }
  | { readonly does: "write"; readonly path: string; readonly content: string }
  | { readonly does: "append"; readonly path: string; readonly content: string }
  | { readonly does: "replace"; readonly path: string; readonly old: string; readonly new: string }
  | { readonly does: "list"; readonly path?: string }
  | { readonly does: "delete"; readonly path: string; readonly isFolder: boolean }
  | { readonly does: "folder"; readonly path: string }
  | { readonly does: "move"; readonly from: string; readonly to: string }
  | { readonly does: "copy"; readonly from: string; readonly to: string }
  /** `pattern`: a regular expression. */
  | { readonly does: "search"; readonly words: string; readonly pattern: string; readonly path?: string }
  | { readonly does: "find"; readonly name: string; readonly path?: string }
  | { readonly does: "plan"; readonly items: readonly string[] }
  | { readonly does: "add to plan"; readonly items: readonly string[] }
  | { readonly does: "show plan" }
  | { readonly does: "clear plan" }
  /** `which`: a number, `all`, or words of the item. */
  | { readonly does: "mark"; readonly which: string; readonly status: "completed" | "in_progress" | "cancelled" }
  | { readonly does: "remember"; readonly text: string }
  | { readonly does: "forget"; readonly text: string }
  | { readonly does: "recall"; readonly text: string }
  | { readonly does: "delegate"; readonly task: string }
  | { readonly does: "code"; readonly code: string }
  | { readonly does: "search web"; readonly query: string }
  | { readonly does: "fetch"; readonly url: string }
  | { readonly does: "say"; readonly text: string }
  | { readonly does: "tools" }
  | { readonly does: "find tool"; readonly query: string }
  | { readonly does: "tool"; readonly name: string; readonly args: JsonObject }
  | { readonly does: "talk"; readonly about: Topic };

export type Topic =
  | "help"
  | "connecting"
  | "what you are"
  | "greeting"
  | "thanks"
  | "bye"
  | "yes or no"
  | "undo"
  | "nothing to go on with";

/** What a message of the person asks for. */
export interface Understood {
  readonly steps: readonly Step[];
  /** What is still to be done of earlier requests is dropped. */
  readonly drops?: boolean;
  /** Go on with what is still to be done, or do the last request once more. */
  readonly again?: "go on" | "repeat";
}
