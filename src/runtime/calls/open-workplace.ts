import type { Clock } from "../../base/clock.ts";
import { newId, type SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CommandDefaults } from "../../contracts/environment/environment.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { ProtectedFolder } from "../../contracts/session/child-place.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import { createSudoPassword } from "../../environments/shell/sudo-password.ts";
import { createInbox, type FilledInbox } from "../../kernel/inbox.ts";
import { createProcessTable, type OwnedProcessTable } from "../../kernel/processes/process-table.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import type { CredentialFile } from "../environment/credential-files.ts";
import { type EnvironmentDeps, openEnvironment, type TaskOverrides } from "../environment/open-environment.ts";
import { openCheckpoints } from "../knowledge/open-checkpoints.ts";

/**
 * The environment, folder, checkpoints and processes for the commands of a session. Sessions that it starts share it.
 */
export interface Workplace extends AsyncDisposable {
  readonly commands: ReturnType<typeof openEnvironment>;
  readonly recorded: Omit<ReturnType<typeof openCheckpoints>, typeof Symbol.asyncDispose>;
  readonly commandDefaults: CommandDefaults;
  readonly processes: OwnedProcessTable;
  readonly inbox: FilledInbox;
  /** Folders that must not be changed from here. */
  readonly untouched: readonly ProtectedFolder[];
  place(signal: AbortSignal): Promise<Place>;
}

export interface WorkplaceDeps {
  readonly sessionId: SessionId;
  /** When the session began. Undefined: calls outside of sessions. */
  readonly sessionStartedAt?: number;
  readonly principal: Principal;
  /** The folder in which the program was started. */
  readonly cwd: string;
  readonly task: TaskOverrides | undefined;
  /** Default: determined by the folder where the session starts. */
  readonly workspace?: EnvironmentDeps["workspace"];
  /** Default: none. */
  readonly untouched?: readonly ProtectedFolder[];
  /** Default: the built-in ones. */
  readonly environments?: EnvironmentDeps["environments"];
  /** Files of the home that skills of the session need. The list may grow. */
  readonly skillFiles?: () => readonly CredentialFile[];
  readonly secretAsker: SecretAsker | undefined;
  readonly redactor: SecretRedactor;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openWorkplace(config: LoadedConfig, deps: WorkplaceDeps): Workplace {
  const { values, secrets } = config;
  const { cwd, environments, skillFiles, clock, log, redactor, say } = deps;
  const { workspace, untouched = [] } = deps;
  const where = {
    cwd,
    clock,
    log,
    say,
    ...(environments && { environments }),
    ...(skillFiles && { skillFiles }),
    ...(workspace && { workspace }),
    untouched,
  };
  const commands = openEnvironment(config, where, deps.task);
  const recorded = openCheckpoints(config, {
    sessionId: deps.sessionId,
    environment: commands.environment,
    place: commands.place,
    workspace: commands.workspace,
    redact: redactor.redact,
    clock,
    log,
    say,
  });
  const sudo = createSudoPassword({
    configured: secrets.get("SUDO_PASSWORD"),
    asker: deps.secretAsker,
    hide: redactor.add,
  });
  let hasWarned = false;
  function warn(why: string): void {
    if (hasWarned) return;
    hasWarned = true;
    say(
      `No sandbox works here (${why}). Hermes asks once per session before commands run unconfined; \`hermes doctor\` explains how to get a sandbox.`,
    );
  }
  const inbox = createInbox();
  const processes = createProcessTable({
    environment: recorded.following(commands.environment),
    inbox,
    redactor,
    clock,
    log,
    program: newId("run"),
    principal: deps.principal.id,
  });
  return {
    commands,
    recorded,
    commandDefaults: {
      timeoutMs: values.terminal.timeout * 1000,
      maxTimeoutMs: values.terminal.max_foreground_timeout * 1000,
      sudoPassword: sudo.get,
      forgetSudoPassword: sudo.forget,
    },
    processes,
    inbox,
    untouched,
    async place(signal) {
      const { root } = commands.place.backend === "local" ? await commands.workspace() : { root: undefined };
      const confinement = await commands.confinement(signal);
      if (confinement.unconfined !== undefined) warn(confinement.unconfined);
      return {
        // Read on each access, because a command of the turn may change it.
        get cwd() {
          return commands.place.cwd;
        },
        backend: commands.place.backend,
        ...(deps.sessionStartedAt !== undefined && { sessionStartedAt: deps.sessionStartedAt }),
        ...(root !== undefined && { workspace: root }),
        ...confinement,
      };
    },
    async [Symbol.asyncDispose]() {
      const left = await processes.own(new AbortController().signal);
      if (left.length > 0) say(redactor.redact(leavingText(left)));
      await processes[Symbol.asyncDispose]();
      await recorded[Symbol.asyncDispose]();
      await commands[Symbol.asyncDispose]();
    },
  };
}

/** Reports the background processes that closing will kill. */
function leavingText(left: readonly { readonly id: string; readonly command: string }[]): string {
  const named = left.slice(0, 20).map(({ id, command }) => `${id} (${oneLine(command, 80)})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  return `killing ${plural(left.length, "background process")} at the end of the session: ${named.join(", ")}${more}; start a process with keep: true to let it continue`;
}
