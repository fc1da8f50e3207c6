import { once } from "../../base/async/once.ts";
import type { Pages } from "../../contracts/web/pages.ts";
import type { OpenedPages, PageHelpers } from "./open-pages.ts";

/** Web pages for a session, opened by the first request, because a session may never read one. */
export function lazyPages(open: () => Promise<OpenedPages>, helpers: PageHelpers): Pages {
  const opened = once(async () => (await open()).offered(helpers));
  return {
    search: async (wish, signal) => (await opened()).search(wish, signal),
    searchTargets: async () => (await opened()).searchTargets(),
    extract: async (wish, signal) => (await opened()).extract(wish, signal),
    searchPosts: async (wish, signal) => (await opened()).searchPosts(wish, signal),
  };
}
