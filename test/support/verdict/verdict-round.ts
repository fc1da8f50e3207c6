import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";

import { type Foresight, foresee, foreseeIn, missedEffects } from "./foreseen.ts";
import { mutated } from "./mutations.ts";
import { verdictScripts } from "./script-grammar.ts";
import { runInShells, type ShellName, shells } from "./shell-sandbox.ts";

/** An effect that the analysis did not foresee, and the shortest script with it. */
export interface Miss {
  readonly script: string;
  readonly shell: ShellName;
  readonly effects: readonly string[];
}

export interface VerdictRound {
  readonly scripts: number;
  /** Number of scripts that the analysis calls unresolved. */
  readonly unresolved: number;
  /** Number of programs that ran and files that changed, in all shells. */
  readonly effects: number;
  readonly misses: readonly Miss[];
  /** Scripts with findings and effects that no earlier script had. */
  readonly fresh: readonly string[];
}

export interface RoundOptions {
  readonly seed: number;
  readonly count: number;
  readonly corpus: readonly string[];
  /** Findings and effects of earlier scripts; the round adds its own. */
  readonly seen?: Set<string>;
}

/** Generates scripts from a seed, runs them, and compares the result with the analysis. */
export async function verdictRound({ seed, count, corpus, seen = new Set() }: RoundOptions): Promise<VerdictRound> {
  const generated = fc.sample(
    fc.oneof({ weight: 3, arbitrary: verdictScripts() }, { weight: 2, arbitrary: mutated(corpus) }),
    { seed, numRuns: count },
  );
  const cases = [...new Set(generated)].flatMap((script) => {
    const foresight = canRun(script) ? foresee(script) : undefined;
    if (foresight === undefined || foresight.rules.includes("fork_bomb")) return [];
    return [{ script, foresight, other: foreseeIn("dash", script) }];
  });
  const runs = await runInShells(cases.map(({ script }) => script));
  const misses: Miss[] = [];
  const fresh: string[] = [];
  let effects = 0;
  for (const [index, { script, foresight, other }] of cases.entries()) {
    const ran = runs[index] ?? {};
    const missed = shells.flatMap((shell): Miss[] => {
      const run = ran[shell] ?? { calls: [], changes: [] };
      effects += run.calls.length + run.changes.length;
      const unforeseen = missedEffects(shell === "bash" ? foresight : other, run, shell);
      return unforeseen.length > 0 ? [{ script, shell, effects: unforeseen }] : [];
    });
    const [first] = missed;
    if (first) misses.push(first);
    const kinds = [...new Set(foresight.rules)].toSorted().join(" ");
    const sign = `${kinds}|${shells.map((shell) => `${ran[shell]?.calls.length},${ran[shell]?.changes.length}`).join(" ")}`;
    if (!seen.has(sign)) fresh.push(script);
    seen.add(sign);
  }
  return {
    scripts: cases.length,
    unresolved: cases.filter(({ foresight }) => foresight.isUnresolved).length,
    effects,
    misses,
    fresh,
  };
}

/**
 * Longer scripts reveal nothing new; no shell accepts a zero byte. The output of `eval "$(minikube docker-env)"` is
 * known for the real program, not for a stub.
 */
function canRun(script: string): boolean {
  return (
    script.length <= 1_500 &&
    !/\0|\b(?:eval|source)\b.*(?:\$\(|`|<\()|\$env:|PPID|(?:\$\(|`)(?:which|command -v|type -P)\b|~[A-Za-z.]|init -|\$\{?(?:CC|CXX|env)\b|\bcmd\b|fish -c/su.test(
      script,
    )
  );
}

/** Runs scripts in every shell and compares the result with the analysis. */
export async function missedIn(scripts: readonly string[]): Promise<readonly Miss[]> {
  const runs = await runInShells(scripts);
  return scripts.flatMap((script, index) =>
    shells.flatMap((shell): Miss[] => {
      const run = runs[index]?.[shell] ?? { calls: [], changes: [] };
      const effects = missedEffects(foreseeIn(shell, script), run, shell);
      return effects.length > 0 ? [{ script, shell, effects }] : [];
    }),
  );
}

/** The same miss with as few lines as possible. */
export async function shortened(miss: Miss): Promise<Miss> {
  let best = miss;
  for (let round = 0; round < maxRounds; round++) {
    const lines = best.script.split("\n");
    const shorter = lines.map((_, index) => lines.toSpliced(index, 1).join("\n")).filter((text) => text.trim() !== "");
    if (shorter.length === 0 || lines.length > maxLines) break;
    const runs = await runInShells(shorter, { names: [miss.shell] });
    const next = shorter.flatMap((script, index): Miss[] => {
      const run = runs[index]?.[miss.shell] ?? { calls: [], changes: [] };
      const effects = missedEffects(foreseeIn(miss.shell, script), run, miss.shell);
      return effects.length > 0 ? [{ script, shell: miss.shell, effects }] : [];
    })[0];
    if (!next) break;
    best = next;
  }
  return best;
}

const maxRounds = 8;
const maxLines = 40;

const folder = join(import.meta.dirname, "../../fixtures/commands");

/** The commands of the corpora in the repository. */
export function corpusCommands(files = "*.jsonl"): readonly string[] {
  return globSync(files, { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { readonly command: string }).command),
  );
}

/** Number of everyday commands that need approval, and number of unresolved ones. */
export function everydayShares(): {
  readonly commands: number;
  readonly needApproval: number;
  readonly unresolved: number;
} {
  const all: readonly Foresight[] = corpusCommands("safe-*.jsonl").map(foresee);
  return {
    commands: all.length,
    needApproval: all.filter(({ isAsked }) => isAsked).length / all.length,
    unresolved: all.filter(({ isUnresolved }) => isUnresolved).length / all.length,
  };
}
