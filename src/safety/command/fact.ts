import type { RuleId } from "./rules.ts";
import type { Field } from "./shell/field.ts";

/** One effect of a command, according to its words. */
export type Fact =
  /** Something happens to a file or folder. */
  | { readonly kind: "path"; readonly how: PathUse; readonly path: Field; readonly isRecursive: boolean }
  /** A rule that the words themselves meet, such as `git reset --hard`. */
  | { readonly kind: "rule"; readonly rule: RuleId; readonly words: readonly Field[] }
  /** Code of another language that the command runs. */
  | { readonly kind: "code"; readonly language: InlineLanguage; readonly text: Field }
  /** Data leaves the machine. `path`: the file that is sent. */
  | { readonly kind: "send"; readonly to: Field; readonly path?: Field };

export type PathUse =
  | "read"
  /** Its content is replaced by output: a redirection, `tee`. */
  | "write"
  | "append"
  /** A whole file is put there: `cp`, `mv`, `touch`. */
  | "place"
  /** Creates something new or removes something empty, so no data is lost. `mkdir`, `rmdir`, `git clone`. */
  | "make"
  | "edit"
  | "delete"
  | "move"
  | "permission"
  /** Others lose access to it, the owner does not. */
  | "tighten"
  | "owner"
  | "link"
  /** Written byte by byte, below any file system. */
  | "raw";

type InlineLanguage = "python" | "javascript" | "perl" | "ruby" | "php" | "awk" | "sql" | "lua";

export function path(how: PathUse, target: Field, isRecursive = false): Fact {
  return { kind: "path", how, path: target, isRecursive };
}

export function rule(id: RuleId, ...words: readonly Field[]): Fact {
  return { kind: "rule", rule: id, words };
}
