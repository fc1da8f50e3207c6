import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { PromptSection } from "../../kernel/prompt/system-prompt.ts";
import { promptSections } from "../../kernel/prompt/system-prompt.ts";
import { openEnvironment } from "../environment/open-environment.ts";
import { offerSkills } from "../knowledge/offer-skills.ts";
import { openRedactor } from "../policy/open-redactor.ts";
import { openServices } from "../services.ts";
import { sessionCatalog } from "../session/session-catalog.ts";
import { createJudge } from "./judge-text.ts";
import { promptFacts } from "./prompt-facts.ts";

/** The size of the prefix of a request, in bytes. */
export interface PromptSize {
  readonly sections: readonly { readonly tier: PromptSection["tier"]; readonly name: string; readonly bytes: number }[];
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
  /** Number of tools that are found by search. Each takes only its line in the description of `tool_search`. */
  readonly deferred: number;
  readonly systemBytes: number;
  readonly toolBytes: number;
  readonly totalBytes: number;
  readonly notices: readonly string[];
}

export interface MeasureOptions {
  readonly cwd: string;
  readonly principal: Principal;
  readonly platform: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Measures the first request of a session without sending a request or opening a connection. */
export async function measurePrompt(config: LoadedConfig, options: MeasureOptions): Promise<PromptSize> {
  const { cwd, platform, signal, clock, log } = options;
  await using services = openServices(config, options);
  const tools = await services.get("tools");
  const contributions = await services.get("contributions");
  await contributions.load("promptSections");
  const catalog = await sessionCatalog(config, {}, { registry: tools.registry, platform, cwd, clock, log, signal });
  await using environment = openEnvironment(config, { cwd, clock, log });
  const { root } = environment.place.backend === "local" ? await environment.workspace() : { root: undefined };
  const confinement = await environment.confinement(signal);
  const toolsIn = (name: string) => tools.registry.expand(name)?.tools;
  await using skills = offerSkills(config, { cwd, clock, log, say() {}, toolsIn });
  const { facts, notices } = await promptFacts(config, {
    model: someModel,
    catalog,
    redactor: openRedactor(config.secrets),
    judge: createJudge(config.home.path),
    skills: {
      index: ({ backend, workspace }, until) =>
        skills.index(
          { author: "model", catalog, backend, ...(workspace !== undefined && { workspace }), source: platform },
          until,
        ),
    },
    sections: contributions.promptSections,
    ignoreRules: false,
    place: { ...environment.place, ...(root !== undefined && { workspace: root }), ...confinement },
    source: platform,
    now: clock.now(),
    remoteFiles: async () => undefined,
    signal,
    say: () => {},
  });
  const sections = promptSections(facts).map(({ tier, name, text }) => ({ tier, name, bytes: bytesOf(text) }));
  const sent = catalog.definitions.map((tool) => ({ name: tool.name, bytes: bytesOf(JSON.stringify(tool)) }));
  const systemBytes = sum(sections);
  const toolBytes = sum(sent);
  return {
    sections,
    tools: sent,
    deferred: catalog.deferred.length,
    systemBytes,
    toolBytes,
    totalBytes: systemBytes + toolBytes,
    notices,
  };
}

/** A typical model. The model only affects a name in the prompt and the length of context files. */
const someModel: ModelFacts = {
  provider: "provider",
  model: "model",
  contextTokens: 128_000,
  contextSource: "assumed",
  vision: false,
};

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function sum(parts: readonly { readonly bytes: number }[]): number {
  return parts.reduce((total, { bytes }) => total + bytes, 0);
}
