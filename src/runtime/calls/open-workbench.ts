import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { newId, type SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CommandDefaults } from "../../contracts/environment/environment.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";
import type { Checkpoints } from "../../contracts/knowledge/checkpoint.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { CallScope, Dispatcher, Policy } from "../../contracts/tool/dispatch.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import { createRealPaths } from "../../environments/real-paths.ts";
import { createSudoPassword } from "../../environments/shell/sudo-password.ts";
import { createDispatcher } from "../../kernel/dispatch/dispatcher.ts";
import { createFileReads } from "../../kernel/file-reads.ts";
import { createInbox, type FilledInbox } from "../../kernel/inbox.ts";
import { createProcessTable, type OwnedProcessTable } from "../../kernel/processes/process-table.ts";
import { createWriteAlone } from "../../kernel/write-alone.ts";
import { createSpillStore } from "../../store/spill-store.ts";
import type { CredentialFile } from "../environment/credential-files.ts";
import { type EnvironmentDeps, openEnvironment, type TaskOverrides } from "../environment/open-environment.ts";
import { openCheckpoints } from "../knowledge/open-checkpoints.ts";
import type { SecretRedactor } from "../policy/open-redactor.ts";
import { policySurroundings } from "../policy/policy-surroundings.ts";
import { analyseCommands } from "./analyse-commands.ts";

/** What the calls of one conversation work with: a place, processes, files seen, and the way through the dispatcher. */
export interface Workbench extends AsyncDisposable {
  readonly dispatcher: Dispatcher;
  /** What a call made now finds. */
  surroundings(signal: AbortSignal): Promise<Pick<CallScope, "place" | "services" | "approvedServices">>;
  /** Begins what the next command on this machine would have to wait for: a shell takes its time. */
  startShell(): void;
  /** Looks at a command that nobody asked for: code that runs for the first time is slow. */
  getReady(): void;
  readonly processes: OwnedProcessTable;
  readonly inbox: FilledInbox;
  /** Left out: checkpoints are off. */
  readonly checkpoints?: Checkpoints;
  /** When it is known what the calls that have ended changed. */
  recorded(): Promise<void>;
  /** What was shown may not be before the model any more. */
  forgetShown(): void;
}

export interface WorkbenchDeps {
  readonly sessionId: SessionId;
  readonly principal: Principal;
  /** Where the program was started. */
  readonly cwd: string;
  readonly task: TaskOverrides | undefined;
  /** Default: the built-in ones. */
  readonly environments?: EnvironmentDeps["environments"];
  /** Files of the home that skills of the conversation need; more may come. */
  readonly skillFiles?: () => readonly CredentialFile[];
  readonly secretAsker: SecretAsker | undefined;
  readonly say: (sentence: string) => void;
  readonly hooks: HookBus;
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly redactor: SecretRedactor;
  /** Can the model see pictures? Left out: they are shown. */
  readonly images?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openWorkbench(config: LoadedConfig, deps: WorkbenchDeps): Workbench {
  const { values, home, secrets } = config;
  const { clock, log, redactor, say, hooks, policy, ledger } = deps;
  const { cwd, skillFiles } = deps;
  const { environments } = deps;
  const at = { cwd, clock, log, say, ...(environments && { environments }), ...(skillFiles && { skillFiles }) };
  const commands = openEnvironment(config, at, deps.task);
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
  const { checkpointer, checkpoints } = recorded;
  const environment = recorded.following(commands.environment);
  const outside = recorded.following(commands.outside);
  const around = once(() => policySurroundings(config));
  const resolver = analyseCommands({
    paths: createRealPaths(commands.environment.files),
    environment: commands.environment,
    surroundings: (request, signal) => around()(request, signal),
  });
  const dispatcher = createDispatcher({
    hooks,
    policy,
    ledger,
    ...(checkpointer && { checkpoints: checkpointer }),
    resolver,
    redactor: values.security.redact_secrets ? redactor : { redact: (text) => text },
    spill: createSpillStore({ folder: join(home.path, homeFiles.results), maxTotalBytes: maxSpilledBytes }),
    clock,
    log,
    secrets: secrets.get,
    limits: {
      resultChars: values.tool_output.result_chars,
      turnChars: values.tool_output.turn_chars,
      timeoutMs: values.tools.timeout_s * 1000,
    },
  });
  const fileReads = {
    ...createFileReads({
      lines: values.tool_output.max_lines,
      lineChars: values.tool_output.max_line_length,
      ...(deps.images !== undefined && { images: deps.images }),
    }),
    writeAlone: createWriteAlone(join(home.root, homeFiles.fileWrites), { clock, log }),
    home,
  };
  const sudo = createSudoPassword({
    configured: secrets.get("SUDO_PASSWORD"),
    asker: deps.secretAsker,
    hide: redactor.add,
  });
  const commandDefaults: CommandDefaults = {
    timeoutMs: values.terminal.timeout * 1000,
    maxTimeoutMs: values.terminal.max_foreground_timeout * 1000,
    sudoPassword: sudo.get,
    forgetSudoPassword: sudo.forget,
  };
  const inbox = createInbox();
  const processes = createProcessTable({
    environment,
    inbox,
    redactor,
    clock,
    log,
    program: newId("run"),
    principal: deps.principal.id,
  });

  async function placeOf(signal: AbortSignal): Promise<Place> {
    const { root } = commands.place.backend === "local" ? await commands.workspace() : { root: undefined };
    const isolated = await commands.isIsolated(signal);
    return {
      // A command of the turn may change it.
      get cwd() {
        return commands.place.cwd;
      },
      backend: commands.place.backend,
      ...(root !== undefined && { workspace: root }),
      isolated,
    };
  }

  return {
    dispatcher,
    async surroundings(signal) {
      return {
        place: await placeOf(signal),
        services: { environment, commandDefaults, processes, fileReads, ...(checkpoints && { checkpoints }) },
        approvedServices: { environment: outside, processes: processes.startingIn(outside) },
      };
    },
    startShell: () => commands.environment.getReady?.(),
    getReady: once(() => {
      redactor.redact(practice);
      const effect = { kind: "exec", command: practice, cwd: commands.place.cwd, background: false } as const;
      void resolver.resolve([effect], commands.place, new AbortController().signal);
    }),
    processes,
    inbox,
    ...(checkpoints && { checkpoints }),
    recorded: recorded.settled,
    forgetShown: () => fileReads.forgetShown(),
    async [Symbol.asyncDispose]() {
      const left = await processes.own(new AbortController().signal);
      if (left.length > 0) say(redactor.redact(leavingText(left)));
      await processes[Symbol.asyncDispose]();
      await recorded[Symbol.asyncDispose]();
      await commands[Symbol.asyncDispose]();
    },
  };
}

const maxSpilledBytes = 256_000_000;
/** Never run. */
const practice = "echo 1 # 2";

/** The processes that leaving the program ends, named before it happens. */
function leavingText(left: readonly { readonly id: string; readonly command: string }[]): string {
  const named = left.slice(0, 20).map(({ id, command }) => `${id} (${oneLine(command, 80)})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  return `ending ${plural(left.length, "background process")} on leaving: ${named.join(", ")}${more}; keep: true lets one go on`;
}
