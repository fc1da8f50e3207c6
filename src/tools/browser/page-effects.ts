import type { Effect, Place } from "../../contracts/tool/effect.ts";
import type { PageTarget } from "../../contracts/web/browser.ts";

/** The sites that the target of an action is in, as URLs. Empty: no page is open. */
async function openSites({ openPage }: Place, target?: PageTarget): Promise<readonly string[]> {
  const { url, frames = url === undefined ? [] : [url] } = (await openPage?.(target)) ?? {};
  const origins = frames.flatMap((each) => URL.parse(each)?.origin ?? []).filter((origin) => origin !== "null");
  return Array.from(new Set(origins), (origin) => `${origin}/`);
}

/** Reads the open page, which may load more of itself. */
export async function readsPage(place: Place): Promise<readonly Effect[]> {
  return (await openSites(place)).map((url) => ({ kind: "network", url, isPage: true }));
}

/** Acts on the open page: clicks and typed text go to the site of the frame that has the target. */
export async function sendsToPage(place: Place, target?: PageTarget): Promise<readonly Effect[]> {
  return (await openSites(place, target)).map((url) => ({ kind: "network", url, sends: true, isPage: true }));
}

/** Runs code in the open page. A page with a login needs the user's decision. */
export async function runsInPage(place: Place): Promise<readonly Effect[]> {
  const [facts, read] = [await place.openPage?.(), await readsPage(place)];
  return [{ kind: "opaque", ...(facts?.login !== undefined && { isAskedEachTime: true }) }, ...read];
}
