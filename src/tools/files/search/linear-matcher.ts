import { membership, type PatternNode } from "./pattern-node.ts";

/** Finds what JavaScript's pattern would find, in time that only grows with the text. Slower for most patterns. */
export interface LinearMatcher {
  /** The first match from there on. `tired`: it would take too many steps. */
  find(text: string, from: number): { readonly start: number; readonly end: number } | undefined | "tired";
}

/** Undefined for a pattern that is too large for this. */
export function linearMatcher(pattern: PatternNode, ignoreCase: boolean, maxSteps: number): LinearMatcher | undefined {
  const program: Step[] = [];
  if (!compile(pattern, program, ignoreCase, new Map())) return undefined;
  program.push({ kind: "match" });
  return { find: (text, from) => run(program, text, from, maxSteps) };
}

/** Where a step is left open, it goes on with the one after it. */
type Step =
  | { readonly kind: "char"; readonly takes: (code: number) => boolean }
  | { readonly kind: "place"; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: "split"; first: number; second: number }
  | { readonly kind: "jump"; to: number }
  | { readonly kind: "match" };

type Sets = Map<string, (code: number) => boolean>;

function compile(node: PatternNode, program: Step[], ignoreCase: boolean, sets: Sets): boolean {
  if (program.length > maxProgram) return false;
  const all = (parts: readonly PatternNode[]) => parts.every((part) => compile(part, program, ignoreCase, sets));
  switch (node.kind) {
    case "set": {
      const takes = sets.get(node.source) ?? membership(node.source, ignoreCase);
      sets.set(node.source, takes);
      program.push({ kind: "char", takes });
      return true;
    }
    case "place":
      program.push({ kind: "place", holds: node.holds });
      return true;
    case "sequence":
      return all(node.parts);
    case "choice": {
      const ends: { to: number }[] = [];
      for (const [index, part] of node.parts.entries()) {
        const isLast = index === node.parts.length - 1;
        const split = { kind: "split" as const, first: program.length + 1, second: 0 };
        if (!isLast) program.push(split);
        if (!compile(part, program, ignoreCase, sets)) return false;
        if (isLast) break;
        const jump = { kind: "jump" as const, to: 0 };
        program.push(jump);
        ends.push(jump);
        split.second = program.length;
      }
      for (const jump of ends) jump.to = program.length;
      return true;
    }
    case "repeat": {
      const { part, least, most, isLazy } = node;
      for (let count = 0; count < least; count++) if (!all([part])) return false;
      if (most === Infinity) {
        const at = program.length;
        const split = { kind: "split" as const, first: 0, second: 0 };
        program.push(split);
        if (!all([part])) return false;
        program.push({ kind: "jump", to: at });
        aim(split, at + 1, program.length, isLazy);
        return true;
      }
      const splits: { first: number; second: number; at: number }[] = [];
      for (let count = least; count < most; count++) {
        const split = { kind: "split" as const, first: 0, second: 0, at: program.length + 1 };
        program.push(split);
        splits.push(split);
        if (!all([part])) return false;
      }
      for (const split of splits) aim(split, split.at, program.length, isLazy);
      return true;
    }
  }
}

function aim(split: { first: number; second: number }, inside: number, past: number, isLazy: boolean): void {
  split.first = isLazy ? past : inside;
  split.second = isLazy ? inside : past;
}

/** All ways at once, the preferred ones first; of those that meet at a step only the first goes on. */
function run(program: readonly Step[], text: string, from: number, maxSteps: number) {
  const seen = new Int32Array(program.length).fill(-1);
  let ways: Way[] = [];
  let found: { readonly start: number; readonly end: number } | undefined;
  let before = from > 0 ? codeBefore(text, from) : -1;
  let steps = 0;
  for (let at = from; ;) {
    const after = at < text.length ? (text.codePointAt(at) ?? -1) : -1;
    const now: Way[] = [];
    const add = (first: number, start: number): void => {
      const open = [first];
      for (let step = open.pop(); step !== undefined; step = open.pop()) {
        if (seen[step] === at) continue;
        seen[step] = at;
        const one = program[step];
        steps++;
        if (one === undefined) continue;
        if (one.kind === "jump") open.push(one.to);
        else if (one.kind === "split") open.push(one.second, one.first);
        else if (one.kind === "place") {
          if (one.holds(before, after)) open.push(step + 1);
        } else now.push({ step, start });
      }
    };
    for (const { step, start } of ways) add(step, start);
    if (found === undefined) add(0, at);
    ways = [];
    for (const { step, start } of now) {
      const one = program[step];
      if (one?.kind === "match") {
        found = { start, end: at };
        break;
      }
      if (one?.kind === "char" && after >= 0 && one.takes(after)) ways.push({ step: step + 1, start });
    }
    if (after < 0 || (found && ways.length === 0)) return found;
    if (steps > maxSteps) return "tired" as const;
    before = after;
    at += after > 0xffff ? 2 : 1;
  }
}

interface Way {
  readonly step: number;
  readonly start: number;
}

function codeBefore(text: string, at: number): number {
  const low = text.charCodeAt(at - 1);
  const high = at > 1 ? text.charCodeAt(at - 2) : 0;
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? (text.codePointAt(at - 2) ?? low) : low;
}

const maxProgram = 20_000;
