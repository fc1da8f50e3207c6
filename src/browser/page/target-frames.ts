import type { PageTarget } from "../../contracts/web/browser.ts";
import type { CdpParams } from "../cdp/connection.ts";
import type { Tab } from "../sessions/tab.ts";
import type { FrameWorld } from "./frame-worlds.ts";
import { worldName } from "./in-page/program.ts";
import type { PageSession } from "./page-session.ts";
import { readRef } from "./ref-table.ts";

/** Addresses of the documents that the target of an action is in: keys go to the one with the focus. Rejects if it is replaced. */
export async function targetFrames({ tab, reader }: PageSession, target: PageTarget): Promise<readonly string[]> {
  // A page behind a dialog and a crashed page do not answer.
  if (tab.dialogs().length > 0 || tab.crash !== undefined) return [tab.url];
  if (target === "focus") return [await focusedUrl(tab)];
  const urls = target.refs.map(async (ref) => {
    const match = reader.refs.find(readRef(ref) ?? 0);
    // An action on an element that is gone fails, or finds its successor in the same document.
    return match.how === "found" ? urlOf(match.element.world, tab) : tab.url;
  });
  return [...new Set(await Promise.all(urls))];
}

/** A document without an address of its own belongs to the frame around it. */
async function urlOf({ owner, session, contextId }: FrameWorld, tab: Tab): Promise<string> {
  if (!owner) return tab.url;
  const params = { contextId, expression: "location.href", returnByValue: true };
  const { result } = await session.send<{ result: { value?: string } }>("Runtime.evaluate", params, maxMs);
  return hasSite(result.value) ? result.value : urlOf(owner.world, tab);
}

function hasSite(url: string | undefined): url is string {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed !== null && parsed.origin !== "null";
}

/** Follows the focus into frames. */
async function focusedUrl(tab: Tab): Promise<string> {
  let [frameId, session, url] = [tab.id, tab.main, tab.url];
  for (let depth = 0; depth < maxDepth; depth++) {
    const ask = async <T>(method: string, params: CdpParams) => session.send<T>(method, params, maxMs);
    const world = await ask<{ executionContextId: number }>("Page.createIsolatedWorld", { frameId, worldName });
    const evaluate = async (expression: string) => {
      const params = { contextId: world.executionContextId, expression };
      return (await ask<{ result: { value?: string; objectId?: string } }>("Runtime.evaluate", params)).result;
    };
    const own = (await evaluate("location.href")).value;
    if (depth > 0 && hasSite(own)) url = own;
    const { objectId } = await evaluate(focusedElement);
    if (objectId === undefined) return url;
    const { node } = await ask<{ node: { frameId?: string } }>("DOM.describeNode", { objectId });
    if (node.frameId === undefined) return url;
    frameId = node.frameId;
    session = tab.frames().find((frame) => frame.frameId === frameId)?.session ?? session;
  }
  return url;
}

const maxDepth = 6;
/** A page that computes without end answers nothing: the call counts as one with unknown effects. */
const maxMs = 5_000;
const focusedElement = `(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
})()`;
