import type { FrameTree } from "../text/page-tree.ts";
import type { DomElement, DomGlobal, DomRoot, IdlePeriod } from "./dom.ts";
import { createElementFacts } from "./element-facts.ts";
import { createElementKinship, type FoundNodes } from "./element-kinship.ts";
import { createElementNumbers, type ElementNumbers } from "./element-numbers.ts";
import { createElementVisibility } from "./element-visibility.ts";
import { createNodeAccess } from "./node-access.ts";
import { createRestlessNodes, type RestlessNodes } from "./restless-nodes.ts";
import { createTargets, type Targets } from "./targets.ts";
import { createWalk, type PageWalkLimits } from "./walk.ts";

/** The program in the isolated world of a frame: scripts of the page can neither see nor change it. */
export interface PageProgram extends Targets {
  walk(limits: PageWalkLimits, from?: number): FrameTree;
  element(number: number): DomElement | undefined;
  /** Marks elements that only the protocol can find. Returns true if a walk would now find more than the last one. */
  noteClosedRoot(host: DomElement, root: DomRoot): boolean;
  noteListeners(...elements: readonly DomElement[]): boolean;
  /**
   * Resolves when the document has not changed for this time, or after the maximum. Changes that repeat, such as those
   * of a clock, do not count. With `mayBeEarly`, also as soon as the engine has nothing planned that could change it.
   * With limits, a still document is walked at the same moment.
   */
  still(quietMs: number, maxMs: number, mayBeEarly: boolean, limits?: PageWalkLimits): Promise<SettledDocument>;
  /** How often the document has changed so far. */
  changes(): number;
  /** Draws numbered boxes over the page. Without boxes, removes them. */
  mark(boxes: readonly MarkedBox[]): void;
}

export interface SettledDocument {
  readonly isStill: boolean;
  readonly readyState: string;
  /** Whether time passed between the request and the answer. */
  readonly hasWaited: boolean;
  /** Whether the document never had a script, so that nothing can change it or listen to its elements. */
  readonly isInert: boolean;
  readonly tree?: FrameTree;
}

export interface MarkedBox {
  readonly label: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The name of the world and of the program in it. */
export const worldName = "hermes-page";

/** The source text that installs the program in a world, once. */
export function installSource(): string {
  const makers = [createNodeAccess, createElementVisibility, createElementFacts, createElementNumbers];
  const parts = [...makers, createElementKinship, createWalk, createTargets, createRestlessNodes].map(String).join(",");
  return `globalThis[${JSON.stringify(worldName)}] ??= (${String(createPageProgram)})(globalThis, ${parts})`;
}

function createPageProgram(
  page: DomGlobal,
  nodeAccess: typeof createNodeAccess,
  elementVisibility: typeof createElementVisibility,
  elementFacts: typeof createElementFacts,
  elementNumbers: () => ElementNumbers,
  kinshipOf: typeof createElementKinship,
  walkOf: typeof createWalk,
  targetsOf: typeof createTargets,
  restlessNodes: () => RestlessNodes,
): PageProgram {
  const nodes = nodeAccess(page);
  const facts = elementFacts(nodes, elementVisibility(page, nodes));
  const numbers = elementNumbers();
  const extra: FoundNodes = { closedRoots: new WeakMap(), listening: new WeakSet() };
  const walkAll = walkOf(page, facts, numbers, extra, kinshipOf(page, facts, extra));
  let hasWalked = false;
  const walk: typeof walkAll = (limits, from) => {
    hasWalked = true;
    return walkAll(limits, from);
  };
  // Uses the page's clock, because ours is in another process.
  const { performance: pageClock } = page;
  let changedAt = pageClock.now();
  let changeCount = 0;
  let overlay: DomElement | undefined;
  const documentOf = page.document;
  /** Whether the program existed before the first element, so that it saw all elements. */
  const isFirst = documentOf.documentElement === null;
  let hadScript = false;
  const restless = restlessNodes();
  const observer = new page.MutationObserver((records) => {
    const now = pageClock.now();
    if (!restless.isRepetition(records, now)) changedAt = now;
    changeCount += records.length;
    if (hadScript) return;
    for (const { addedNodes } of records)
      for (const node of addedNodes) if ((node as DomElement).localName === "script") hadScript = true;
  });
  const watched = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(documentOf, watched);
  const earlyMs = 20;
  const maxRequests = 4;
  const movers = "script, [onload], [onerror], meta[http-equiv=refresh i], iframe, object, embed";
  return {
    ...targetsOf(page, facts, numbers, extra),
    walk: (limits, from) => walk(limits, from === undefined ? undefined : numbers.element(from)),
    element: (number) => numbers.element(number),
    noteClosedRoot(host, root) {
      if (extra.closedRoots.has(host)) return false;
      extra.closedRoots.set(host, root);
      observer.observe(root, watched);
      return true;
    },
    noteListeners(...elements) {
      for (const element of elements) extra.listening.add(element);
      return (
        hasWalked && elements.some((element) => nodes.isElement(element) && !facts.isUsable(facts.roleOf(element)))
      );
    },
    still: (quietMs, maxMs, mayBeEarly, limits) =>
      new Promise((resolve, reject) => {
        const startedAt = pageClock.now();
        let isOver = false;
        let timer: ReturnType<typeof setTimeout>;
        const isComplete = () => documentOf.readyState === "complete";
        const end = (isStill: boolean, hasWaited: boolean, isInert: boolean) => {
          if (isOver) return;
          isOver = true;
          try {
            const tree = isStill && limits ? { tree: walk(limits) } : {};
            resolve({ isStill, readyState: documentOf.readyState, hasWaited, isInert, ...tree });
          } catch (thrown) {
            reject(thrown);
          }
        };
        /** The engine ends an idle period at the next timer or frame, so a long period means that none is due. */
        const look = (idle: IdlePeriod) => {
          if (isOver) return;
          if (!isComplete() || pageClock.now() - changedAt < earlyMs) rest();
          else if (idle.timeRemaining() > 40) end(true, true, false);
          else request();
        };
        let requests = 0;
        const request = () => {
          // A timer within the longest idle period would shorten it. A page with an animation never has a long one, so
          // the check is put off only a few times.
          if (requests < maxRequests) {
            requests += 1;
            clearTimeout(timer);
            timer = setTimeout(check, 60);
          }
          page.requestIdleCallback(look);
        };
        /** An idle callback that comes too early would delay the next one by a whole period. */
        const rest = () => {
          if (isOver) return;
          const restMs = isComplete() ? earlyMs - (pageClock.now() - changedAt) : earlyMs;
          if (restMs > 0) setTimeout(rest, restMs);
          else request();
        };
        /** Without scripts nothing changes a loaded document. */
        const settle = (hasWaited: boolean) => {
          if (!hadScript && !documentOf.querySelector(movers)) end(true, hasWaited, isFirst);
          else rest();
        };
        const check = () => {
          if (isOver) return;
          const now = pageClock.now();
          const isStill = now - Math.max(changedAt, startedAt - quietMs / 2) >= quietMs && isComplete();
          if (isStill || now - startedAt >= maxMs) end(isStill, true, false);
          else
            timer = setTimeout(
              check,
              Math.max(5, Math.min(quietMs - (now - changedAt), maxMs - (now - startedAt), 50)),
            );
        };
        check();
        if (mayBeEarly && isComplete()) settle(false);
        else if (mayBeEarly) page.addEventListener("load", () => settle(true), { once: true });
      }),
    changes: () => changeCount,
    mark(boxes) {
      overlay?.remove();
      overlay = undefined;
      if (boxes.length === 0) return;
      overlay = documentOf.createElement("div");
      overlay.setAttribute(
        "style",
        "position:fixed;inset:0;z-index:2147483647;pointer-events:none;margin:0;border:0;padding:0;background:none;width:100vw;height:100vh;overflow:hidden",
      );
      overlay.setAttribute("popover", "manual");
      const colours = ["#d00000", "#0050d0", "#007a1f", "#a000a0", "#b35900", "#006f7a"];
      const drawn = boxes.map(({ label, left, top, width, height }, index) => {
        const colour = colours[index % colours.length];
        const place = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
        const labelTop = top >= 14 ? -14 : 0;
        return `<div style="position:absolute;box-sizing:border-box;border:2px solid ${colour};${place}"><span style="position:absolute;left:-2px;top:${labelTop}px;font:bold 11px/14px sans-serif;color:#fff;background:${colour};padding:0 3px;white-space:nowrap">${label}</span></div>`;
      });
      overlay.attachShadow({ mode: "closed" }).innerHTML = drawn.join("");
      documentOf.documentElement?.append(overlay);
      (overlay as unknown as { showPopover?(): void }).showPopover?.();
    },
  };
}
