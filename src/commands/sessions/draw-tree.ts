import { textWidth } from "../../base/text/text-width.ts";
import { shortTimeText } from "../../base/text/time-text.ts";
import type { Branch, Exchange, SessionTree } from "../../contracts/session/session-tree.ts";

export interface TreeLook {
  /** Maximum width of a line; at least 40. */
  readonly columns: number;
  readonly now: number;
  /** Shows long runs without branches in full. */
  readonly isWhole?: boolean;
}

/**
 * Draws the tree from top to bottom: the current branch is drawn straight down, with other branches beside it. The
 * caller removes line feeds and control characters.
 */
export function drawTree(tree: SessionTree, look: TreeLook): string {
  const drawing = { tree: indexed(tree), look, lines: [] as string[] };
  const roots = drawing.tree.children(0);
  const labels = drawing.tree.labels(0);
  if (roots.length !== 1 || labels !== "") {
    drawing.lines.push(fitted("○ 0  ", roots.length === 0 ? "no messages yet" : "beginning", labels, look));
    const straight = drawing.tree.straight(roots);
    drawBeside(roots, straight, "", drawing);
    if (straight) drawChain(straight, "", "", drawing);
  } else if (roots[0]) drawChain(roots[0], "", "", drawing);
  return drawing.lines.join("\n");
}

interface Indexed {
  children(number: number): readonly Exchange[];
  /** The child that continues the line straight down. */
  straight(children: readonly Exchange[]): Exchange | undefined;
  /** Names of the branches that end at this exchange. */
  labels(number: number): string;
  isHere(number: number): boolean;
}

interface Drawing {
  readonly tree: Indexed;
  readonly look: TreeLook;
  readonly lines: string[];
}

function indexed({ exchanges, branches }: SessionTree): Indexed {
  const children = new Map<number, Exchange[]>();
  for (const each of exchanges) {
    const siblings = children.get(each.after ?? 0) ?? [];
    siblings.push(each);
    children.set(each.after ?? 0, siblings);
  }
  const ends = new Map<number, Branch[]>();
  for (const branch of branches) ends.set(branch.last ?? 0, [...(ends.get(branch.last ?? 0) ?? []), branch]);
  const here = branches.find(({ isCurrent }) => isCurrent)?.last;
  const way = new Set<number>();
  for (let index = here; index !== undefined; index = exchanges[index - 1]?.after) way.add(index);
  return {
    children: (number) => children.get(number) ?? [],
    straight: (among) => among.find(({ number }) => way.has(number)) ?? among[0],
    labels: (number) =>
      (ends.get(number) ?? []).map(({ name, isCurrent }) => (isCurrent ? `[${name}] ← here` : `[${name}]`)).join(" "),
    isHere: (number) => number === (here ?? 0),
  };
}

/**
 * Draws an exchange and its descendants on the same vertical line. `first` is the prefix of its line, `prefix` that of
 * the lines below.
 */
function drawChain(start: Exchange, first: string, prefix: string, drawing: Drawing): void {
  const { tree, lines } = drawing;
  const chain: Exchange[] = [];
  for (let index: Exchange | undefined = start; index; index = tree.straight(tree.children(index.number)))
    chain.push(index);
  const folds = drawing.look.isWhole ? [] : foldsIn(chain, tree);
  for (const [index, exchange] of chain.entries()) {
    const fold = folds.find(({ from, to }) => index >= from && index < to);
    if (fold && index > fold.from) continue;
    if (fold) {
      const hidden = chain.slice(fold.from, fold.to);
      lines.push(`${prefix}┊ ${hidden.length} more (${hidden[0]?.number}–${hidden.at(-1)?.number})`);
      continue;
    }
    lines.push(lineOf(exchange, index === 0 ? first : prefix, drawing));
    const beside = tree.children(exchange.number);
    drawBeside(beside, tree.straight(beside), prefix, drawing);
  }
}

function drawBeside(
  children: readonly Exchange[],
  straight: Exchange | undefined,
  prefix: string,
  drawing: Drawing,
): void {
  for (const child of children) {
    if (child !== straight) drawChain(child, `${prefix}├─`, `${prefix}│ `, drawing);
  }
}

function lineOf(exchange: Exchange, prefix: string, { tree, look }: Drawing): string {
  const { number, at: askedAt, asked: request, answered, calls } = exchange;
  const words = request === "" ? `→ ${answered}` : request;
  const tools = calls === 0 ? "" : ` (${calls} ${calls === 1 ? "call" : "calls"})`;
  const mark = tree.isHere(number) ? "◉" : "●";
  const head = `${prefix}${mark} ${number}  ${shortTimeText(askedAt, look.now)}  `;
  return fitted(head, words, [tools.trim(), tree.labels(number)].filter((part) => part !== "").join(" "), look);
}

/** Truncates the words to fit; head and tail stay whole. */
function fitted(head: string, words: string, tail: string, { columns }: TreeLook): string {
  const end = tail === "" ? "" : `  ${tail}`;
  const room = Math.max(12, Math.max(40, columns) - textWidth(head) - textWidth(end));
  return `${head}${shortened(words, room)}${end}`;
}

function shortened(words: string, room: number): string {
  if (textWidth(words) <= room) return words;
  let shown = "";
  let left = room - 1;
  for (const character of words) {
    left -= textWidth(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

/** A run is collapsed only if that saves lines. */
const shownAround = 2;
const fewest = 3;

/** Runs of exchanges without forks and without ends of branches. */
function foldsIn(chain: readonly Exchange[], tree: Indexed): readonly { readonly from: number; readonly to: number }[] {
  const folds: { from: number; to: number }[] = [];
  const isPlain = ({ number }: Exchange) => tree.labels(number) === "" && tree.children(number).length === 1;
  let from = 0;
  for (let index = 0; index <= chain.length; index++) {
    const exchange = chain[index];
    if (exchange && isPlain(exchange)) continue;
    const begins = from + shownAround;
    const ends = index - shownAround;
    if (ends - begins >= fewest) folds.push({ from: begins, to: ends });
    from = index + 1;
  }
  return folds;
}
