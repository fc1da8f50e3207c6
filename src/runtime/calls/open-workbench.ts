import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Environment } from "../../contracts/environment/environment.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { Checkpoints } from "../../contracts/knowledge/checkpoint.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import type { CallScope, Dispatcher, Policy, EffectResolver } from "../../contracts/tool/dispatch.ts";
import type { Effect, ResolvedEffect } from "../../contracts/tool/effect.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import { createRealPaths } from "../../environments/real-paths.ts";
import { createDispatcher } from "../../kernel/dispatch/dispatcher.ts";
import { createFileReads } from "../../kernel/file-reads.ts";
import type { FilledInbox } from "../../kernel/inbox.ts";
import type { OwnedProcessTable } from "../../kernel/processes/process-table.ts";
import { createWriteAlone } from "../../kernel/write-alone.ts";
import type { Surroundings } from "../../safety/policy/surroundings.ts";
import { createSpillStore } from "../../store/spill-store.ts";
import type { SecretRedactor } from "../policy/open-redactor.ts";
import { policySurroundings } from "../policy/policy-surroundings.ts";
import type { Workplace } from "./open-workplace.ts";

/** What the calls of one session work with: the workplace, the files that it read, and the dispatcher. */
export interface Workbench extends AsyncDisposable {
  readonly workplace: Workplace;
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
  readonly hooks: HookBus;
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly redactor: SecretRedactor;
  /** Whether the model can see pictures. Default: they are shown. */
  readonly images?: boolean;
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
  return {
    workplace,
    dispatcher,
    async surroundings(signal) {
      return {
        place: await workplace.place(signal),
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
    [Symbol.asyncDispose]: () => workplace[Symbol.asyncDispose](),
  };
}

const maxSpilledBytes = 256_000_000;
/** Never run. */
const practice = "echo 1 # 2";

interface AnalysisDeps {
  readonly paths: EffectResolver;
  readonly environment: Pick<Environment, "state" | "files">;
  /** The policy judges by the same. */
  surroundings(
    request: Pick<PolicyRequest, "place" | "environment" | "effects">,
    signal: AbortSignal,
  ): Promise<Surroundings>;
}

/** Resolves paths and analyses every command, once for each shell state that it would start with. */
export function analyseCommands({ paths, environment, surroundings }: AnalysisDeps): EffectResolver {
  const load = once(() => import("../../safety/policy/commands/analysed-command.ts"));
  return {
    async resolve(declared, place, signal, earlier = []) {
      const resolved = await paths.resolve(declared, place, signal);
      if (!resolved.ok || !resolved.value.some(({ kind }) => kind === "exec")) return resolved;
      try {
        const { AnalysedCommand, startOf } = await load();
        const around = await surroundings({ place, environment, effects: resolved.value }, signal);
        const shell = await environment.state(signal);
        const analysed = (effect: Effect, index: number): ResolvedEffect => {
          if (effect.kind !== "exec") return effect;
          const { leavesNoTrace: _, ...exec } = effect;
          const start = startOf(exec.cwd, around, shell);
          const before = earlier[index];
          const reusable = before?.kind === "exec" ? before.analysis : undefined;
          const analysis =
            reusable instanceof AnalysedCommand && reusable.isFor(exec.command, start)
              ? reusable
              : new AnalysedCommand(exec.command, start, around.parse);
          const isQuiet = !exec.background && analysis.leavesNoTrace;
          return { ...exec, ...(isQuiet && { leavesNoTrace: true }), analysis };
        };
        return ok(resolved.value.map(analysed));
      } catch (thrown) {
        return err({ message: reasonOf(thrown), unavailable: true });
      }
    },
  };
}
