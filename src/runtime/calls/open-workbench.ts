import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CodeRunner } from "../../contracts/code/code-run.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { FileReads } from "../../contracts/host/ports.ts";
import type { Checkpoints } from "../../contracts/knowledge/checkpoint.ts";
import type { CallScope, Dispatcher, Policy, SpillStore } from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { Browser } from "../../contracts/web/browser.ts";
import { changedPlaces, createRealPaths } from "../../environments/real-paths.ts";
import { createDispatcher } from "../../kernel/dispatch/dispatcher.ts";
import { createFileReads } from "../../kernel/file-reads.ts";
import type { FilledInbox } from "../../kernel/inbox.ts";
import type { OwnedProcessTable } from "../../kernel/processes/process-table.ts";
import { createWriteLock } from "../../kernel/write-lock.ts";
import { analyseCommands } from "../../safety/analyse-commands.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import { createSpillStore } from "../../store/spill-store.ts";
import { lazyBrowser, type LazyBrowserDeps } from "../browser/lazy-browser.ts";
import { lazyCode } from "../code/lazy-code.ts";
import { openPictures } from "../media/open-pictures.ts";
import { policySurroundings } from "../policy/policy-surroundings.ts";
import type { Workplace } from "./open-workplace.ts";

/** Resources of one session's calls: the environment, the files that it read, and the dispatcher. */
export interface Workbench extends AsyncDisposable {
  readonly workplace: Workplace;
  readonly dispatcher: Dispatcher;
  /** Stores texts that are too long for the conversation. */
  readonly spill: SpillStore;
  /** Undefined: there is no browser for the tools. */
  readonly browser: Browser | undefined;
  /** The scope of a call that starts now. */
  surroundings(signal: AbortSignal): Promise<Pick<CallScope, "place" | "services" | "approvedServices">>;
  /** Prepares a shell for the next local command, because starting one takes time. */
  startShell(): void;
  /** Analyses a dummy command, because code is slow on its first run. */
  getReady(): void;
  readonly code: CodeRunner;
  readonly processes: OwnedProcessTable;
  readonly inbox: FilledInbox;
  /** Undefined: checkpoints are off. */
  readonly checkpoints?: Checkpoints;
  /** Resolves when the changes of all ended calls are recorded. */
  recorded(): Promise<void>;
  /** Clears the record of files that the model has seen, because compaction may have removed them. */
  forgetShown(): void;
  /** Called when the conversation went back: files may have a version that the model saw before. */
  wentBack(): void;
}

export interface WorkbenchDeps {
  readonly hooks: HookBus;
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly redactor: SecretRedactor;
  /** Variables that skills of the session were granted, for scripts. */
  readonly skillVariables?: ReadonlyMap<string, string>;
  /** Whether the model sees images, or gets descriptions of them. Default: yes. */
  readonly images?: () => boolean;
  /** When the session began. Undefined: calls outside of sessions. */
  readonly startedAt?: number;
  /** Undefined: there is no browser for the tools. */
  readonly browser?: Pick<LazyBrowserDeps, "browsers" | "name" | "say">;
  /** The browser of the parent session, used instead of an own one. It stays open. */
  readonly sharedBrowser?: Browser | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Disposing closes the workplace. */
export function openWorkbench(config: LoadedConfig, workplace: Workplace, deps: WorkbenchDeps): Workbench {
  const { values, home, secrets } = config;
  const { clock, log, redactor, hooks, policy, ledger } = deps;
  const { commands, recorded, commandDefaults, processes, inbox } = workplace;
  const { checkpointer, checkpoints } = recorded;
  const environment = recorded.following(commands.environment);
  const outside = recorded.following(commands.outside);
  const around = once(() => policySurroundings(config));
  const resolver = analyseCommands({
    paths: createRealPaths(commands.environment.files),
    environment: commands.environment,
    changedPlaces,
    surroundings: (request, signal) => around()(request, signal),
  });
  const spill = createSpillStore({ folder: join(home.path, homeFiles.results), maxTotalBytes: maxSpilledBytes });
  const dispatcher = createDispatcher({
    hooks,
    policy,
    ledger,
    ...(checkpointer && { checkpoints: checkpointer }),
    resolver,
    redactor: values.security.redact_secrets ? redactor : { redact: (text) => text },
    spill,
    clock,
    log,
    secrets: secrets.get,
    limits: {
      resultChars: values.tool_output.result_chars,
      turnChars: values.tool_output.turn_chars,
      timeoutMs: values.tools.timeout_s * 1000,
    },
  });
  const pictures = once(() => openPictures(config, { cwd: commands.place.cwd, clock }));
  const fileReads: FileReads = {
    ...createFileReads({
      lines: values.tool_output.max_lines,
      lineChars: values.tool_output.max_line_length,
      ...(deps.images && { images: deps.images }),
    }),
    ...(deps.startedAt !== undefined && { since: deps.startedAt }),
    writeAlone: createWriteLock(join(home.root, homeFiles.fileWrites), { clock, log }),
    home,
    prepareImage: (bytes, wish, signal) => pictures().prepare(bytes, wish, signal),
  };
  const code = lazyCode(config, {
    workspace: async () => (commands.place.backend === "local" ? (await commands.workspace()).root : undefined),
    ...(deps.skillVariables && { variables: deps.skillVariables }),
    clock,
    log,
  });
  const ownBrowser =
    deps.browser &&
    !deps.sharedBrowser &&
    lazyBrowser(config, {
      ...deps.browser,
      files: commands.outside.files,
      cwd: () => commands.place.cwd,
      redact: (text) => redactor.redact(text),
      clock,
    });
  const browser = deps.sharedBrowser ?? (ownBrowser || undefined);
  return {
    workplace,
    dispatcher,
    spill,
    browser,
    async surroundings(signal) {
      return {
        // Passes the object itself and not a copy, because its folder is read on each access.
        place: Object.assign(await workplace.place(signal), {
          unconfinedScripts: () => code.unconfined(),
          ...(browser && { openPage: browser.facts }),
        }),
        services: {
          environment,
          commandDefaults,
          processes,
          fileReads,
          code,
          ...(browser && { browser }),
          ...(checkpoints && { checkpoints }),
        },
        approvedServices: { environment: outside, processes: processes.startingIn(outside) },
      };
    },
    startShell: () => commands.environment.getReady?.(),
    getReady: once(() => {
      redactor.redact(practice);
      const effect = { kind: "exec", command: practice, cwd: commands.place.cwd, background: false } as const;
      void resolver.resolve([effect], commands.place, new AbortController().signal);
    }),
    code,
    processes,
    inbox,
    ...(checkpoints && { checkpoints }),
    recorded: recorded.settled,
    forgetShown: () => fileReads.forgetShown(),
    wentBack: () => fileReads.wentBack(),
    async [Symbol.asyncDispose]() {
      await code[Symbol.asyncDispose]();
      if (ownBrowser) await ownBrowser[Symbol.asyncDispose]();
      await workplace[Symbol.asyncDispose]();
    },
  };
}

const maxSpilledBytes = 256_000_000;
/** A sample command that is only analysed and never runs. */
const practice = "echo 1 # 2";
