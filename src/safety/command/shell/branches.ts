import { hole } from "./field.ts";
import { copyState, isSameState, joinStates, type ScriptState } from "./shell-state.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** Merges the state of the `other` branch, because the script may have executed either one. */
export function joinBranch(state: ScriptState, other: ScriptState): void {
  if (!isSameState(state, other)) joinStates(state, [other, copyState(state)]);
}

/** Returns a copy of the state after the first iteration of a loop, for the next one. Undefined if nothing changed. */
export function stateAfterIteration(state: ScriptState, before: ScriptState): ScriptState | undefined {
  if (isSameState(state, before)) return undefined;
  const after = copyState(state);
  // A loop that changes to an unknown folder usually returns from it.
  if (state.cwd.includes(hole)) state.cwd = before.cwd;
  return after;
}

/** Adds the state of another branch that ends here. */
export function addBranch(ways: ScriptState[], state: ScriptState): void {
  const last = ways.at(-1);
  if (last && isSameState(last, state)) return;
  if (ways.length >= maxWays) {
    const joined = copyState(state);
    joinStates(joined, ways.splice(0));
    ways.push(joined);
  }
  ways.push(copyState(state));
}

const maxWays = 32;

/** Returns whether the command after `&&` always runs. */
export function alwaysSucceeds(list: readonly SimpleCommand[]): boolean {
  return list.length > 0 && list.every(({ argv: [name] }) => name !== undefined && certain.has(name.text));
}

/** Returns whether the author expects success: for `cd x && y` yes, for `test x && y` no. */
export function likelySucceeds(list: readonly SimpleCommand[]): boolean {
  return list.length > 0 && list.every(({ argv: [name] }) => name !== undefined && !asking.has(name.text));
}

const certain: ReadonlySet<string> = new Set([":", "echo", "printf", "true", "export", "shopt", "function"]);

const asking: ReadonlySet<string> = new Set(
  "false test [ grep egrep fgrep rg which type hash command diff cmp".split(" "),
);
