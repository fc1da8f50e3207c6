import { accessSync, constants } from "node:fs";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { makeFolder, makeFolderSync } from "../../base/files/make-folder.ts";
import { expandHome } from "../../base/files/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { EnvironmentError, EnvironmentFactory } from "../../contracts/environment/environment.ts";
import type { EnvironmentContext, EnvironmentContribution } from "../../contracts/plugin/plugin.ts";
import type { IsolationState } from "../../contracts/safety/isolation.ts";
import type { OutputLimits } from "../../environments/output/captured-output.ts";
import type { Link } from "../../environments/remote/link.ts";
import type { SyncedTree } from "../../environments/remote/sync/local-files-to-sync.ts";
import type { Supervisor } from "../../environments/supervisor/supervisor.ts";
import { type CredentialFile, credentialFiles } from "./credential-files.ts";

type BackendName = Exclude<LoadedConfig["values"]["terminal"]["backend"], "plugin">;

/** The environment that the settings select, by its name. */
export function backendOf({ values: { terminal } }: LoadedConfig): string {
  return terminal.backend === "plugin" ? terminal.plugin_environment || "plugin" : terminal.backend;
}

/** Inputs of the built-in environments. */
export interface BackendDeps extends EnvironmentContext {
  readonly supervisor: Supervisor;
  /** The sandbox for local commands that no person approved. */
  readonly isolation: (signal: AbortSignal) => Promise<IsolationState>;
  /** Files that skills of the session need. The list may grow. */
  readonly skillFiles: () => readonly CredentialFile[];
  /** PATH for the programs that start local commands. */
  readonly searchPath: string;
}

/** The built-in environments, configured by the settings. */
export function builtinEnvironments(config: LoadedConfig): readonly EnvironmentContribution[] {
  return Object.entries(makers).map(([name, make]) => ({ name, open: (deps: BackendDeps) => make(config, deps) }));
}

/** An environment that is based on a link alone, such as one of a plugin. */
export function linkedEnvironment(config: LoadedConfig, name: string, link: () => Link): EnvironmentContribution {
  return {
    name,
    async open(deps: BackendDeps) {
      const { createRemoteEnvironment } = await import("../../environments/remote/remote-environment.ts");
      const common = { ...(await elsewhere(config, deps)), targetName: name };
      return ok({
        kind: name,
        open: async ({ cwd = remoteStartFolder(config) ?? "~" }, signal) =>
          createRemoteEnvironment(link(), { ...common, cwd }, signal),
      });
    },
  };
}

type Maker = (config: LoadedConfig, deps: BackendDeps) => Promise<Result<EnvironmentFactory, EnvironmentError>>;

const makers: Readonly<Record<BackendName, Maker>> = {
  vercel_sandbox: async () => err(notOffered),

  async local(config, deps) {
    const { createLocalFactory } = await import("../../environments/local/local-environment.ts");
    const { values, env, secrets } = config;
    const { env_passthrough: passthrough } = values.terminal;
    // Also looks in the home's `.env`, because a listed variable may be set only there.
    const listed = passthrough.map((each) => [each, secrets.get(each)] as const);
    const { clock, log, supervisor, say, isolation, searchPath } = deps;
    return ok(
      createLocalFactory({
        ...(await outputOf(config)),
        ...initFilesOf(config, true),
        env: { ...env, ...Object.fromEntries(listed) },
        passthrough,
        cwd: startFolder(config, deps.startedIn),
        tempFolder: folderOutOfReach(config.home.path),
        searchPath,
        supervisor,
        isolation,
        say,
        clock,
        log,
      }),
    );
  },

  async ssh(config, deps) {
    const synced = syncedTrees(config, deps);
    if (!synced.ok) return synced;
    const { createSshFactory } = await import("../../environments/ssh/ssh-environment.ts");
    const { terminal } = config.values;
    const { ssh_host: host, ssh_user: user, ssh_port, ssh_key, ssh_host_keys: hostKeys, ssh_known_hosts } = terminal;
    const file = (path: string) => resolve(userFolder(config.env), expandHome(path, userFolder(config.env)));
    return ok(
      createSshFactory({
        ...(await elsewhere(config, deps)),
        syncedTrees: synced.value,
        cwd: remoteStartFolder(config) ?? "~",
        target: {
          host,
          hostKeys,
          ...(user !== "" && { user }),
          ...(config.origins.get("terminal.ssh_port")?.from !== "default" && { port: ssh_port }),
          ...(ssh_key !== "" && { keyFile: file(ssh_key) }),
          ...(ssh_known_hosts !== "" && { knownHostsFile: file(ssh_known_hosts) }),
        },
        clientEnv: config.env,
        tempFolder: folderOutOfReach(config.home.path),
      }),
    );
  },

  async docker(config, deps) {
    const mounted = await readOnlyMounts(config);
    if (!mounted.ok) return mounted;
    const { createDockerFactory } = await import("../../environments/docker/docker-environment.ts");
    const { terminal } = config.values;
    const forwarded = valuesOf(config, terminal.docker_forward_env);
    const { env, ...common } = await elsewhere(config, deps);
    const cwd = remoteStartFolder(config);
    return ok(
      createDockerFactory({
        ...common,
        syncedTrees: () => credentialTrees(config, deps.skillFiles()),
        ...(cwd !== undefined && { cwd }),
        home: config.home.path,
        profile: config.home.profile,
        env: { ...env, ...forwarded, ...terminal.docker_env },
        clientEnv: config.env,
        binary: terminal.docker_binary,
        isHostUser: terminal.docker_run_as_host_user,
        hasReaper: terminal.docker_orphan_reaper,
        ...sharing(config),
        onProgress: deps.say,
        settings: {
          image: terminal.docker_image,
          cpus: terminal.container_cpu,
          memoryMb: terminal.container_memory,
          diskMb: terminal.container_disk,
          isPersistent: terminal.container_persistent,
          isKeptAcrossPrograms: terminal.docker_persist_across_processes,
          sandboxFolder: sandboxFolder(config),
          volumes: terminal.docker_volumes,
          extraArgs: terminal.docker_extra_args,
          ...(terminal.docker_mount_cwd_to_workspace && { workspace: deps.startedIn }),
          readOnly: mounted.value,
          hasNetwork: terminal.docker_network,
          shmSize: terminal.docker_shm_size,
          lifetimeMs: terminal.lifetime_seconds * 1000,
        },
      }),
    );
  },

  async singularity(config, deps) {
    const mounted = await readOnlyMounts(config);
    if (!mounted.ok) return mounted;
    const { createSingularityFactory } = await import("../../environments/singularity/singularity-environment.ts");
    const { terminal } = config.values;
    const cwd = remoteStartFolder(config);
    return ok(
      createSingularityFactory({
        ...(await elsewhere(config, deps)),
        syncedTrees: () => credentialTrees(config, deps.skillFiles()),
        ...(cwd !== undefined && { cwd }),
        home: config.home.path,
        clientEnv: config.env,
        image: terminal.singularity_image,
        settings: {
          cpus: terminal.container_cpu,
          memoryMb: terminal.container_memory,
          readOnly: mounted.value,
        },
        isPersistent: terminal.container_persistent,
        sandboxFolder: sandboxFolder(config),
        scratchFolder: terminal.scratch_dir,
        ...sharing(config),
        onProgress: deps.say,
      }),
    );
  },

  async modal(config, deps) {
    const synced = syncedTrees(config, deps);
    if (!synced.ok) return synced;
    const { createModalFactory } = await import("../../environments/modal/modal-environment.ts");
    const { terminal } = config.values;
    const [tokenId, tokenSecret] = [config.secrets.get("MODAL_TOKEN_ID"), config.secrets.get("MODAL_TOKEN_SECRET")];
    const cwd = remoteStartFolder(config);
    return ok(
      createModalFactory({
        ...(await elsewhere(config, deps)),
        syncedTrees: synced.value,
        ...(cwd !== undefined && { cwd }),
        ...(tokenId !== undefined && { tokenId }),
        ...(tokenSecret !== undefined && { tokenSecret }),
        mode: terminal.modal_mode,
        image: terminal.modal_image,
        cpu: terminal.container_cpu,
        memoryMb: terminal.container_memory,
        isPersistent: terminal.container_persistent,
        snapshotFile: join(config.home.path, "modal_snapshots.json"),
      }),
    );
  },

  async daytona(config, deps) {
    const synced = syncedTrees(config, deps);
    if (!synced.ok) return synced;
    const [{ createDaytonaFactory }, { openHttp }] = await Promise.all([
      import("../../environments/daytona/daytona-environment.ts"),
      import("../open-http.ts"),
    ]);
    const { terminal } = config.values;
    const organization = config.secrets.get("DAYTONA_ORGANIZATION_ID");
    const cwd = remoteStartFolder(config);
    return ok(
      createDaytonaFactory({
        ...(await elsewhere(config, deps)),
        syncedTrees: synced.value,
        ...(cwd !== undefined && { cwd }),
        apiKey: config.secrets.get("DAYTONA_API_KEY") ?? "",
        http: openHttp(config, deps.clock),
        apiUrl: terminal.daytona_api_url,
        ...(organization !== undefined && { organization }),
        image: terminal.daytona_image,
        cpu: terminal.container_cpu,
        memoryMb: terminal.container_memory,
        diskMb: terminal.container_disk,
        isPersistent: terminal.container_persistent,
      }),
    );
  },
};

/**
 * The folder for scripts of our shells and sockets of connections: in the home, where no sandboxed program can write.
 * In the temporary folder, a program that outlives Hermes could replace them. Falls back to the temporary folder if the
 * home is read-only.
 */
function folderOutOfReach(home: string): string {
  try {
    makeFolderSync(home, 0o700);
    accessSync(home, constants.W_OK);
    return home;
  } catch {
    return tmpdir();
  }
}

/** The folder in which local commands start. */
export function startFolder(config: LoadedConfig, startedIn: string): string {
  const request = remoteStartFolder(config);
  return request === undefined ? startedIn : resolve(startedIn, expandHome(request, userFolder(config.env)));
}

/** The folder in which remote commands start. Undefined: the backend decides. `~` is the home on the remote machine. */
export function remoteStartFolder({ values }: LoadedConfig): string | undefined {
  const request = values.terminal.cwd.trim();
  return ["", ".", "auto", "cwd"].includes(request) ? undefined : request;
}

/** Inputs of every remote backend. */
async function elsewhere(config: LoadedConfig, { supervisor, clock, log, say }: BackendDeps) {
  const { env_passthrough: passthrough } = config.values.terminal;
  return {
    ...(await outputOf(config)),
    ...initFilesOf(config, false),
    homeId: sha256(config.home.path).slice(0, 12),
    env: valuesOf(config, passthrough),
    passthrough,
    supervisor,
    clock,
    log,
    say,
  };
}

/** Mounts for containers. Files that a skill needs later are copied instead. */
async function readOnlyMounts(
  config: LoadedConfig,
): Promise<Result<readonly { readonly from: string; readonly to: string }[], EnvironmentError>> {
  const files = credentialFiles(config);
  if (!files.ok) return files;
  const library = join(config.home.path, homeFiles.skills);
  // Creates the folder now: if it appeared later, the plan would change and the container would be replaced.
  await makeFolder(library, 0o700).catch(() => undefined);
  const skills = await realpath(library).catch(() => undefined);
  return ok([
    ...files.value.map(({ real, name }) => ({ from: real, to: `/root/.hermes/${name}` })),
    ...(skills === undefined ? [] : [{ from: skills, to: `/root/.hermes/${homeFiles.skills}` }]),
  ]);
}

/** Files that are copied below `~/.hermes` on the backend: credential files, read-only, and the skills. */
function syncedTrees(
  config: LoadedConfig,
  { skillFiles }: BackendDeps,
): Result<() => readonly SyncedTree[], EnvironmentError> {
  const files = credentialFiles(config);
  if (!files.ok) return files;
  const skills = join(config.home.path, homeFiles.skills);
  return ok(() => [
    ...credentialTrees(config, [...files.value, ...skillFiles()]),
    { from: skills, to: homeFiles.skills, within: skills, isReadOnly: false },
  ]);
}

function credentialTrees({ home }: LoadedConfig, files: readonly CredentialFile[]): readonly SyncedTree[] {
  return files.map(({ name, real }) => ({ from: real, to: name, within: home.path, isReadOnly: true }));
}

/** Fraction of the shown output for its beginning; the end more often contains the error. */
const headShare = 0.4;

async function outputOf({
  values,
  home,
}: LoadedConfig): Promise<{ readonly spillFolder: string; readonly outputLimits: OutputLimits }> {
  const { defaultOutputLimits } = await import("../../environments/output/captured-output.ts");
  const { max_bytes } = values.tool_output;
  const headBytes = Math.floor(max_bytes * headShare);
  return {
    spillFolder: join(home.path, homeFiles.outputs),
    outputLimits: { ...defaultOutputLimits, headBytes, tailBytes: max_bytes - headBytes },
  };
}

function initFilesOf({ values, env }: LoadedConfig, isHere: boolean): { readonly initFiles?: readonly string[] } {
  const { shell_init_files: named, auto_source_bashrc } = values.terminal;
  if (named.length === 0 && auto_source_bashrc) return {};
  const home = userFolder(env);
  return { initFiles: isHere ? named.map((file) => resolve(home, expandHome(file, home))) : named };
}

/** The variables of these names that are set here or in the home's `.env`. */
function valuesOf({ secrets }: LoadedConfig, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = secrets.get(name);
      return value === undefined || !/^[A-Za-z_]\w*$/u.test(name) ? [] : [[name, value]];
    }),
  );
}

export function sandboxFolder({ values, home, env }: LoadedConfig): string {
  const { sandbox_dir } = values.terminal;
  return sandbox_dir === ""
    ? join(home.path, "sandboxes")
    : resolve(home.path, expandHome(sandbox_dir, userFolder(env)));
}

function sharing({ values }: LoadedConfig): { readonly shareKey?: string } {
  return values.terminal.container_shared ? { shareKey: "shared" } : {};
}

const notOffered: EnvironmentError = {
  kind: "misconfigured",
  message: "terminal.backend is vercel_sandbox, which Hermes does not offer",
  hint:
    "Hermes does not run commands elsewhere instead. Choose local, docker, ssh, singularity, modal or daytona: " +
    "`hermes config set terminal.backend docker`.",
};
