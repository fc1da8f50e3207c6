import type { ChildProcess } from "node:child_process";
import { realpathSync } from "node:fs";
import { Server } from "node:net";

import type { PluginProxy } from "../../plugins/proxy/plugin-proxy.ts";
import { networkRunnerFile } from "../../plugins/sources/runner-files.ts";
import type { PluginProgram } from "../../safety/plugin-sandbox.ts";

/**
 * The runner program, which receives its command from `handOver`. The variables of the command do not affect the
 * runner.
 */
export function networkRunner(command: PluginProgram): PluginProgram {
  const [program, file] = [realpathSync(process.execPath), networkRunnerFile()];
  return {
    ...command,
    program,
    args: ["--disable-warning=ExperimentalWarning", file],
    env: {},
    readable: [...command.readable, program, file],
  };
}

/**
 * The runner replaces itself with the program of the command. Before that, it passes a port of its sandbox to this
 * process, which answers there with the proxy. The message connection closes before untrusted code runs.
 */
export function handOver(child: ChildProcess, { program, args, env }: PluginProgram, proxy: PluginProxy): void {
  child.once("message", (_message, handle) => {
    if (handle instanceof Server) proxy.serve(handle);
    child.disconnect();
  });
  // Ignores this error, because the exit of the program gives a better reason.
  child.send({ program, args, env }, () => {});
}

/** The number of a descriptor that nothing else uses. */
export const messageDescriptor = 13;
