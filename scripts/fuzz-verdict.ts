import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { noShellSandbox } from "../test/support/verdict/shell-sandbox.ts";
import {
  corpusCommands,
  everydayShares,
  type Miss,
  shortened,
  verdictRound,
} from "../test/support/verdict/verdict-round.ts";

export interface FuzzOptions {
  readonly limitMs: number;
  /** Undefined: a new random seed. */
  readonly seed?: number;
  /** Whether to continue with the seed and the corpus of the last run. */
  readonly isContinued: boolean;
  /** Folder of the corpus: scripts that showed a new effect, and every script that the analysis judged wrongly. */
  readonly corpusFile: string;
  write(line: string): void;
}

interface Corpus {
  readonly nextSeed: number;
  readonly scripts: readonly string[];
  readonly misses: readonly Miss[];
}

/** Compares the analysis with real shells until the time is over. Returns true if the analysis predicted everything. */
export async function fuzzVerdict(options: FuzzOptions): Promise<boolean> {
  const { limitMs, corpusFile, write } = options;
  const missing = noShellSandbox();
  if (missing !== false) throw new Error(missing);
  const last = readCorpus(corpusFile);
  let seed = options.seed ?? (options.isContinued && last ? last.nextSeed : Math.floor(Math.random() * 2 ** 31));
  const misses = new Map<string, Miss>();
  let scripts = last?.scripts ?? [];
  const base = corpusCommands();
  const seen = new Set<string>();
  const startedAt = performance.now();
  let [total, unresolved, effects] = [0, 0, 0];
  while (performance.now() - startedAt < limitMs) {
    const round = await verdictRound({ seed, count: 300, corpus: [...base, ...scripts], seen });
    total += round.scripts;
    unresolved += round.unresolved;
    effects += round.effects;
    scripts = [...scripts, ...round.fresh].slice(-maxScripts);
    for (const miss of round.misses) {
      if (misses.size >= maxMisses || performance.now() - startedAt > limitMs * 1.2) break;
      const short = await shortened(miss);
      if (misses.has(short.script)) continue;
      misses.set(short.script, short);
      write(`MISSED by ${short.shell}: ${short.effects.join("; ")}\n${short.script}\n---`);
    }
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    write(`${minutes} min  seed ${seed}  ${total} scripts, ${effects} effects, ${misses.size} misses`);
    seed += 1;
    writeCorpus(corpusFile, { nextSeed: seed, scripts, misses: [...misses.values()] });
  }
  const everyday = everydayShares();
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
  write(`unresolved: ${percent(unresolved / Math.max(1, total))} of the scripts`);
  write(
    `everyday commands: ${percent(everyday.needApproval)} need approval, ${percent(everyday.unresolved)} unresolved`,
  );
  return misses.size === 0;
}

const maxScripts = 1_000;
const maxMisses = 200;

function readCorpus(file: string): Corpus | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Corpus;
  } catch {
    return undefined;
  }
}

function writeCorpus(file: string, corpus: Corpus): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(corpus, undefined, 1));
}
