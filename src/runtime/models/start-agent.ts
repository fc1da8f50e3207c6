import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { makeTempFolder } from "../../base/files/temp-folder.ts";
import { newId } from "../../base/ids.ts";
import { createChildStarter } from "../../base/process/child-program.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { err, ok } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { childVariables, runMarker } from "../../environments/child-environment.ts";
import { createMachineProcesses } from "../../environments/local/machine-processes.ts";
import { processTree } from "../../environments/local/process-tree.ts";
import { trustedSearchPath } from "../../environments/trusted-search-path.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import type { StartAgent } from "../../providers/acp/agent-program.ts";
import { openRedactor } from "../policy/open-redactor.ts";
import { missingProgramText } from "./missing-program.ts";

export interface StartAgentDeps {
  readonly clock: Clock;
  /** Programs inside this folder's project are never used. */
  readonly cwd: string | undefined;
}

/**
 * Starts programs that use the Agent Client Protocol, with the user's environment but without other keys. They always
 * end with this process.
 */
export function agentStarter(config: LoadedConfig, { clock, cwd }: StartAgentDeps): StartAgent {
  const { secrets } = config;
  const table = createMachineProcesses(clock);
  const redactor = openRedactor(secrets, config.home);
  const start = createChildStarter(clock);

  return async (call, more, signal) => {
    signal.throwIfAborted();
    const workspace = cwd === undefined ? undefined : (await workspaceOf(cwd, userFolder(config.env))).root;
    const path = trustedSearchPath(config.env["PATH"], workspace);
    const program = findProgram([call.command], { PATH: path });
    if (program === undefined) return err({ kind: "not_found", message: missingProgramText(call) });
    const marker = newId("agent");
    const outer = config.env[runMarker];
    const run = outer ? `${outer} ${marker}` : marker;
    const passed = call.passes.flatMap((name) => (secrets.get(name) ? [[name, secrets.get(name)]] : []));
    const env = { ...Object.fromEntries(childVariables(config.env, [])), ...Object.fromEntries(passed), ...more };
    const folder = makeTempFolder(tmpdir(), "agent");
    const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    const started = await start({
      program: resolve(program),
      args: call.args,
      cwd: folder,
      env: { ...env, PATH: path, [runMarker]: run },
      killerOf: (pid) => processTree(pid, marker, { table, clock }),
      cleanUp: remove,
    });
    if (!started.ok) {
      remove();
      return err({ kind: "not_found", message: `${call.command} could not be started: ${started.error}` });
    }
    const { stdin, stdout, exited, stderrTail, setKeepsAlive, end } = started.value;
    return ok({
      folder,
      streams: { input: stdout, output: stdin },
      exited,
      setBusy: setKeepsAlive,
      complaints: () => lastWords(redactor.redact(stderrTail())),
      redact: (text) => redactor.redact(text),
      end,
    });
  };
}

function lastWords(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > shownChars ? `…${line.slice(-shownChars).toWellFormed()}` : line;
}

const shownChars = 400;
