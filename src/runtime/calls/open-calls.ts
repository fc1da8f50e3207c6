import { newId, type SessionId } from "../../base/ids.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { ServiceName } from "../../contracts/tool/services.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { serviceTargets } from "../../kernel/dispatch/admission/service-targets.ts";
import { lazyGenerator } from "../media/lazy-generator.ts";
import type { RuntimeServices } from "../services.ts";
import { lazySpeech } from "../speech/lazy-speech.ts";
import { lazyPages } from "../web/lazy-pages.ts";
import { openWorkbench, type WorkbenchDeps } from "./open-workbench.ts";
import { openWorkplace, type WorkplaceDeps } from "./open-workplace.ts";
import { offeredServices, suppliedServices } from "./tool-services.ts";

/** Calls outside of sessions. The first call loads the code that calls need. */
export interface Calls extends AsyncDisposable {
  /** Runs a call of the user through the whole dispatch. Never rejects. */
  call(call: ToolCall, catalog: Catalog, signal: AbortSignal): Promise<ToolResult>;
  /** Reports of background processes since the last call of this function. */
  messages(): readonly string[];
}

export interface CallDeps extends Omit<WorkplaceDeps, "sessionId">, Omit<WorkbenchDeps, "images" | "browser"> {
  readonly services: RuntimeServices;
}

export function openCalls(config: LoadedConfig, deps: CallDeps): Calls {
  const sessionId = newId<SessionId>("ses");
  const { principal, services, say } = deps;
  const bench = openWorkbench(
    config,
    openWorkplace(config, { ...deps, sessionId, sessionStartedAt: deps.clock.now() }),
    { ...deps, browser: { browsers: async () => services.get("browsers"), name: sessionId, say } },
  );
  const targets = serviceTargets({
    pages: lazyPages(() => services.get("pages"), {}),
    generator: lazyGenerator(() => services.get("generator")),
    speech: lazySpeech(() => services.get("speech")),
  });
  return {
    async call(call, catalog, signal) {
      const { services: own, ...surroundings } = await bench.surroundings(signal);
      const { place } = surroundings;
      const needs = neededBy(call, catalog, offeredServices(config.values));
      return bench.dispatcher.dispatch(call, {
        ...surroundings,
        place: Object.assign(place, { serviceTargets: targets }),
        catalog,
        sessionId,
        origin: "user",
        principal,
        services: { ...own, ...(await suppliedServices(needs, { services, principal, catalog, place, say })) },
        signal,
        emit() {},
      });
    },
    messages: () => bench.inbox.take(sessionId).map(({ content }) => textOf(content)),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

/** The services that a call can need. For an ambiguous name, all offered services, because the dispatch resolves it. */
function neededBy({ name }: ToolCall, catalog: Catalog, offered: ReadonlySet<ServiceName>): ReadonlySet<ServiceName> {
  const tool = name === "tool_call" ? undefined : catalog.find(name);
  return tool ? new Set(tool.needs).intersection(offered) : offered;
}
