import { join } from "node:path";

import { type Clock, systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { once } from "../../base/once.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Runtime, Session, SessionOptions } from "../../contracts/runtime.ts";
import { createHookBus } from "../../kernel/hook-bus.ts";
import { openSessionStore } from "../../store/session-store.ts";
import { openRegistry } from "../calls/open-registry.ts";
import { openLog } from "../open-log.ts";
import { openPolicy } from "../policy/open-policy.ts";
import { openRedactor } from "../policy/open-redactor.ts";
import { sessionCatalog } from "./session-catalog.ts";
import { type RuntimeParts, startSession } from "./start-session.ts";

export interface RuntimeOptions {
  /** Where the program was started. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly platform?: string;
  /** A sentence for the person. */
  readonly say?: (sentence: string) => void;
  readonly clock?: Clock;
  /** In place of the store of the home. */
  readonly sessionsFile?: string;
  /** Without the user's own tools. */
  readonly safeMode?: boolean;
}

export async function createRuntime(
  config: LoadedConfig,
  options: RuntimeOptions,
  thinking: RuntimeParts | ((made: { readonly log: Logger }) => RuntimeParts),
): Promise<Runtime> {
  const { values, home, secrets } = config;
  const { cwd, signal, say = () => {}, clock = systemClock } = options;
  const redactor = openRedactor(secrets, home);
  const log = openLog(config, redactor.redact, clock);
  const parts = typeof thinking === "function" ? thinking({ log }) : thinking;
  const hooks = createHookBus({ clock, log });
  const tools = await openRegistry(config, { signal, clock, isSafe: options.safeMode ?? false });
  let { mode } = values.approvals;
  const opened = openPolicy(config, { cwd, clock, log, redactor, hooks, mode: () => mode });
  const { policy, desk, ledger: audit, notices } = opened;
  for (const notice of notices()) say(notice);
  const sessions = await openSessionStore(options.sessionsFile ?? join(home.path, homeFiles.sessions), { clock, say });
  const open = new Set<Session>();

  const { platform = "cli" } = options;
  const catalogFor = (asked: SessionOptions) =>
    sessionCatalog(config, asked, { registry: tools.registry, platform, clock, log, signal });

  const start = (asked: SessionOptions) =>
    startSession(asked, {
      config,
      parts,
      sessions,
      catalog: catalogFor,
      policy,
      desk,
      audit,
      hooks,
      redactor,
      cwd,
      signal,
      say,
      clock,
      logger: log,
    });

  return {
    registry: tools.registry,
    hooks,
    sessions,
    approvals: desk,
    approvalMode: { get: () => mode, set: (next) => void (mode = next) },
    get diagnostics() {
      return tools.diagnostics;
    },
    async openSession(asked) {
      const session = await start(asked);
      open.add(session);
      return session;
    },
    [Symbol.asyncDispose]: once(async () => {
      await Promise.all(Array.from(open, (session) => session[Symbol.asyncDispose]()));
      tools[Symbol.dispose]();
      await parts.close?.();
      await sessions[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    }),
  };
}
