import { lstatSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { isInside } from "../../base/files/path.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { scriptVariables } from "../../code/run/script-environment.ts";
import type { ScriptProcess, ScriptStart, StartScript } from "../../code/run/script-process.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { CodeRunLanguage } from "../../contracts/code/code-run.ts";
import { codeVariables } from "../../contracts/code/wire.ts";
import { watchData } from "../../plugins/process/watch-data.ts";
import { descendantsOf, treeMemory, watchUsage } from "../../plugins/process/watch-usage.ts";
import { createKeyFiles } from "../../safety/key-files.ts";
import { limited, type PluginProgram } from "../../safety/plugin-sandbox.ts";
import type { findSandbox } from "../environment/find-sandbox.ts";
import {
  confinedStarter,
  type PreparedProgram,
  type ProcessPlace,
  runFiles,
  type SandboxFault,
} from "../environment/start-confined.ts";
import type { Interpreters } from "./find-interpreters.ts";

export interface ScriptStarterDeps {
  readonly interpreters: Interpreters;
  /** The folder that scripts may read. Undefined: none. */
  readonly workspace: () => Promise<string | undefined>;
  readonly sandbox: () => ReturnType<typeof findSandbox>;
  /** Variables that were granted to skills of the session. The list may grow. */
  readonly variables?: ReadonlyMap<string, string>;
  readonly clock: Clock;
}

/** Starts script processes, each in its own sandbox that contains only its files, its socket and the workspace. */
export function scriptStarter(config: LoadedConfig, deps: ScriptStarterDeps): StartScript {
  const { values } = config;
  const { max_memory_mb, max_processes, max_disk_mb } = values.code_execution;
  const { clock, sandbox } = deps;
  const keyFiles = createKeyFiles(clock);
  const diskText = `stored more than ${max_disk_mb} MB in its temporary folder (code_execution.max_disk_mb)`;
  const usageText = (reason: string) =>
    reason.includes("memory")
      ? `used more than ${max_memory_mb} MB of memory (code_execution.max_memory_mb)`
      : `started more than ${max_processes} processes (code_execution.max_processes)`;
  const starter = once(async () => {
    const workspace = await deps.workspace();
    return confinedStarter(config, { clock, workspace, folder: socketFolder(), kind: "code", sandbox });
  });

  /** The workspace that scripts see, with the keys to hide there. */
  async function shownWorkspace(): Promise<ShownWorkspace> {
    const root = values.code_execution.mode === "project" ? await deps.workspace() : undefined;
    if (root === undefined) return {};
    const keys = await keyFiles.in(root);
    return keys === undefined ? { fault: tooManyFiles } : { root, keys };
  }

  async function program(
    start: ScriptStart,
    place: ProcessPlace,
    { root, keys = [] }: ShownWorkspace,
  ): Promise<Result<PluginProgram, string>> {
    const interpreter = await deps.interpreters.find(start.language);
    if (!interpreter.ok) return interpreter;
    const { folder, hasMounts } = place;
    const [files, temp] = [join(folder, "files"), join(folder, runFiles.temp)];
    for (const each of [files, temp]) mkdirSync(each, { mode: 0o700 });
    for (const [name, text] of Object.entries(start.files)) writeFileSync(join(files, name), text, { mode: 0o400 });
    const address = await start.listen(join(files, socketName));
    const [seenFiles, seenTemp] = hasMounts ? [filesInSandbox, "/tmp"] : [files, temp];
    const cwd = valueOr(() => realpathSync(start.cwd), start.cwd);
    const isInWorkspace = root !== undefined && isInside(root, cwd);
    const { program: path, folders } = interpreter.value;
    const own = scriptVariables(config.env, values.terminal.env_passthrough, deps.variables);
    const timezone = config.env["HERMES_TIMEZONE"];
    return ok({
      program: path,
      args: start.args(seenFiles),
      cwd: isInWorkspace ? cwd : seenTemp,
      env: {
        ...own,
        ...(timezone !== undefined && { TZ: timezone }),
        ...(start.language === "python" && pythonVariables),
        TMPDIR: seenTemp,
        [codeVariables.socket]: address?.startsWith("tcp:") ? address : join(seenFiles, socketName),
        [codeVariables.token]: start.token,
      },
      readable: [path, ...folders, ...(hasMounts ? [] : [files])],
      writable: hasMounts ? [] : [temp],
      granted: { read: root === undefined ? [] : [root], write: [] },
      hidden: keys,
      placed: [
        { path: "/tmp", from: temp, how: "write" },
        { path: filesInSandbox, from: files, how: "read" },
      ],
      exec: true,
      isSecondProcess: true,
      ...(!hasMounts && { ownSocket: join(files, socketName) }),
      maxMemoryBytes: max_memory_mb * 2 ** 20 + reservedBytes[start.language],
      maxFileBytes: max_disk_mb * 2 ** 20,
    });
  }

  return async (start) => {
    let temp = "";
    const workspace = await shownWorkspace();
    const hidden = identities(workspace);
    const started = await (
      await starter()
    )({
      program(place) {
        temp = join(place.folder, runFiles.temp);
        return program(start, place, workspace);
      },
      net: [],
      isOffline: true,
      onRefusedHost() {},
      withoutSandbox: unconfined,
      pipes: [],
    });
    if (!started.ok) return err(started.error);
    const { pid, stdin, stdout, stderr, exited, signal, end, hasOwnProcesses, weakness } = started.value;
    const weak = weakness ?? workspace.fault;
    const limits = {
      maxMemoryBytes: max_memory_mb * 2 ** 20,
      maxProcesses: (hasOwnProcesses ? sandboxProcesses : 0) + max_processes,
    };
    const pids = () => descendantsOf(pid, limits.maxProcesses);
    const data = { folders: [temp], maxBytes: max_disk_mb * 2 ** 20, periodMs: 100, maxPauseMs: 1_000, pids };
    const watches = [
      watchUsage(
        { pid, limits },
        { clock, isIdle: start.isIdle ?? (() => false), onExcess: (reason) => start.onExcess(usageText(reason)) },
      ),
      watchData(data, { clock, onExcess: () => start.onExcess(diskText) }),
    ];
    const stop = once(() => watches.forEach((watch) => watch[Symbol.dispose]()));
    void exited.then(stop);
    return ok<ScriptProcess>({
      pid,
      stdin,
      stdout,
      stderr,
      exited,
      signal,
      memoryBytes: () => treeMemory(pid),
      async kill() {
        stop();
        await end();
      },
      async hidesKeys() {
        const now = new Set(identities(await shownWorkspace()));
        return workspace.root === undefined || (now.size === hidden.length && hidden.every((key) => now.has(key)));
      },
      ...(weak !== undefined && { weakness: weak }),
    });
  };
}

/**
 * Key files with their identity (inode). A file that is replaced loses the mount that hides it, so the identity is
 * checked.
 */
function identities({ keys = [] }: ShownWorkspace): readonly string[] {
  return keys.map((path) => {
    const stat = valueOr(() => lstatSync(path), undefined);
    return `${stat?.dev}:${stat?.ino}:${path}`;
  });
}

interface ShownWorkspace {
  /** Undefined: scripts have no access to a workspace. */
  readonly root?: string;
  readonly keys?: readonly string[];
  /** A sentence that says why scripts do not see the workspace. */
  readonly fault?: string;
}

const tooManyFiles =
  "The workspace has too many files to search it for keys, so the script could not open its files. Read them with read_file.";

const socketName = "rpc.sock";
/** The path at which a sandbox with mounts shows the files of a script. */
const filesInSandbox = "/run/hermes";
/** The program of the sandbox and its first process. */
const sandboxProcesses = 2;

/** Extra address space that an interpreter reserves and hardly uses. The used memory is limited separately. */
const reservedBytes: Readonly<Record<CodeRunLanguage, number>> = { python: 0, typescript: 768 * 2 ** 20 };

/** Maximum length of a socket path, which is about a hundred bytes. */
function socketFolder(): string {
  const folder = tmpdir();
  return folder.length <= maxFolderChars ? folder : "/tmp";
}

const maxFolderChars = 48;

const pythonVariables = { PYTHONDONTWRITEBYTECODE: "1", PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" } as const;

function unconfined(program: PluginProgram, { message }: SandboxFault): Result<PreparedProgram, string> {
  const weakness = `The script ran without a sandbox, because ${message}. It had all rights of the user.`;
  const { env } = program;
  const run = process.platform === "win32" ? program : limited(program, program.program, program.args);
  return ok({
    program: run.program,
    args: run.args,
    env,
    hasProxy: false,
    hasOwnProcesses: false,
    weakness,
    isUnconfined: true,
  });
}
