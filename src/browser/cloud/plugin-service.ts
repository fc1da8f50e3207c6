import { isObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import { type CloudService, openedBrowser } from "./cloud-service.ts";

/** A browser that a plugin opens: `{action: "open"}` returns `{cdp_url, id}`, and `{action: "close", id}` closes it. */
export function pluginService(backend: Backend): CloudService {
  return {
    id: backend.id,
    title: backend.title,
    keyVars: [],
    async open(_access, signal) {
      const opened = await backend.run({ action: "open" }, signal);
      if (!opened.ok) return err({ kind: "unavailable", message: `${backend.id}: ${opened.error.message}` });
      const fields = isObject(opened.value) ? opened.value : {};
      // The address may be on this machine, because the user installed the plugin.
      return openedBrowser(
        backend.id,
        { id: fields["id"], cdpUrl: fields["cdp_url"], watchUrl: fields["watch_url"] },
        { isNamedBySettings: true },
      );
    },
    async close(_access, id, signal) {
      const closed = await backend.run({ action: "close", id }, signal);
      return closed.ok
        ? ok(undefined)
        : err({ kind: "unavailable", message: `${backend.id}: ${closed.error.message}` });
    },
  };
}
