import { copyState, isSameState, joinStates, type ScriptState } from "./shell-state.ts";

/** What runs may have gone the `other` way as well. */
export function joinOther(state: ScriptState, other: ScriptState): void {
  if (!isSameState(state, other)) joinStates(state, [other, copyState(state)]);
}

/** Another way to end here. */
export function addWay(ways: ScriptState[], state: ScriptState): void {
  const last = ways.at(-1);
  if (last && isSameState(last, state)) return;
  if (ways.length >= mostWays) {
    const joined = copyState(state);
    joinStates(joined, ways.splice(0));
    ways.push(joined);
  }
  ways.push(copyState(state));
}

const mostWays = 32;
