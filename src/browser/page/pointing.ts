import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { BrowserFault } from "../../contracts/web/browser.ts";
import type { Tab } from "../sessions/tab.ts";
import { type FrameWorld, WorldGone } from "./frame-worlds.ts";
import type { ElementWords, TargetPoint } from "./in-page/targets.ts";
import type { TabReader } from "./page-reader.ts";
import { readRef, type SeenElement } from "./ref-table.ts";
import { unlessStopped } from "./stillness.ts";

/** An element that a request names, in its frame. */
export interface FoundTarget {
  readonly world: FrameWorld;
  readonly local: number;
  /** Such as `button "Save" @e5`. */
  readonly words: string;
}

export interface Pointing {
  /** The element behind a reference, if it still exists. */
  find(ref: string): Promise<Result<FoundTarget, BrowserFault>>;
  /** A point of the element that a click reaches, in coordinates of the page. */
  point(target: FoundTarget): Promise<Result<{ readonly x: number; readonly y: number }, BrowserFault>>;
  click(spot: { readonly x: number; readonly y: number }, how?: ClickKind): Promise<void>;
  hover(spot: { readonly x: number; readonly y: number }): Promise<void>;
}

export interface ClickKind {
  readonly isDouble?: boolean;
  readonly isRight?: boolean;
}

export function createPointing(tab: Tab, reader: TabReader, clock: Clock): Pointing {
  const { worlds, refs } = reader;

  async function find(ref: string): Promise<Result<FoundTarget, BrowserFault>> {
    const number = readRef(ref);
    if (number === undefined)
      return err({
        kind: "invalid",
        message: `${JSON.stringify(ref)} is not a reference; they look like @e12 and come from browser_snapshot`,
      });
    const first = await lookUp(number);
    if (first.ok || first.error.kind !== "gone") return first;
    // A similar element may have replaced it, and the message needs the current page.
    await reader.read();
    const second = await lookUp(number);
    return second.ok
      ? second
      : err({ kind: "gone", message: `${second.error.message} browser_snapshot shows what is there now.` });
  }

  async function lookUp(number: number): Promise<Result<FoundTarget, BrowserFault>> {
    const match = refs.find(number);
    if (match.how === "unknown") {
      const history = match.last === 0 ? "there was no snapshot yet" : `the last reference is @e${match.last}`;
      return err({ kind: "gone", message: `@e${number} does not exist (${history}).` });
    }
    const { element } = match;
    const words = targetWords({ ...element, number });
    const isHere = match.how === "found" && (await isAlive(element));
    if (isHere) return ok({ world: element.world, local: element.local, words });
    if (match.how === "old" || (await isLeft(element)))
      return err({
        kind: "gone",
        message: `${words} belongs to a page that was left (${match.how === "old" ? match.page : "it navigated"}); now ${tab.url} is open.`,
      });
    return err({ kind: "gone", message: `${words} is gone: the page removed it.` });
  }

  async function isAlive({ world, local }: SeenElement): Promise<boolean> {
    try {
      return (await worlds.call(world, "alive", [[local]])).length > 0;
    } catch (thrown) {
      if (thrown instanceof WorldGone) return false;
      throw thrown;
    }
  }

  async function isLeft({ world }: SeenElement): Promise<boolean> {
    const main = await worlds.main().catch(() => undefined);
    let top = world;
    while (top.owner) top = top.owner.world;
    return main !== undefined && main.key !== top.key;
  }

  async function point({
    world,
    local,
    words,
  }: FoundTarget): Promise<Result<{ readonly x: number; readonly y: number }, BrowserFault>> {
    let spot: TargetPoint = await worlds.call(world, "point", [local]);
    let frame = world;
    while (spot.how === "found" && frame.owner) {
      const { world: outer, number } = frame.owner;
      spot = await worlds.call(outer, "fromFrame", [number, spot.x, spot.y]);
      frame = outer;
    }
    if (spot.how === "found") return ok({ x: spot.x, y: spot.y });
    return err(faultOf(spot, words, frame));
  }

  function faultOf(spot: Exclude<TargetPoint, { how: "found" }>, words: string, world: FrameWorld): BrowserFault {
    switch (spot.how) {
      case "gone":
        return {
          kind: "gone",
          message: `${words} is gone: the page removed it. browser_snapshot shows what is there now.`,
        };
      case "disabled":
        return { kind: "refused", message: `${words} is disabled: the page does not accept clicks on it yet.` };
      case "invisible":
        return { kind: "outside", message: `${words} is hidden or has no size now, so nothing can be clicked there.` };
      case "outside":
        return { kind: "outside", message: `${words} is outside the view and scrolling does not reach it.` };
      case "covered": {
        const { role, name, number: local } = spot.by;
        const number = refs.numberOf({ world, local, role, name, path: "" });
        return {
          kind: "covered",
          message: `${words} is covered by ${targetWords({ role, name, number })}. Close or use that first, or scroll.`,
        };
      }
    }
  }

  async function mouse(
    type: string,
    { x, y }: { readonly x: number; readonly y: number },
    more: object = {},
  ): Promise<void> {
    await tab.main.send("Input.dispatchMouseEvent", { type, x, y, button: "none", ...more });
  }

  return {
    find,
    point,
    async hover(spot) {
      await unlessStopped(mouse("mouseMoved", spot), tab, clock);
    },
    async click(spot, { isDouble = false, isRight = false } = {}) {
      const [button, buttons] = isRight ? ["right", 2] : ["left", 1];
      const work = (async () => {
        await mouse("mouseMoved", spot);
        for (let clickCount = 1; clickCount <= (isDouble ? 2 : 1); clickCount++) {
          const pressed = mouse("mousePressed", spot, { button, buttons, clickCount });
          const released = mouse("mouseReleased", spot, { button, clickCount });
          await Promise.all([pressed, released]);
        }
      })();
      await unlessStopped(work, tab, clock);
    },
  };
}

/** An element in a few words. */
function targetWords({ role, name, number }: ElementWords): string {
  return `@e${number} ${role}${name === "" ? "" : ` ${JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)}`}`;
}
