import type { Effect, Place } from "../../contracts/tool/effect.ts";

/** The site of the open page as a URL. Undefined: no page is open. */
async function openSite({ openPage }: Place): Promise<string | undefined> {
  const { url } = (await openPage?.()) ?? {};
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return origin === "null" ? undefined : `${origin}/`;
}

/** Reads the open page, which may load more of itself. */
export async function readsPage(place: Place): Promise<readonly Effect[]> {
  const url = await openSite(place);
  return url === undefined ? [] : [{ kind: "network", url, isPage: true }];
}

/** Acts on the open page: clicks and typed text are sent to its site. */
export async function sendsToPage(place: Place): Promise<readonly Effect[]> {
  const url = await openSite(place);
  return url === undefined ? [] : [{ kind: "network", url, sends: true, isPage: true }];
}

/** Runs code in the open page. A page with a login needs the user's decision. */
export async function runsInPage(place: Place): Promise<readonly Effect[]> {
  const [facts, read] = [await place.openPage?.(), await readsPage(place)];
  return [{ kind: "opaque", ...(facts?.login !== undefined && { isAskedEachTime: true }) }, ...read];
}
