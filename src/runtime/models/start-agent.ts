import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { plainText } from "../../base/text/ansi.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { childVariables, runMarker } from "../../environments/child-environment.ts";
import { findProgram } from "../../environments/client-program.ts";
import { createProcessTable } from "../../environments/local/process-table.ts";
import { processTree } from "../../environments/local/process-tree.ts";
import { ownSearchPath } from "../../environments/own-search-path.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import type { AgentEnd, StartAgent } from "../../providers/acp/agent-program.ts";
import { openRedactor } from "../policy/open-redactor.ts";
import { missingSentence } from "./missing-program.ts";

export interface StartAgentDeps {
  readonly clock: Clock;
  /** Programs of the project that this is in do not count. */
  readonly cwd: string | undefined;
}

/**
 * Programs that speak the Agent Client Protocol, started as the user would, without the keys that are not theirs. Nothing of
 * them outlives this process, however it is left.
 */
export function agentStarter(config: LoadedConfig, { clock, cwd }: StartAgentDeps): StartAgent {
  const { secrets } = config;
  const table = createProcessTable(clock);
  const redactor = openRedactor(secrets, config.home);
  const leaving = new Set<() => void>();
  const leaveAll = (): void => leaving.forEach((leave) => leave());

  return async (call, more, signal) => {
    signal.throwIfAborted();
    const workspace = cwd === undefined ? undefined : (await workspaceOf(cwd, userFolder(config.env))).root;
    const path = ownSearchPath(config.env["PATH"], workspace);
    const program = findProgram([call.command], { PATH: path });
    if (program === undefined) return err({ kind: "not_found", message: missingSentence(call) });
    const marker = newId("agent");
    const outer = config.env[runMarker];
    const run = outer ? `${outer} ${marker}` : marker;
    const passed = call.passes.flatMap((name) => (secrets.get(name) ? [[name, secrets.get(name)]] : []));
    const env = { ...Object.fromEntries(childVariables(config.env, [])), ...Object.fromEntries(passed), ...more };
    const spawned = await start(resolve(program), call.args, { ...env, PATH: path, [runMarker]: run });
    if (!spawned.ok)
      return err({ kind: "not_found", message: `${call.command} could not be started: ${spawned.error}` });
    const { child, pid, folder } = spawned.value;
    const tree = processTree(pid, marker, { table, clock });
    const complaints = keepEnd(child);
    const leave = (): void => {
      tree.killNow();
      rmSync(folder, { recursive: true, force: true });
    };
    if (leaving.size === 0) process.on("exit", leaveAll);
    leaving.add(leave);
    const end = once(async () => {
      await tree.end();
      leaving.delete(leave);
      if (leaving.size === 0) process.off("exit", leaveAll);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    });
    const ended = endOf(child, clock);
    void ended.then(end);
    return ok({
      folder,
      listen(ears) {
        child.stdout.on("data", ears.said);
        void ended.then(ears.ended);
      },
      write: (text) => void child.stdin.write(text),
      setBusy(isBusy) {
        // Pipes are sockets, which the types do not know.
        const handles = [child, ...(child.stdio as unknown as readonly Partial<Handle>[])];
        for (const handle of handles) (isBusy ? handle.ref : handle.unref)?.call(handle);
      },
      complaints: () => lastWords(redactor.redact(complaints())),
      redact: (text) => redactor.redact(text),
      end,
    });
  };
}

interface Handle {
  ref(): void;
  unref(): void;
}

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly folder: string;
}

/** In a process group of its own: Ctrl-C at the terminal is ours to hear. */
async function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<Started, string>> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), "hermes-agent-"));
    const child = spawn(program, args, { cwd: folder, env: { ...env }, detached: true, stdio: "pipe" });
    // Who is gone reads nothing.
    child.stdin.on("error", () => {});
    const { pid } = child;
    if (pid === undefined) return await new Promise<never>((_, reject) => child.once("error", reject));
    child.on("error", () => {});
    return ok({ child, pid, folder });
  } catch (thrown) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    return err(reasonOf(thrown));
  }
}

/** What the program itself came to; what it printed before has been heard by then. */
async function endOf(child: ChildProcessWithoutNullStreams, clock: Clock): Promise<AgentEnd> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const words = code === null ? `signal ${signal}` : `exit code ${code}`;
      const done = () => resolve({ words, isKilled: code === null });
      // A child of its own may hold the pipes open.
      const timer = clock.after(drainMs, done);
      child.once("close", () => {
        timer[Symbol.dispose]();
        done();
      });
    });
  });
}

/** The end of what it wrote to standard error. */
function keepEnd(child: ChildProcessWithoutNullStreams): () => string {
  let kept = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    kept = (kept + text).slice(-keptChars);
  });
  return () => plainText(kept);
}

function lastWords(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > shownChars ? `…${line.slice(-shownChars).toWellFormed()}` : line;
}

const drainMs = 200;
const keptChars = 8_192;
const shownChars = 400;
