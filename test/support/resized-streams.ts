import { setTimeout as pause } from "node:timers/promises";

import { screenChat } from "./screen-chat.ts";
import { tmuxChat } from "./tmux-chat.ts";

export interface ResizedStream {
  readonly resizes: number;
  /** Words of the answer that are not exactly once and in order in the scrollback; empty if all are. */
  readonly faults: readonly string[];
  readonly everything: string;
}

/** Resizes the terminal at random moments while an answer streams. The same seed gives the same text, sizes and pauses. */
export async function resizeDuringStream(
  terminal: "xterm.js" | "tmux",
  seed: number,
  paragraphs: number,
): Promise<ResizedStream> {
  const random = createRandom(seed);
  const between = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const { text, words } = randomAnswer(paragraphs, between);
  const turn = { text, fault: { chunkBytes: between(200, 600), dripMs: between(2, 8) } };
  await using chat = terminal === "tmux" ? await inTmux(turn) : await inXterm(turn);
  await chat.start();
  let resizes = 0;
  for (let isOver = false; !isOver; resizes++) {
    // Some follow each other while the program waits for the end of the series, some meet the frame after it.
    await pause(between(0, 2) === 0 ? between(5, 160) : between(280, 500));
    await chat.resize(between(40, 130), between(14, 40), between(0, 1) * between(0, 40));
    isOver = await chat.isOver();
  }
  const everything = await chat.end();
  return { resizes, faults: faultsOf(everything, words), everything };
}

async function inXterm(turn: object) {
  const chat = await screenChat([turn]);
  return {
    async start() {
      await chat.until("❯");
      await chat.untilGone("loading");
      chat.type("go\r");
      await chat.untilWritten(firstWord);
    },
    /** The program gets the new size a while after the terminal has it. */
    async resize(columns: number, rows: number, lateMs: number) {
      chat.emulator.resize(columns, rows);
      if (lateMs > 0) await pause(lateMs);
      chat.resize(columns, rows);
    },
    isOver: async () => (await chat.everything()).includes(lastWord),
    async end() {
      chat.type("\x04");
      await chat.code;
      return chat.everything();
    },
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  };
}

async function inTmux(turn: object) {
  const chat = await tmuxChat([turn], 80, 24);
  return {
    async start() {
      await chat.untilSeen(/❯\s*\ncustom\/m1/u);
      await chat.type("go", "Enter");
      await chat.until(firstWord);
    },
    resize: (columns: number, rows: number) => chat.resize(columns, rows),
    isOver: async () => (await chat.joined()).includes(lastWord),
    async end() {
      await chat.type("C-d");
      await chat.until("the shell again");
      return chat.joined();
    },
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  };
}

const firstWord = "p0w0";
const lastWord = "lastword";

/** Paragraphs, lists and code whose words are all different. */
function randomAnswer(paragraphs: number, between: (min: number, max: number) => number) {
  const words: string[] = [];
  const text: string[] = [];
  const pieces = (block: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      words.push(`p${block}w${index}`);
      return `p${block}w${index}`;
    });
  for (let block = 0; block < paragraphs; block++) {
    const kind = between(0, 5);
    const own = pieces(block, between(1, 30));
    if (kind === 0) text.push("```\n", ...own.map((word) => `${word}\n`), "```\n\n");
    else if (kind === 1) text.push(...own.map((word) => `- ${word}\n`), "\n");
    else text.push(...own.map((word) => `${word} `), "\n\n");
  }
  words.push(lastWord);
  text.push(lastWord);
  return { text, words };
}

function faultsOf(everything: string, words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  const seen = [...everything.matchAll(/p\d+w\d+|lastword/gu)].map(([word]) => word);
  for (const word of seen) counts.set(word, (counts.get(word) ?? 0) + 1);
  const faults = words
    .filter((word) => counts.get(word) !== 1)
    .map((word) => `${word}: ${counts.get(word) ?? 0} times`);
  const expected = new Set(words);
  faults.push(...seen.filter((word) => !expected.has(word)).map((word) => `${word}: part of a word`));
  if (faults.length === 0 && seen.join(" ") !== words.join(" ")) faults.push("not in order");
  return faults;
}

function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
