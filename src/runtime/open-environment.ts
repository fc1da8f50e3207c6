import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { abortable } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import { expandHome } from "../base/path.ts";
import { err, ok, type Result } from "../base/result.ts";
import { homeFiles, userFolder } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Environment, EnvironmentError, EnvironmentFactory, FileSystem } from "../contracts/environment.ts";
import type { Place } from "../contracts/tool.ts";

/** The one environment of a conversation. Its backend is fixed; it is opened by the first call that needs it. */
export interface OpenedEnvironment extends AsyncDisposable {
  readonly environment: Environment;
  /** Where the next command starts. */
  readonly place: Place;
}

export interface EnvironmentDeps {
  /** Where the program was started. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens nothing yet, loads nothing yet. An environment that could not be opened is tried again by the next call. */
export function openEnvironment(config: LoadedConfig, deps: EnvironmentDeps): OpenedEnvironment {
  const { backend } = config.values.terminal;
  const { clock } = deps;
  const closing = new AbortController();
  let cwd = startFolder(config, deps.cwd);
  let opening: Promise<Result<Environment, EnvironmentError>> | undefined;

  async function openNow(): Promise<Result<Environment, EnvironmentError>> {
    const factory = await factoryFor(config, deps, cwd);
    const opened = factory.ok ? await factory.value.open({ taskId: "default" }, closing.signal) : factory;
    if (!opened.ok) opening = undefined;
    return opened;
  }

  /** One call's interrupt does not end what others wait for. */
  async function open(signal: AbortSignal): Promise<Result<Environment, EnvironmentError>> {
    if (closing.signal.aborted) return err({ kind: "unreachable", message: "the environment was closed" });
    try {
      return await abortable((opening ??= openNow()), signal);
    } catch (thrown) {
      if (signal.aborted) return err({ kind: "unreachable", message: "interrupted" });
      throw thrown;
    }
  }

  const environment: Environment = {
    kind: backend,
    files: lazyFiles(open),
    async state(signal) {
      const opened = await open(signal);
      if (!opened.ok) throw new Error(opened.error.message);
      return opened.value.state(signal);
    },
    async exec(command, options) {
      const askedAt = clock.elapsed();
      const opened = await open(options.signal);
      if (!opened.ok) return opened;
      const openedMs = clock.elapsed() - askedAt;
      const ran = await opened.value.exec(command, options);
      if (!ran.ok) return ran;
      cwd = ran.value.cwd;
      return ok({ ...ran.value, waitedMs: ran.value.waitedMs + openedMs });
    },
    async spawn(command, options, signal) {
      const opened = await open(signal);
      return opened.ok ? opened.value.spawn(command, options, signal) : opened;
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the environment was closed"));
      const opened = await opening;
      if (opened?.ok) await opened.value[Symbol.asyncDispose]();
    },
  };
  return {
    environment,
    get place() {
      return { cwd, backend };
    },
    [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose](),
  };
}

type Open = (signal: AbortSignal) => Promise<Result<Environment, EnvironmentError>>;

function lazyFiles(open: Open): FileSystem {
  async function files(signal: AbortSignal) {
    const opened = await open(signal);
    if (opened.ok) return ok(opened.value.files);
    const { message, hint } = opened.error;
    const kind = signal.aborted ? ("aborted" as const) : ("failed" as const);
    return err({ kind, message: hint === undefined ? message : `${message}. ${hint}` });
  }
  return {
    async read(path, signal, range) {
      const found = await files(signal);
      return found.ok ? found.value.read(path, signal, range) : found;
    },
    async write(path, bytes, signal) {
      const found = await files(signal);
      return found.ok ? found.value.write(path, bytes, signal) : found;
    },
    async list(path, signal) {
      const found = await files(signal);
      return found.ok ? found.value.list(path, signal) : found;
    },
    async stat(path, signal) {
      const found = await files(signal);
      return found.ok ? found.value.stat(path, signal) : found;
    },
    async delete(path, signal) {
      const found = await files(signal);
      return found.ok ? found.value.delete(path, signal) : found;
    },
    async move(from, to, signal) {
      const found = await files(signal);
      return found.ok ? found.value.move(from, to, signal) : found;
    },
    async realPath(path, signal) {
      const found = await files(signal);
      return found.ok ? found.value.realPath(path, signal) : found;
    },
  };
}

async function factoryFor(
  { values, env, secrets, home }: LoadedConfig,
  { clock, log }: EnvironmentDeps,
  cwd: string,
): Promise<Result<EnvironmentFactory, EnvironmentError>> {
  const { backend, env_passthrough: passthrough, shell_init_files: named, auto_source_bashrc } = values.terminal;
  if (backend !== "local") return err(notOffered(backend));
  const { createLocalFactory } = await import("../environments/local/local-environment.ts");
  const { usualLimits } = await import("../environments/local/captured-output.ts");
  const initFiles = named.map((file) => resolve(userFolder(env), expandHome(file, userFolder(env))));
  const { max_bytes } = values.tool_output;
  const headBytes = Math.floor(max_bytes * headShare);
  // What the user lists may stand in the home's `.env` alone.
  const listed = passthrough.map((name) => [name, secrets.get(name)] as const);
  return ok(
    createLocalFactory({
      env: { ...env, ...Object.fromEntries(listed) },
      passthrough,
      cwd,
      tempFolder: tmpdir(),
      spillFolder: join(home.path, homeFiles.outputs),
      outputLimits: { ...usualLimits, headBytes, tailBytes: max_bytes - headBytes },
      ...((named.length > 0 || !auto_source_bashrc) && { initFiles }),
      clock,
      log,
    }),
  );
}

/** Of the output that is shown; the end says more often what went wrong. */
const headShare = 0.4;

function notOffered(backend: string): EnvironmentError {
  const isGone = backend === "vercel_sandbox";
  return {
    kind: "misconfigured",
    message: `terminal.backend is ${backend}, which ${isGone ? "Hermes does not offer" : "is not in this version"}`,
    hint:
      "Nothing is run elsewhere instead. `hermes config set terminal.backend local` runs commands on this machine" +
      (isGone ? "; docker, ssh, singularity, modal and daytona are to come." : "."),
  };
}

function startFolder({ values, env }: LoadedConfig, cwd: string): string {
  const asked = values.terminal.cwd.trim();
  return ["", ".", "auto", "cwd"].includes(asked) ? cwd : resolve(cwd, expandHome(asked, userFolder(env)));
}
