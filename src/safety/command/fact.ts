import type { RuleId } from "./rules.ts";
import type { Field } from "./shell/field.ts";

/** One effect of a command, derived from its arguments. */
export type Fact =
  /** An effect on a file or folder. */
  | { readonly kind: "path"; readonly how: PathUse; readonly path: Field; readonly isRecursive: boolean }
  /** A rule that the arguments trigger directly, such as `git reset --hard`. */
  | { readonly kind: "rule"; readonly rule: RuleId; readonly words: readonly Field[] }
  /** Code of another language that the command runs. */
  | { readonly kind: "code"; readonly language: InlineLanguage; readonly text: Field }
  /** Data leaves the machine. `path`: the file that is sent. */
  | { readonly kind: "send"; readonly to: Field; readonly path?: Field };

export type PathUse =
  | "read"
  /** Output replaces the content: a redirection, `tee`. */
  | "write"
  | "append"
  /** A whole file is copied, moved or created there: `cp`, `mv`, `touch`. */
  | "place"
  /** Creates something new or removes something empty, so that no data is lost: `mkdir`, `rmdir`, `git clone`. */
  | "make"
  | "edit"
  | "delete"
  | "move"
  | "permission"
  /** Removes access for others, not for the owner. */
  | "tighten"
  | "owner"
  | "link"
  /** Written byte by byte, below the file system. */
  | "raw";

type InlineLanguage = "python" | "javascript" | "perl" | "ruby" | "php" | "awk" | "sql" | "lua";

export function path(how: PathUse, target: Field, isRecursive = false): Fact {
  return { kind: "path", how, path: target, isRecursive };
}

export function rule(id: RuleId, ...words: readonly Field[]): Fact {
  return { kind: "rule", rule: id, words };
}
