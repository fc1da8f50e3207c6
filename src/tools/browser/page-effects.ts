import type { Effect, Place } from "../../contracts/tool/effect.ts";
import type { PageTarget } from "../../contracts/web/browser.ts";

/** Returns the sites that contain the target of an action, as URLs. Empty if no page is open. */
async function openSites({ openPage }: Place, target?: PageTarget): Promise<readonly string[]> {
  const { url, frames = url === undefined ? [] : [url] } = (await openPage?.(target)) ?? {};
  const origins = frames.flatMap((each) => URL.parse(each)?.origin ?? []).filter((origin) => origin !== "null");
  return Array.from(new Set(origins), (origin) => `${origin}/`);
}

/** The effects of reading the open page, which may load more content. */
export async function readsPage(place: Place): Promise<readonly Effect[]> {
  return (await openSites(place)).map((url) => ({ kind: "network", url, isPage: true }));
}

/**
 * The effects of acting on the open page: clicks and typed text go to the site of the frame that contains the target.
 */
export async function sendsToPage(place: Place, target?: PageTarget): Promise<readonly Effect[]> {
  return (await openSites(place, target)).map((url) => ({ kind: "network", url, sends: true, isPage: true }));
}

/** The effects of running code in the open page. A page on which the user is signed in needs approval. */
export async function runsInPage(place: Place): Promise<readonly Effect[]> {
  const [facts, read] = [await place.openPage?.(), await readsPage(place)];
  return [{ kind: "opaque", ...(facts?.login !== undefined && { isAskedEachTime: true }) }, ...read];
}
