import type { Clock } from "../../base/clock.ts";
import type { Tab } from "../sessions/tab.ts";
import { createFrameWorlds, type FrameWorld, type FrameWorlds, WorldGone } from "./frame-worlds.ts";
import { createHiddenNodes } from "./hidden-nodes.ts";
import { createRefTable, type RefTable, type SeenElement } from "./ref-table.ts";
import type { PageWalker, WalkedDocument } from "./stillness.ts";
import type { FrameTree, PageItem, PageNode } from "./text/page-tree.ts";

/** A whole page with its frames; references are numbers of the tab. */
export interface PageTree {
  /** A value that changes with each document of the main frame. */
  readonly key: string;
  readonly url: string;
  readonly title: string;
  readonly items: readonly PageItem[];
  readonly elements: number;
  readonly isCut: boolean;
  readonly scroll: FrameTree["scroll"];
}

export interface TabReader {
  readonly worlds: FrameWorlds;
  readonly refs: RefTable;
  /**
   * Reads the page, and tries again while it navigates. `walked` means that the main document was just walked, `isShown`
   * that the model gets to see the page: only then can numbers of an earlier page continue on this one.
   */
  read(how?: { readonly walked?: WalkedDocument | undefined; readonly isShown?: boolean }): Promise<PageTree>;
  /** For a wait that ends with a walk. */
  readonly walker: PageWalker;
  /** The model runs a script in the page, which can add listeners. */
  noteScript(): void;
}

export function createTabReader(tab: Tab, clock: Clock): TabReader {
  const worlds = createFrameWorlds(tab, clock);
  const refs = createRefTable();
  const hidden = createHiddenNodes(worlds);

  /** The main document. Inert: it has no listeners, because neither the page nor the model ran a script in it. */
  let main = { key: "", isInert: false, isScripted: false };
  /** The search for listeners that started together with the walk. */
  let search: { readonly world: FrameWorld; readonly isMore: Promise<boolean> } | undefined;

  /**
   * The search for listeners runs in parallel to the walk. The page is walked again only if listeners that matter are
   * found.
   */
  async function walk(world: FrameWorld, walked?: WalkedDocument): Promise<FrameTree> {
    const walking = walked ? Promise.resolve(walked.tree) : worlds.call(world, "walk", [limits]);
    if (walked) {
      const isScripted = main.isScripted && main.key === world.key;
      main = { key: world.key, isInert: walked.isInert && !isScripted, isScripted };
    }
    const isMore = walked && main.isInert ? false : findsMore(world, walked);
    let tree = await walking;
    if (await isMore) tree = await worlds.call(world, "walk", [limits]);
    // A closed tree can contain others.
    for (let round = 0; round < maxDepth && tree.hosts; round++) {
      if (!(await hidden.noteClosedRoots(world, tree.hosts))) break;
      tree = await worlds.call(world, "walk", [limits]);
    }
    return tree;
  }

  /** Whether listeners that matter were found too late for the walk. */
  async function findsMore(world: FrameWorld, walked?: WalkedDocument): Promise<boolean> {
    const first = search?.world === world ? search.isMore : undefined;
    if (first && walked?.hasWaited === false) return first;
    const isMore = await hidden.noteListeners(world);
    return (await first) === true || isMore;
  }

  async function readFrame(
    world: FrameWorld,
    depth: number,
    budget: { frames: number },
    walked?: WalkedDocument,
  ): Promise<ReadFrame> {
    const tree = await walk(world, walked);
    const frames = new Map<number, ReadFrame>();
    const requested = depth < maxDepth ? frameNumbers(tree.items) : [];
    await Promise.all(
      requested.map(async (number) => {
        budget.frames -= 1;
        if (budget.frames < 0) return;
        const inner = await worlds.inside(world, number);
        if (!inner) return;
        try {
          frames.set(number, await readFrame(inner, depth + 1, budget));
        } catch (thrown) {
          if (!(thrown instanceof WorldGone)) throw thrown;
        }
      }),
    );
    return { world, tree, frames };
  }

  async function readOnce(isShown: boolean, walked?: WalkedDocument): Promise<PageTree> {
    const world = walked?.world ?? (await worlds.main());
    const main = await readFrame(world, 0, { frames: maxFrames }, walked);
    const seen: SeenElement[] = [];
    collect(main, seen);
    const { url, title, scroll } = main.tree;
    const numbers = await refs.record({ key: world.key, url, isShown }, seen, async (elements) => {
      const alive = new Set<SeenElement>();
      for (const [one, group] of Map.groupBy(elements, (element) => element.world)) {
        const locals = await worlds
          .call(one, "alive", [group.map(({ local }) => local)])
          .catch((): readonly number[] => []);
        for (const element of group) if (locals.includes(element.local)) alive.add(element);
      }
      return alive;
    });
    const next = numbers.values();
    return {
      key: world.key,
      url,
      title,
      scroll,
      items: numbered(main, () => next.next().value ?? 0),
      elements: countElements(main),
      isCut: isCut(main),
    };
  }

  return {
    worlds,
    refs,
    walker: {
      limits,
      prepare: (world) => hidden.prepare(world),
      begin(world) {
        // A search without a result would only delay the walk.
        const isInert = main.isInert && main.key === world.key;
        search = isInert ? undefined : { world, isMore: hidden.noteListeners(world) };
      },
    },
    noteScript: () => void (main = { ...main, isInert: false, isScripted: true }),
    async read({ walked, isShown = false } = {}) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await readOnce(isShown, attempt === 1 ? walked : undefined);
        } catch (thrown) {
          // The document was replaced while it was read.
          if (!(thrown instanceof WorldGone) || attempt >= maxAttempts) throw thrown;
          await new Promise<void>((resolve) => void clock.after(20 * attempt, resolve));
        }
      }
    },
  };
}

const maxDepth = 4;
const maxFrames = 40;
const maxAttempts = 8;
const limits = { elements: 60_000, chars: 2_000_000, ms: 4000 };

interface ReadFrame {
  readonly world: FrameWorld;
  readonly tree: FrameTree;
  readonly frames: ReadonlyMap<number, ReadFrame>;
}

function frameNumbers(items: readonly PageItem[]): readonly number[] {
  return items.flatMap((item) => {
    if (typeof item === "string") return [];
    const own = item.role === "frame" && item.ref !== undefined ? [item.ref] : [];
    return item.items ? [...own, ...frameNumbers(item.items)] : own;
  });
}

/** The elements with references in the order in which `numbered` visits them. */
function collect(frame: ReadFrame, seen: SeenElement[], path = ""): void {
  const { world, frames } = frame;
  const visit = (items: readonly PageItem[], around: string): void => {
    for (const item of items) {
      if (typeof item === "string") continue;
      const { role, name = "", ref, to } = item;
      if (ref !== undefined)
        seen.push({ world, local: ref, role, name, path: around, ...(to !== undefined && { to }) });
      const inner = item.items || role === "frame" ? `${around}/${role} ${name}`.slice(-300) : around;
      if (item.items) visit(item.items, inner);
      const child = role === "frame" && ref !== undefined ? frames.get(ref) : undefined;
      if (child) collect(child, seen, inner);
    }
  };
  visit(frame.tree.items, path);
}

function numbered(frame: ReadFrame, next: () => number): readonly PageItem[] {
  const visit = (items: readonly PageItem[]): readonly PageItem[] =>
    items.map((item) => {
      if (typeof item === "string") return item.trimEnd();
      const child = item.role === "frame" && item.ref !== undefined ? frame.frames.get(item.ref) : undefined;
      const ref = item.ref === undefined ? undefined : next();
      const inner = item.items && visit(item.items);
      const node: PageNode = {
        ...item,
        ...(ref !== undefined && { ref }),
        ...(inner && { items: inner }),
      };
      const isNamed = child && !child.tree.url.startsWith("about:");
      return child ? { ...node, ...(isNamed && { to: child.tree.url }), items: numbered(child, next) } : node;
    });
  return visit(frame.tree.items);
}

function countElements({ tree, frames }: ReadFrame): number {
  return [...frames.values()].reduce((sum, frame) => sum + countElements(frame), tree.elements);
}

function isCut({ tree, frames }: ReadFrame): boolean {
  return tree.isCut === true || [...frames.values()].some(isCut);
}
