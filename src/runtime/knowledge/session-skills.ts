import { once } from "../../base/async/once.ts";
import { asId, type CallId, newId, type SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import type { SkillAuthor, SkillLibrary } from "../../contracts/knowledge/skill.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionOptions } from "../../contracts/session/runtime.ts";
import type { TurnCompanion } from "../../contracts/session/turn-companion.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import { skillsInPrompt } from "../../skills/used-skills.ts";
import type { Workbench } from "../calls/open-workbench.ts";
import type { OfferedSkills } from "./offer-skills.ts";
import type { SkillGrants, SkillContext } from "./skill-surroundings.ts";

export interface SessionSkillsOptions {
  /** Timeout of a command in a skill. */
  readonly inlineSeconds: number;
  readonly asked: Pick<SessionOptions, "asker" | "secrets" | "source">;
  readonly sessionId: SessionId;
  readonly principal: Principal;
  readonly catalog: Catalog;
  readonly workbench: Workbench;
  readonly redactor: SecretRedactor;
  /** Receives the variables and files for commands. */
  readonly grants: SkillGrants;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface SessionSkills {
  /** The skills for the tools of the session. `author`: other authors than the agent have fewer rights. */
  library(author?: SkillAuthor): SkillLibrary;
  /** Gives later commands the variables and files of these skills. Never rejects. */
  grant(names: readonly string[], place: Place): Promise<void>;
  /** Grants the variables and files of a skill that the user invokes, as for one that the model reads. */
  readonly companion: TurnCompanion;
  /** The section about skills in the system prompt. */
  index(place: Place, signal: AbortSignal): ReturnType<OfferedSkills["index"]>;
}

export function sessionSkills(skills: OfferedSkills, of: SessionSkillsOptions): SessionSkills {
  const { asked: request, sessionId, catalog, workbench, redactor, grants, log, signal } = of;
  const about = (place: Place, author: SkillAuthor): SkillContext => ({
    author,
    sessionId,
    catalog,
    backend: place.backend,
    ...(place.workspace !== undefined && { workspace: place.workspace }),
    source: request.source,
    ...(author === "model" && request.asker && { asker: request.asker }),
    ...(author === "model" && request.secrets && { secretAsker: request.secrets }),
    hide: redactor.add,
    grants,
    inlineShell: (command, until) => inlineOutput(command, of, until),
  });

  async function grant(names: readonly string[], place: Place): Promise<void> {
    if (names.length === 0) return;
    try {
      await (await skills.opened()).grant(about(place, "model"), names);
    } catch (thrown) {
      log.warn("skills.not_granted", { error: reasonOf(thrown) });
    }
  }

  return {
    grant,
    companion: {
      async before(prompt, until) {
        const names = skillsInPrompt(prompt);
        if (names.length > 0) await grant(names, (await workbench.surroundings(until)).place);
        return [];
      },
    },
    library(author = "model") {
      // Reads the workplace only when it is needed, because the session determines it on first use.
      const opened = once(async () => {
        const { place } = await workbench.surroundings(signal);
        return (await skills.opened()).library(about(place, author));
      });
      return {
        list: async (...given) => (await opened()).list(...given),
        view: async (...given) => (await opened()).view(...given),
        source: async (...given) => (await opened()).source(...given),
        change: async (...given) => (await opened()).change(...given),
      };
    },
    index: (place, until) => skills.index(about(place, "model"), until),
  };
}

/** The workbench whose commands, including background ones, get these variables. */
export function withVariables(bench: Workbench, variables: ReadonlyMap<string, string>): Workbench {
  const withThem = <T extends { readonly env?: Readonly<Record<string, string>> }>(options: T): T =>
    variables.size === 0 ? options : { ...options, env: { ...Object.fromEntries(variables), ...options.env } };
  const giving = (environment: Environment): Environment => ({
    ...environment,
    exec: (command, options) => environment.exec(command, withThem(options)),
    spawn: (command, options, signal) => environment.spawn(command, withThem(options), signal),
  });
  const commandsIn = (environment: Environment | undefined) => {
    if (!environment) return {};
    const given = giving(environment);
    return { environment: given, processes: bench.processes.startingIn(given) };
  };
  return {
    ...bench,
    async surroundings(signal: AbortSignal) {
      const match = await bench.surroundings(signal);
      const { services, approvedServices = {} } = match;
      return {
        ...match,
        services: { ...services, ...commandsIn(services.environment) },
        approvedServices: { ...approvedServices, ...commandsIn(approvedServices.environment) },
      };
    },
  };
}

/** Runs an embedded command through the whole dispatch, like a call of the model. */
async function inlineOutput(
  command: string,
  { workbench, catalog, sessionId, principal, inlineSeconds: timeout }: SessionSkillsOptions,
  signal: AbortSignal,
): Promise<string> {
  const result = await workbench.dispatcher.dispatch(
    { id: asId<CallId>(newId("call")), name: "terminal", args: { command, timeout } },
    {
      ...(await workbench.surroundings(signal)),
      catalog,
      sessionId,
      principal,
      origin: "script",
      signal,
      emit() {},
    },
  );
  const parts = result.ok ? result.value.content : [{ type: "text" as const, text: `(${result.error.message})` }];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
