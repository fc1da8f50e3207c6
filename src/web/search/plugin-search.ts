import { isObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { type Backend, backendTargets } from "../../contracts/plugin/backend.ts";
import { hitsOf, type SearchBackend, textIn } from "./search-backend.ts";

/** A search engine that a plugin brings. */
export function pluginSearch(backend: Backend): SearchBackend {
  return {
    name: backend.id,
    targets: async () => backendTargets(backend),
    async search(query, limit, signal) {
      const answered = await backend.run({ query, limit }, signal);
      if (!answered.ok) return err({ kind: "unavailable", message: `${backend.title}: ${answered.error.message}` });
      const list = isObject(answered.value) ? answered.value["results"] : undefined;
      if (!Array.isArray(list))
        return err({ kind: "unavailable", message: `${backend.title} (a plugin) returned no list "results".` });
      const hits = hitsOf(list, ({ url, title, description }) => ({
        url: textIn(url),
        title: textIn(title),
        description: textIn(description),
      }));
      return ok({ hits });
    },
  };
}
