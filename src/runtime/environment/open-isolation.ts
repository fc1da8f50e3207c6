import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { abortable } from "../../base/async/abort.ts";
import { expandHome } from "../../base/files/path.ts";
import { reasonOf } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { IsolationState } from "../../contracts/safety/isolation.ts";
import { type Workspace, workspaceOf } from "../../environments/workspace.ts";
import type { IsolationRules } from "../../safety/isolation.ts";
import { startFolder } from "./backends.ts";
import { type CredentialFile, credentialFiles } from "./credential-files.ts";

/** The sandbox for local commands, according to the settings and this machine. */
export interface OpenedIsolation {
  /** Finds the sandbox once, at the first use; if none works, later calls try again. Never rejects. */
  state(signal: AbortSignal): Promise<IsolationState>;
}

/**
 * `skillFiles`: files of the home that sandboxed commands also see; the list may grow. `untouched`: real paths of folders
 * that no command changes.
 */
export function openIsolation(
  config: LoadedConfig,
  workspace: () => Promise<Workspace>,
  skillFiles: () => readonly CredentialFile[] = () => [],
  untouched: readonly string[] = [],
): OpenedIsolation {
  let finding: Promise<IsolationState> | undefined;

  async function find(): Promise<IsolationState> {
    const state = await findState(config, workspace, { skillFiles, untouched }, true);
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

/** Describes the sandbox in one line; writes nothing. `refuses`: commands that no user approved do not run. */
export async function describeIsolation(
  config: LoadedConfig,
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly mode: "on" | "off" | "refuses"; readonly text: string; readonly hint?: string }> {
  const { backend } = config.values.terminal;
  if (backend !== "local") return { mode: "off", text: `off: commands run on ${backend}` };
  const workspace = await workspaceOf(startFolder(config, cwd), userFolder(config.env));
  const state = await abortable(
    findState(config, async () => workspace, { skillFiles: () => [], untouched: [] }, false),
    signal,
  );
  if (state.mode === "off") {
    const { why, hint } = state;
    if (hint === undefined) return { mode: "off", text: `off: ${why}` };
    return { mode: "off", text: `off: ${why}; Hermes asks once per session before commands run unconfined`, hint };
  }
  if (state.mode === "missing") {
    const { message, hint } = state.fault;
    return {
      mode: "refuses",
      text: `${message}: commands that you did not approve are refused`,
      ...(hint && { hint }),
    };
  }
  const network = config.values.isolation.network ? "" : ", without network";
  const { weaker } = state;
  const text = `on${network}: commands that you did not approve run in a sandbox`;
  return weaker ? { mode: "on", text: `${text} (${weaker.why})`, hint: weaker.hint } : { mode: "on", text };
}

interface SessionLimits {
  readonly skillFiles: () => readonly CredentialFile[];
  readonly untouched: readonly string[];
}

async function findState(
  config: LoadedConfig,
  workspace: () => Promise<Workspace>,
  limits: SessionLimits,
  /** Prepares a sandbox in which commands will run: creates caches and records that the sandbox works. */
  isUsed: boolean,
): Promise<IsolationState> {
  const { mode } = config.values.isolation;
  if (mode === "off") return { mode: "off", why: "the setting isolation is off" };
  const { root } = await workspace();
  const { findSandbox } = await import("./find-sandbox.ts");
  const result = await findSandbox(config, root, isUsed);
  if (!result.ok) {
    const { message, isCertain, hint: advice } = result.error;
    if (mode === "auto" && isCertain) return { mode: "off", why: message, hint: advice };
    const hint = `${advice} Or set isolation to auto or off.`;
    return {
      mode: "missing",
      fault: { kind: "misconfigured", message: `the settings require a sandbox for commands, but ${message}`, hint },
    };
  }
  const { createIsolation, makeFirstCaches } = await import("../../safety/isolation.ts");
  if (isUsed) await makeFirstCaches(userFolder(config.env), config.env["PATH"] ?? "");
  const { weaker, ...sandbox } = result.value;
  const isolation = createIsolation({ ...rulesOf(config, root, limits), sandbox });
  return { mode: "on", isolation, ...(weaker && { weaker }) };
}

function rulesOf(
  { values, env, home }: LoadedConfig,
  workspace: string | undefined,
  { skillFiles, untouched }: SessionLimits,
): Omit<IsolationRules, "sandbox"> {
  const person = userFolder(env);
  const userId = process.getuid?.() ?? 0;
  const whole = (path: string) => resolve(person, expandHome(path, person));
  const { network, writable, visible, hidden } = values.isolation;
  const tempFolders = [...new Set(["/tmp", "/var/tmp", tmpdir()])];
  // These sockets give access to other machines.
  const connections = tempFolders.map((folder) => join(folder, `hermes-ssh-${userId}`));
  const listed = credentialFiles({ values, home });
  const credentials = () => [...(listed.ok ? listed.value : []), ...skillFiles()];
  const homes = [...new Set([home.root, home.path, join(person, ".hermes")])];
  return {
    person: { home: person, userId, env },
    ...(workspace !== undefined && { workspace }),
    tempFolders,
    hermes: homes.map((path) => ({
      home: path,
      visible: () => [...visibleInHome, ...(path === home.path ? credentials().map(({ name }) => name) : [])],
    })),
    hasNetwork: network,
    untouched,
    writable: writable.map(whole),
    visible: visible.map(whole),
    hidden: [...hidden.map(whole), ...homes.map((path) => join(path, homeFiles.skills, ".hub")), ...connections],
  };
}

const visibleInHome: readonly string[] = [homeFiles.skills, homeFiles.outputs, homeFiles.results, homeFiles.patches];
