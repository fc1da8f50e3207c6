import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import { isSecretName } from "../../config/keys/secret-names.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { childVariables } from "../../environments/child-environment.ts";
import { createHookEvents } from "../../plugins/hooks/plugin-hooks.ts";
import { type HookConsents, openHookConsents } from "../../plugins/shell-hooks/consents.ts";
import type { ShellHookRun } from "../../plugins/shell-hooks/run-shell-hook.ts";
import { readShellHooks, type ShellHook } from "../../plugins/shell-hooks/shell-hook.ts";
import { acceptAdvice, shellHookEntries } from "../../plugins/shell-hooks/shell-hooks.ts";
import type { Contribution } from "../contributions.ts";

export interface ShellHooksDeps {
  readonly cwd: string;
  readonly clock: Clock;
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly redactor: Redactor;
  /** Accepts new and changed hooks without asking. */
  readonly accepts: boolean;
}

/** The shell hooks of the settings, and whether the user consented to each. */
export interface OpenedShellHooks {
  readonly hooks: readonly ShellHook[];
  /** Entries of the settings that cannot run. */
  readonly problems: readonly string[];
  readonly consents: HookConsents;
  readonly run: ShellHookRun;
  /** The hooks for the bus. Reports those that were not accepted: they do not run, and a policy blocks its calls. */
  contributions(): Promise<readonly Contribution[]>;
}

export function openShellHooks(config: LoadedConfig, deps: ShellHooksDeps): OpenedShellHooks {
  const { cwd, clock, say, signal, log, redactor } = deps;
  const { home, values, env } = config;
  const { hooks, problems } = readShellHooks(values.hooks, { home: home.path, userFolder: userFolder(env) });
  const consents = openHookConsents(join(home.path, homeFiles.hookConsents), cwd, clock);
  const run = { env: withoutSecrets(env), cwd, clock };

  async function acceptAll(): Promise<void> {
    const open = hooks.filter((hook) => consents.stateOf(hook) !== "accepted");
    if (open.length === 0) return;
    const stored = await consents.accept(open, signal);
    if (!stored.ok) say(`The consent to shell hooks applies to this run only: ${stored.error.message}`);
  }

  return {
    hooks,
    problems,
    consents,
    run,
    async contributions() {
      for (const problem of problems) say(problem);
      if (deps.accepts || values.hooks_auto_accept) await acceptAll();
      for (const hook of hooks) if (consents.stateOf(hook) !== "accepted") say(unacceptedText(hook, consents));
      const events = createHookEvents(redactor);
      const { entries, ...adapted } = shellHookEntries(hooks, { ...run, consents, events, log, report: say });
      return [
        // Disposed last, when the hooks no longer get events.
        { owner: "shell hooks", dispose: async () => adapted[Symbol.asyncDispose]() },
        ...entries.map(({ owner, entry }) => ({ owner, hookEntries: [entry] })),
      ];
    },
  };
}

function unacceptedText(hook: ShellHook, consents: HookConsents): string {
  const { event, command, isPolicy } = hook;
  const why = consents.stateOf(hook) === "changed" ? "changed since you accepted it" : "was not accepted";
  const effect = isPolicy ? "Until then every call that it covers is blocked." : "Until then it does not run.";
  return `The shell hook ${command} (${event}) ${why}. ${effect} ${acceptAdvice}, or --accept-hooks for scripts.`;
}

/** The variables of the person without keys and tokens. */
function withoutSecrets(env: Variables): Variables {
  const variables = childVariables(env, []);
  return Object.fromEntries([...variables].filter(([name]) => !isSecretName(name)));
}
