import { newId, type SessionId } from "../../base/ids.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ContentPart, ToolCall } from "../../contracts/model/message.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { ToolResult } from "../../contracts/tool/tool.ts";
import { openMemory } from "../knowledge/open-memory.ts";
import { openSkills } from "../knowledge/open-skills.ts";
import { lazySessions } from "./lazy-sessions.ts";
import { openWorkbench, type WorkbenchDeps } from "./open-workbench.ts";

/** Everything that a call needs and a list of tools does not: it is loaded by the first call. */
export interface Calls extends AsyncDisposable {
  /** Through the whole dispatch path, as asked by a person. Never rejects. */
  call(call: ToolCall, catalog: Catalog, signal: AbortSignal): Promise<ToolResult>;
  /** What background processes have told since somebody last asked. */
  messages(): readonly string[];
}

export type CallDeps = Omit<WorkbenchDeps, "sessionId" | "images">;

export function openCalls(config: LoadedConfig, deps: CallDeps): Calls {
  const sessionId = newId<SessionId>("ses");
  const { principal, clock, log, say } = deps;
  const memory = openMemory(config, { principal, clock, log }).store({ by: "user" }, say);
  const skills = openSkills(config, { cwd: deps.cwd, clock, log, say });
  const bench = openWorkbench(config, { ...deps, sessionId });
  const sessions = lazySessions(config, say);
  return {
    async call(call, catalog, signal) {
      const { services, ...surroundings } = await bench.surroundings(signal);
      const { backend, workspace } = surroundings.place;
      const at = { backend, ...(workspace !== undefined && { workspace }), source: "cli", catalog };
      return bench.dispatcher.dispatch(call, {
        ...surroundings,
        catalog,
        sessionId,
        origin: "user",
        principal,
        services: {
          ...services,
          memory,
          skills: skills.library({ author: "user", ...at }),
          toolIndex: catalog.search,
          ...(await sessions.for(call, catalog)),
        },
        signal,
        emit() {},
      });
    },
    messages: () => bench.inbox.take(sessionId).map(({ content }) => textOf(content)),
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
