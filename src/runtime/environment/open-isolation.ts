import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { abortable } from "../../base/async/abort.ts";
import { systemClock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { expandHome } from "../../base/files/path.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { IsolationState } from "../../contracts/safety/isolation.ts";
import type { BubblewrapFault } from "../../environments/local/try-bubblewrap.ts";
import { ownSearchPath } from "../../environments/own-search-path.ts";
import { type Workspace, workspaceOf } from "../../environments/workspace.ts";
import type { IsolationRules } from "../../safety/isolation.ts";
import { startFolder } from "./backends.ts";
import { type CredentialFile, credentialFiles } from "./credential-files.ts";

/** The sandbox for local commands, as the settings want it and this machine can give it. */
export interface OpenedIsolation {
  /** Found out once, when somebody first asks; a sandbox that cannot be had is tried again. Never rejects. */
  state(signal: AbortSignal): Promise<IsolationState>;
}

/** `skillFiles`: files of the home that confined commands see as well; more may come. */
export function openIsolation(
  config: LoadedConfig,
  workspace: () => Promise<Workspace>,
  skillFiles: () => readonly CredentialFile[] = () => [],
): OpenedIsolation {
  let finding: Promise<IsolationState> | undefined;

  async function find(): Promise<IsolationState> {
    const state = await findState(config, workspace, skillFiles);
    if (state.mode === "missing") finding = undefined;
    return state;
  }

  return {
    async state(signal) {
      try {
        return await abortable((finding ??= find()), signal);
      } catch (thrown) {
        if (!signal.aborted) finding = undefined;
        return { mode: "missing", fault: { kind: "unreachable", message: reasonOf(thrown) } };
      }
    },
  };
}

/** For a person, in one line. `refuses`: commands that no person approved do not run. */
export async function describeIsolation(
  config: LoadedConfig,
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly mode: "on" | "off" | "refuses"; readonly text: string; readonly hint?: string }> {
  const { backend } = config.values.terminal;
  if (backend !== "local") return { mode: "off", text: `off: commands run on ${backend}` };
  const workspace = await workspaceOf(startFolder(config, cwd), userFolder(config.env));
  const state = await openIsolation(config, async () => workspace).state(signal);
  if (state.mode === "off") return { mode: "off", text: `off: ${state.why}` };
  if (state.mode === "missing") {
    const { message, hint } = state.fault;
    return { mode: "refuses", text: `${message}: what you did not approve is refused`, ...(hint && { hint }) };
  }
  const network = config.values.isolation.network ? "" : ", without network";
  return { mode: "on", text: `on${network}: commands that you did not approve run in a sandbox` };
}

async function findState(
  config: LoadedConfig,
  workspace: () => Promise<Workspace>,
  skillFiles: () => readonly CredentialFile[],
): Promise<IsolationState> {
  const { mode } = config.values.isolation;
  if (mode === "off") return { mode: "off", why: "the setting isolation is off" };
  const { root } = await workspace();
  const result = await workingBubblewrap(config, root);
  if (!result.ok) {
    const { message, isCertain } = result.error;
    if (mode === "auto" && isCertain) return { mode: "off", why: message };
    const hint = "Install bubblewrap and allow user namespaces, or set isolation to auto or off.";
    return {
      mode: "missing",
      fault: { kind: "misconfigured", message: `commands are to be confined, and ${message}`, hint },
    };
  }
  const { createIsolation, makeFirstCaches } = await import("../../safety/isolation.ts");
  await makeFirstCaches(userFolder(config.env), config.env["PATH"] ?? "");
  return { mode: "on", isolation: createIsolation({ ...rulesOf(config, root, skillFiles), program: result.value }) };
}

/** The program, when it works here. That it does is remembered until the machine is started again. */
async function workingBubblewrap(
  config: LoadedConfig,
  workspace: string | undefined,
): Promise<Result<string, BubblewrapFault>> {
  const { tryBubblewrap } = await import("../../environments/local/try-bubblewrap.ts");
  if (process.platform !== "linux") return err({ message: "there is a sandbox on Linux only", isCertain: true });
  const program = findProgram(["bwrap"], { PATH: ownSearchPath(config.env["PATH"], workspace) });
  if (program === undefined) return err({ message: "bubblewrap (bwrap) is not installed", isCertain: true });
  const memory = join(config.home.path, homeFiles.isolation);
  const stamp = stampOf(program, config);
  if (readMemory(memory) === stamp) return ok(program);
  const { trialSandbox } = await import("../../safety/isolation.ts");
  const trial = trialSandbox({ hasNetwork: config.values.isolation.network, isRoot: userId() === 0 });
  const tried = await tryBubblewrap({ program, ...trial }, systemClock);
  if (!tried.ok) return tried;
  remember(memory, stamp, config.home.path);
  return ok(program);
}

/** Of this machine since its last start, this program and this use of it. */
function stampOf(program: string, { values }: LoadedConfig): string {
  const stats = statSync(program);
  const parts = ["gate", bootId(), program, stats.ino, stats.size, stats.mtimeMs, userId(), values.isolation.network];
  return sha256(parts.join("\n"));
}

function bootId(): string {
  return valueOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), "");
}

function readMemory(file: string): unknown {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof read === "object" && read !== null && "works" in read ? read.works : undefined;
  } catch {
    return undefined;
  }
}

function remember(file: string, works: string, home: string): void {
  if (!existsSync(home)) return;
  try {
    writeFileSync(file, `${JSON.stringify({ works })}\n`, { mode: 0o600 });
  } catch {
    // Tried again next time.
  }
}

function rulesOf(
  { values, env, home }: LoadedConfig,
  workspace: string | undefined,
  skillFiles: () => readonly CredentialFile[],
): Omit<IsolationRules, "program"> {
  const person = userFolder(env);
  const whole = (path: string) => resolve(person, expandHome(path, person));
  const { network, writable, visible, hidden } = values.isolation;
  const tempFolders = [...new Set(["/tmp", "/var/tmp", tmpdir()])];
  // Through these another machine could be reached.
  const connections = tempFolders.map((folder) => join(folder, `hermes-ssh-${userId()}`));
  const listed = credentialFiles({ values, home });
  const credentials = () => [...(listed.ok ? listed.value : []), ...skillFiles()];
  const homes = [...new Set([home.root, home.path, join(person, ".hermes")])];
  return {
    person: { home: person, userId: userId(), env },
    ...(workspace !== undefined && { workspace }),
    tempFolders,
    hermes: homes.map((path) => ({
      home: path,
      visible: () => [...visibleInHome, ...(path === home.path ? credentials().map(({ name }) => name) : [])],
    })),
    hasNetwork: network,
    writable: writable.map(whole),
    visible: visible.map(whole),
    hidden: [...hidden.map(whole), ...homes.map((path) => join(path, homeFiles.skills, ".hub")), ...connections],
  };
}

const visibleInHome: readonly string[] = [homeFiles.skills, homeFiles.outputs, homeFiles.results];

function userId(): number {
  return process.getuid?.() ?? 0;
}
