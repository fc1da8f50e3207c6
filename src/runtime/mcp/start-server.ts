import { resolve } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { type ChildProgram, createChildStarter } from "../../base/process/child-program.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { runMarker } from "../../environments/child-environment.ts";
import { createLimitMarker } from "../../environments/local/limit-marker.ts";
import { createMachineProcesses } from "../../environments/local/machine-processes.ts";
import { processTree } from "../../environments/local/process-tree.ts";
import { trustedSearchPath } from "../../environments/trusted-search-path.ts";
import type { StartMcpProgram } from "../../mcp/client/server-program.ts";
import { confinedStarter } from "../environment/start-confined.ts";
import { confinedServer, type ServerCommand } from "./confined-server.ts";
import { hostReports } from "./host-reports.ts";

export interface StartServerDeps {
  readonly clock: Clock;
  /** The folder in which servers run. Programs inside it are used only by their path. */
  readonly workspace: string;
  /** Shows a sentence about a server to the person. */
  readonly report: (server: string, sentence: string) => void;
}

/**
 * Starts the programs of stdio servers with few variables. They and their descendants end with this process. A server
 * with `permissions` runs in a sandbox.
 */
export function serverStarter(config: LoadedConfig, deps: StartServerDeps): StartMcpProgram {
  const { clock, workspace } = deps;
  const startChild = createChildStarter(clock);
  const table = once(() => createMachineProcesses(clock, { readsLimits: true }));

  const startConfined = once(() => confinedStarter(config, { clock, workspace }));
  const reports = hostReports(deps);

  return async (server, { command, args, env, permissions }, signal) => {
    if (signal.aborted) return err("the start was interrupted");
    const path = env["PATH"] ?? trustedSearchPath(config.env["PATH"], workspace);
    const program = findProgram([command], { PATH: path });
    if (program === undefined)
      return err(`the program ${command} was not found. Install it, or write its whole path as command.`);
    const variables = { ...plainVariables(config.env), PATH: path, ...env };
    const whole = resolve(workspace, program);
    const started = permissions
      ? await confined({ server, program: whole, args, env: variables, workspace }, permissions)
      : await unconfined(whole, args, variables);
    return started.ok ? ok(started.value) : err(`the program ${command} could not be started: ${started.error}`);
  };

  async function confined(command: ServerCommand, permissions: JsonObject): Promise<Result<ChildProgram, string>> {
    const { server } = command;
    const start = confinedServer(config, command, permissions, (rights, host) => reports.refused(server, rights, host));
    if (!start.ok) return start;
    const started = await startConfined()(start.value);
    if (started.ok && started.value.weakness !== undefined) reports.weak(server, started.value.weakness);
    return started;
  }

  function unconfined(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Result<ChildProgram, string>> {
    const { marker, wrap } = createLimitMarker();
    const outer = config.env[runMarker];
    return startChild({
      ...wrap(program, args),
      cwd: workspace,
      env: { ...env, [runMarker]: outer ? `${outer} ${marker}` : marker },
      marker,
      killerOf: (pid) => processTree(pid, marker, { table: table(), clock }),
    });
  }
}

/** Variables that every server gets. The settings name the others. */
function plainVariables(env: LoadedConfig["env"]): Record<string, string> {
  const isPlain = (name: string) => plainNames.has(name) || name.startsWith("XDG_");
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && isPlain(name) ? [[name, value]] : [])),
  );
}

const plainNames: ReadonlySet<string> = new Set(
  "HOME USER LANG LC_ALL TERM SHELL TMPDIR SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA".split(
    " ",
  ),
);
