import { isStopWord, queryOf, type PageQuery, queryWords } from "./query-words.ts";

export interface Passages {
  readonly markdown: string;
  /** False if no part of the text contains a word of the question, so that the result is the beginning of the text. */
  readonly isAnswer: boolean;
}

interface Block {
  readonly index: number;
  readonly text: string;
  /** Titles above the block, the outermost first. */
  readonly headings: readonly string[];
}

interface Scored {
  readonly block: Block;
  readonly score: number;
}

/** The blocks of a text that answer a question, in order, under their headings, up to a maximum length. */
export function findPassages(markdown: string, question: string, maxChars = defaultMaxChars): Passages {
  const blocks = blocksOf(markdown);
  const query = queryOf(question);
  const ranked = rank(blocks, query);
  const [best] = ranked;
  if (!best) return { markdown: cut(markdown, maxChars), isAnswer: false };
  const chosen = new Set<number>();
  let size = 0;
  for (const { block, score } of ranked) {
    if (score < best.score * minShareOfBest || chosen.size >= maxBlocks) break;
    for (const index of withContext(blocks, block.index)) {
      const length = blocks[index]?.text.length ?? 0;
      if (chosen.has(index) || (size > 0 && size + length > maxChars)) continue;
      chosen.add(index);
      size += length + 2;
    }
    if (size >= maxChars) break;
  }
  return { markdown: cut(joined(blocks, chosen), maxChars), isAnswer: true };
}

/** A paragraph that ends with a colon introduces the next block. */
function withContext(blocks: readonly Block[], index: number): readonly number[] {
  const introduces = (start: number) => /[:：]\**$/u.test(blocks[start]?.text ?? "") && blocks[start + 1] !== undefined;
  if (introduces(index)) return [index, index + 1];
  return introduces(index - 1) ? [index, index - 1] : [index];
}

function joined(blocks: readonly Block[], chosen: ReadonlySet<number>): string {
  const parts: string[] = [];
  let headings: readonly string[] = [];
  let last = -1;
  for (const index of Array.from(chosen).toSorted((a, b) => a - b)) {
    const block = blocks[index];
    if (!block) continue;
    if (index !== last + 1 && parts.length > 0) parts.push("[…]");
    const shared = block.headings.findIndex((heading, depth) => headings[depth] !== heading);
    if (shared >= 0) parts.push(...block.headings.slice(shared));
    headings = block.headings;
    parts.push(block.text);
    last = index;
  }
  return parts.join("\n\n");
}

/** BM25 over the blocks, with the headings above a block as part of it, and more for phrases, numbers and code names. */
function rank(blocks: readonly Block[], query: PageQuery): readonly Scored[] {
  if (query.terms.size === 0) return [];
  const counted = blocks.map((block) => {
    const counts = new Map<string, number>();
    const words = queryWords(block.text);
    const matching = words.map((word) => (query.terms.has(word) ? word : ""));
    for (const word of matching) if (word !== "") counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const word of new Set(queryWords(block.headings.join(" "))))
      if (query.terms.has(word)) counts.set(word, (counts.get(word) ?? 0) + headingWeight);
    return { block, counts, words, matching };
  });
  const average = counted.reduce((sum, { words }) => sum + words.length, 0) / Math.max(counted.length, 1);
  const frequencies = new Map<string, number>();
  for (const { counts } of counted)
    for (const word of counts.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const scored = counted.map(({ block, counts, words, matching }): Scored => {
    let score = 0;
    for (const [word, count] of counts) {
      const frequency = frequencies.get(word) ?? 0;
      const rarity = Math.log(1 + (blocks.length - frequency + 0.5) / (frequency + 0.5));
      const length = 1 - lengthWeight + (lengthWeight * words.length) / Math.max(average, 1);
      score += (query.terms.get(word) ?? 1) * rarity * ((count * (saturation + 1)) / (count + saturation * length));
    }
    if (score === 0) return { block, score };
    score *= 0.5 + 0.5 * (counts.size / query.terms.size);
    score *= 1 + phraseBoost * neighbours(matching, query);
    for (const phrase of query.phrases) if (block.text.toLowerCase().includes(phrase)) score *= 1.5;
    if (query.wantsNumber && /\d/u.test(block.text)) score *= 1.2;
    return { block, score };
  });
  if (scored.every(({ score }) => score === 0)) return [];
  // The block after a match, under the same headings, often explains it.
  const smoothed = scored.map(({ block, score }, index): Scored => {
    const before = scored[index - 1];
    const isTogether = before?.block.headings.join("\n") === block.headings.join("\n");
    return { block, score: score + (isTogether ? neighbourWeight * (before?.score ?? 0) : 0) };
  });
  return smoothed
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.block.index - b.block.index);
}

/** How many adjacent words of the question are also adjacent here. At most 3. */
function neighbours(words: readonly string[], { pairs }: PageQuery): number {
  let count = 0;
  let before = "";
  for (const word of words) {
    if (word !== "" && before !== "" && pairs.has(`${before} ${word}`)) count++;
    if (word !== "" || !isStopWord(word)) before = word;
  }
  return Math.min(count, 3);
}

/** Paragraphs, code, tables and lists; long ones are split, tables with their header. */
function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let headings: { readonly level: number; readonly line: string }[] = [];
  let lines: string[] = [];
  let fence = "";
  const flush = () => {
    for (const text of parts(lines))
      blocks.push({ index: blocks.length, text, headings: headings.map(({ line }) => line) });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/u.exec(line)?.[1];
    if (fence !== "") {
      lines.push(line);
      if (mark?.startsWith(fence) === true && line.trim() === mark) {
        fence = "";
        flush();
      }
    } else if (mark !== undefined) {
      flush();
      fence = mark;
      lines.push(line);
    } else if (/^#{1,6} /u.test(line)) {
      flush();
      const level = line.indexOf(" ");
      headings = [...headings.filter((heading) => heading.level < level), { level, line }];
    } else if (line.trim() === "") flush();
    else lines.push(line);
  }
  flush();
  return blocks;
}

function parts(lines: readonly string[]): readonly string[] {
  const text = lines.join("\n").trim();
  if (text.length <= maxBlockChars) return text === "" ? [] : [text];
  const [header = "", rule = ""] = lines;
  const isTable = /^\s*\|/u.test(header) && /^\s*\|[\s:|-]+\|\s*$/u.test(rule);
  const isCode = /^\s*(?:`{3,}|~{3,})/u.test(header);
  const before = isTable ? [header, rule] : isCode ? [header] : [];
  const after = isCode ? [lines.at(-1) ?? ""] : [];
  const result: string[] = [];
  let part: string[] = [];
  let size = 0;
  const flush = () => {
    if (part.length > 0) result.push([...before, ...part, ...after].join("\n"));
    part = [];
    size = 0;
  };
  for (const line of lines.slice(before.length, isCode ? -1 : undefined).flatMap(sentences)) {
    if (size + line.length > maxBlockChars) flush();
    part.push(line);
    size += line.length + 1;
  }
  flush();
  return result;
}

/** A line that is longer than a block, at the ends of its sentences or, without any, anywhere. */
function sentences(line: string): readonly string[] {
  if (line.length <= maxBlockChars) return [line];
  return line
    .split(/(?<=[.!?。！？]["”’)]?)\s+/u)
    .flatMap((sentence) =>
      sentence.length <= maxBlockChars ? [sentence] : (sentence.match(/[\s\S]{1,1200}/gu) ?? []),
    );
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf("\n", maxChars);
  return `${text.slice(0, end > maxChars / 2 ? end : maxChars).trimEnd()}\n\n[…]`;
}

const defaultMaxChars = 6000;
const maxBlockChars = 1200;
const maxBlocks = 40;
const minShareOfBest = 0.3;
const headingWeight = 0.6;
const saturation = 1.2;
const lengthWeight = 0.7;
const neighbourWeight = 0.35;
const phraseBoost = 0.25;
