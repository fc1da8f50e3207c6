import { basename, join } from "node:path";

import { abortable } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { createNamedList, type NamedList } from "../../base/named-list.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type {
  Environment,
  EnvironmentError,
  ExecOptions,
  FileSystem,
  CreatedEnvironment,
} from "../../contracts/environment/environment.ts";
import type { EnvironmentContribution } from "../../contracts/plugin/plugin.ts";
import type { ProtectedFolder } from "../../contracts/session/child-place.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import { protectFolders, protectionReason } from "../../environments/protect-folders.ts";
import type { Supervisor } from "../../environments/supervisor/supervisor.ts";
import { trustedSearchPath } from "../../environments/trusted-search-path.ts";
import { type Workspace, workspaceOf } from "../../environments/workspace.ts";
import { type BackendDeps, backendOf, builtinEnvironments, remoteStartFolder, startFolder } from "./backends.ts";
import type { CredentialFile } from "./credential-files.ts";
import { openIsolation } from "./open-isolation.ts";

/** The environment of a session. Its backend is fixed; it is opened by the first call that needs it. */
export interface OpenedEnvironment extends AsyncDisposable {
  readonly environment: Environment;
  /** The same environment without a sandbox, for calls that a person approved. */
  readonly outside: Environment;
  /** The folder in which the next command starts. */
  readonly place: Place;
  /** The project folder, determined once, where the session started. */
  workspace(): Promise<Workspace>;
  /** Whether commands without a person's approval are sandboxed. */
  confinement(signal: AbortSignal): Promise<Pick<Place, "isolated" | "unconfined">>;
}

export interface EnvironmentDeps {
  /** The folder in which the program was started. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default: the built-in ones. */
  readonly environments?: Pick<NamedList<EnvironmentContribution>, "find">;
  /** Files of the home that skills of the session need; the list may grow. Default: none. */
  readonly skillFiles?: () => readonly CredentialFile[];
  /** Default: determined by the folder where the session starts. */
  readonly workspace?: () => Promise<Workspace>;
  /** Default: none. */
  readonly untouched?: readonly ProtectedFolder[];
  /** Messages for the user while a backend starts, one sentence each. */
  readonly say?: (message: string) => void;
}

/** Settings that differ for one task. The code that starts the task sets them, never the model. */
export interface TaskOverrides {
  /** Containers are separate for each task id. */
  readonly taskId?: string;
  readonly backend?: string;
  readonly cwd?: string;
  readonly image?: string;
}

/** Returns an environment that is opened and loaded by its first use. If opening fails, the next call tries again. */
export function openEnvironment(
  config: LoadedConfig,
  deps: EnvironmentDeps,
  task: TaskOverrides = {},
): OpenedEnvironment {
  const backend = task.backend ?? backendOf(config);
  const { clock, log, say = () => {}, skillFiles = () => [], untouched = [] } = deps;
  const { environments = createNamedList(builtinEnvironments(config)) } = deps;
  const closing = new AbortController();
  const supervisor = openSupervisor(config.home.path, { searchPath: config.env["PATH"], clock, log });
  let cwd = task.cwd ?? (backend === "local" ? startFolder(config, deps.cwd) : (remoteStartFolder(config) ?? "~"));
  const start = cwd;
  const workspace = deps.workspace ?? once(() => workspaceOf(start, userFolder(config.env)));
  const isolation = openIsolation(
    config,
    workspace,
    skillFiles,
    untouched.map(({ path }) => path),
  );
  let opening: Promise<Result<CreatedEnvironment, EnvironmentError>> | undefined;
  /** Set when it is open, because waiting for the promise with a signal costs more than most file operations. */
  let ready: Result<CreatedEnvironment, never> | undefined;

  async function openNow(): Promise<Result<CreatedEnvironment, EnvironmentError>> {
    const contribution = environments.find(backend);
    if (!contribution) return err(notLoaded(backend));
    const context: BackendDeps = {
      startedIn: deps.cwd,
      supervisor,
      isolation: isolation.state,
      skillFiles,
      searchPath: trustedSearchPath(config.env["PATH"], (await workspace()).root),
      clock,
      log,
      say,
    };
    const factory = await contribution.open(context);
    const { taskId = "default", cwd: start, image } = task;
    const request = { taskId, ...(start !== undefined && { cwd: start }), ...(image !== undefined && { image }) };
    const opened = factory.ok ? await factory.value.open(request, closing.signal) : factory;
    if (opened.ok) ready = opened;
    else opening = undefined;
    return opened;
  }

  /** An interrupt of one call does not affect other waiters. */
  async function open(signal: AbortSignal): Promise<Result<CreatedEnvironment, EnvironmentError>> {
    if (closing.signal.aborted) return err({ kind: "unreachable", message: "the environment was closed" });
    if (ready && !signal.aborted) return ready;
    try {
      return await abortable((opening ??= openNow()), signal);
    } catch (thrown) {
      if (signal.aborted) return err({ kind: "unreachable", message: "interrupted" });
      throw thrown;
    }
  }

  const files = untouched.length > 0 ? protectFolders(lazyFiles(open), untouched) : lazyFiles(open);
  const close = once(async () => {
    closing.abort(new Error("the environment was closed"));
    const opened = await opening;
    if (opened?.ok) await opened.value[Symbol.asyncDispose]();
    await supervisor[Symbol.asyncDispose]();
  });

  /**
   * Refuses changes of protected folders that the analysis detects, for commands without a sandbox; the sandbox itself
   * refuses them too.
   */
  function spared({ changesOnly = [] }: Pick<ExecOptions, "changesOnly">): Result<never, EnvironmentError> | undefined {
    const reasons = changesOnly.flatMap((path) => protectionReason(path.replace(/(?<=.)\/$/u, ""), untouched) ?? []);
    return reasons[0] === undefined ? undefined : err({ kind: "refused", message: reasons[0] });
  }

  function seenAs(part: (opened: CreatedEnvironment) => Environment): Environment {
    return {
      kind: backend,
      files,
      getReady() {
        // Only on this machine: on other backends it would start a machine or a connection.
        if (backend !== "local") return;
        open(closing.signal).then(
          (opened) => opened.ok && part(opened.value).getReady?.(),
          () => {},
        );
      },
      async state(signal) {
        const opened = await open(signal);
        if (!opened.ok) throw new Error(opened.error.message);
        return opened.value.state(signal);
      },
      async exec(command, options) {
        const refusal = spared(options);
        if (refusal) return refusal;
        const askedAt = clock.elapsed();
        const opened = await open(options.signal);
        if (!opened.ok) return opened;
        const openedMs = clock.elapsed() - askedAt;
        const ran = await part(opened.value).exec(command, options);
        if (!ran.ok) return ran;
        cwd = ran.value.cwd;
        return ok({ ...ran.value, waitedMs: ran.value.waitedMs + openedMs });
      },
      async spawn(command, options, signal) {
        const refusal = spared(options);
        if (refusal) return refusal;
        const opened = await open(signal);
        return opened.ok ? part(opened.value).spawn(command, options, signal) : opened;
      },
      async processes(signal) {
        const opened = await open(signal);
        return opened.ok ? opened.value.processes(signal) : opened;
      },
      [Symbol.asyncDispose]: close,
    };
  }

  return {
    environment: seenAs((opened) => opened),
    outside: seenAs((opened) => opened.outside ?? opened),
    get place() {
      return { cwd, backend };
    },
    workspace,
    async confinement(signal) {
      if (backend !== "local") return { isolated: false };
      const state = await isolation.state(signal);
      const isWanted = state.mode === "off" && state.hint !== undefined;
      return { isolated: state.mode !== "off", ...(isWanted && { unconfined: state.why }) };
    },
    [Symbol.asyncDispose]: close,
  };
}

function notLoaded(backend: string): EnvironmentError {
  const message = `terminal.backend is ${backend}, and no environment of that name is loaded`;
  return { kind: "misconfigured", message, hint: "Hermes does not run commands elsewhere instead." };
}

type Open = (signal: AbortSignal) => Promise<Result<Environment, EnvironmentError>>;

function lazyFiles(open: Open): FileSystem {
  async function files(signal: AbortSignal) {
    const opened = await open(signal);
    if (opened.ok) return ok(opened.value.files);
    const { message, hint } = opened.error;
    const kind = signal.aborted ? ("aborted" as const) : ("unreachable" as const);
    return err({ kind, message: hint === undefined ? message : `${message}. ${hint}` });
  }
  return {
    async read(path, signal, range) {
      const match = await files(signal);
      return match.ok ? match.value.read(path, signal, range) : match;
    },
    async write(path, bytes, signal) {
      const match = await files(signal);
      return match.ok ? match.value.write(path, bytes, signal) : match;
    },
    async list(path, signal) {
      const match = await files(signal);
      return match.ok ? match.value.list(path, signal) : match;
    },
    async stat(path, signal) {
      const match = await files(signal);
      return match.ok ? match.value.stat(path, signal) : match;
    },
    async delete(path, signal) {
      const match = await files(signal);
      return match.ok ? match.value.delete(path, signal) : match;
    },
    async move(from, to, signal) {
      const match = await files(signal);
      return match.ok ? match.value.move(from, to, signal) : match;
    },
    async realPath(path, signal) {
      const match = await files(signal);
      return match.ok ? match.value.realPath(path, signal) : match;
    },
  };
}

/** The home's supervisor of background processes. The first use loads its code. */
function openSupervisor(
  home: string,
  deps: { readonly searchPath: string | undefined; readonly clock: Clock; readonly log: Logger },
): Supervisor & AsyncDisposable {
  let isLoaded = false;
  const { searchPath, clock, log } = deps;
  const load = once(async () => {
    isLoaded = true;
    const { createSupervisor } = await import("../../environments/supervisor/create-supervisor.ts");
    return createSupervisor({ home, entry: entryFile(), clock, log, ...(searchPath !== undefined && { searchPath }) });
  });
  return {
    start: async (start, signal) => (await load()).start(start, signal),
    list: async (...args) => (await load()).list(...args),
    async [Symbol.asyncDispose]() {
      if (isLoaded) await (await load())[Symbol.asyncDispose]();
    },
  };
}

/** The entry file of the supervisor: in `bin` when running from source, in the bundle next to this file. */
function entryFile(): string {
  const { filename, dirname } = import.meta;
  if (filename.endsWith(".ts")) return join(dirname, "..", "..", "bin", "supervisor.ts");
  return join(dirname, basename(dirname) === "chunks" ? ".." : ".", "supervisor.js");
}
