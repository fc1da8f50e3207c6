import { once } from "../../base/async/once.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { Services } from "../../contracts/tool/services.ts";

/** What was said before, opened by the first call that may look for it. */
export interface LazySessions extends AsyncDisposable {
  /** Empty for a call that does not need them, and while there is no session. */
  for(call: ToolCall, catalog: Catalog): Promise<Partial<Services>>;
}

export function lazySessions(config: LoadedConfig, say: (sentence: string) => void): LazySessions {
  const opened = new AsyncDisposableStack();

  const open = once(async (): Promise<Partial<Services>> => {
    const [{ openSessions, sessionsFile }, { openSearch }] = await Promise.all([
      import("../session/open-sessions.ts"),
      import("../knowledge/open-search.ts"),
    ]);
    const sessions = await openSessions(config, say);
    if (!sessions) return {};
    opened.use(sessions);
    return { sessions, sessionSearch: opened.use(openSearch(sessionsFile(config))) };
  });

  return {
    async for({ name }, catalog) {
      const tool = name === "tool_call" ? undefined : catalog.find(name);
      // Which tool is meant is known only later when the name is not exactly one.
      return tool && !tool.needs.includes("sessions") ? {} : open();
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
