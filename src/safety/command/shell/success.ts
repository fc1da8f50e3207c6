import type { SimpleCommand } from "./simple-command.ts";

/** What stands after `&&` runs for sure. */
export function alwaysSucceeds(list: readonly SimpleCommand[]): boolean {
  return list.length > 0 && list.every(({ argv: [name] }) => name !== undefined && certain.has(name.text));
}

/** A person who writes `cd x && y` means that it works; one who writes `test x && y` does not know. */
export function usuallySucceeds(list: readonly SimpleCommand[]): boolean {
  return list.length > 0 && list.every(({ argv: [name] }) => name !== undefined && !asking.has(name.text));
}

const certain: ReadonlySet<string> = new Set([":", "echo", "printf", "true", "export", "shopt", "function"]);

const asking: ReadonlySet<string> = new Set(
  "false test [ grep egrep fgrep rg which type hash command diff cmp".split(" "),
);
