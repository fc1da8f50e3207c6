import type { Config } from "../../config/load.ts";
import type { MemoryAuthor } from "../../contracts/knowledge/memory.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionOptions } from "../../contracts/session/runtime.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import { type ServiceName, serviceNames, type Services } from "../../contracts/tool/services.ts";
import { ownSearch, ownSessions } from "../../sessions/own-sessions.ts";
import type { RuntimeServices } from "../services.ts";
import { lazySpeech } from "../speech/lazy-speech.ts";

/** How to ask the user of a session. */
export type UserPrompts = Pick<SessionOptions, "asker" | "secrets" | "services">;

/** The services that tools can use in a session with these settings and these ways to ask the user. */
export function offeredServices(values: Config, people: UserPrompts = {}): ReadonlySet<ServiceName> {
  return new Set(
    serviceNames.filter((name) => supplies[name].by !== "nobody" && supplies[name].when?.(values, people) !== false),
  );
}

/** Whether only sessions have the service, not calls outside of them. */
export function belongsToSession(name: ServiceName): boolean {
  return supplies[name].by === "session";
}

/** The context of a call outside of sessions. */
export interface CallSurroundings {
  readonly services: RuntimeServices;
  readonly principal: Principal;
  readonly catalog: Catalog;
  readonly place: Place;
  readonly say: (sentence: string) => void;
}

/** Opens the services that the runtime supplies, for a call outside of sessions. */
export async function suppliedServices(
  names: ReadonlySet<ServiceName>,
  of: CallSurroundings,
): Promise<Partial<Services>> {
  const opened = Array.from(names, async (name) => {
    const supply = supplies[name];
    return supply.by === "runtime" ? [[name, await supply.open(of)]] : [];
  });
  // The cast is safe: each value was opened under its own name.
  return Object.fromEntries((await Promise.all(opened)).flat()) as Partial<Services>;
}

type Supply<N extends ServiceName> = {
  /** Default: always. */
  readonly when?: (values: Config, people: UserPrompts) => boolean;
} & (
  | { readonly by: "nobody" | "session" | "workbench" | "dispatcher" }
  | { readonly by: "runtime"; open(of: CallSurroundings): Promise<Services[N] | undefined> }
);

/**
 * Which part supplies each service. `workbench`: the environment in which commands of a call run. `session`: the
 * session itself. `runtime`: opened here for a call outside of sessions. `dispatcher`: created for each call.
 */
const supplies: { readonly [N in ServiceName]: Supply<N> } = {
  environment: { by: "workbench" },
  commandDefaults: { by: "workbench" },
  processes: { by: "workbench" },
  fileReads: { by: "workbench" },
  call: { by: "dispatcher" },
  checkpoints: { by: "workbench", when: ({ checkpoints }) => checkpoints.enabled },
  memory: {
    by: "runtime",
    when: ({ memory }) => memory.memory_enabled || memory.user_profile_enabled,
    open: async ({ services, principal, say }) => (await services.get("memory"))(principal).store(byUser, say),
  },
  skills: {
    by: "runtime",
    async open({ services, catalog, place: { backend, workspace } }) {
      const skills = await (await services.get("skills")).opened();
      const base = { backend, ...(workspace !== undefined && { workspace }), source: "cli", catalog };
      return skills.library({ author: "user", ...base });
    },
  },
  pages: { by: "runtime", open: async ({ services }) => (await services.get("pages")).offered({}) },
  toolIndex: { by: "runtime", open: async ({ catalog }) => catalog.search },
  sessions: {
    by: "runtime",
    async open({ services, principal }) {
      const store = await services.get("sessions");
      return store && ownSessions(store, principal);
    },
  },
  sessionSearch: {
    by: "runtime",
    async open({ services, principal }) {
      const isEmpty = (await services.get("sessions")) === undefined;
      return isEmpty ? undefined : ownSearch(await services.get("search"), principal);
    },
  },
  todos: { by: "session" },
  transcript: { by: "session" },
  asker: { by: "session", when: (_, { asker }) => asker !== undefined },
  secretAsker: { by: "session", when: (_, { secrets }) => secrets !== undefined },
  agents: { by: "session" },
  code: { by: "workbench" },
  auxiliary: { by: "session", when: (_, { services }) => services?.auxiliary !== undefined },
  mixture: { by: "session" },
  generator: { by: "runtime", open: ({ services }) => services.get("generator") },
  pictures: {
    by: "runtime",
    open: ({ services }) => services.get("pictures"),
  },
  browser: { by: "workbench" },
  speech: {
    by: "runtime",
    open: async ({ services }) => lazySpeech(() => services.get("speech")),
  },
  messenger: { by: "nobody" },
  inbox: { by: "nobody" },
  sessionMail: { by: "session" },
  notices: { by: "session", when: (_, { services }) => services?.notices !== undefined },
};

const byUser: { readonly by: MemoryAuthor } = { by: "user" };
