import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { release } from "node:os";
import { delimiter, dirname, join } from "node:path";

import type { Finding } from "../contracts/host/finding.ts";
import { workspaceOf } from "./workspace.ts";

export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly nodeVersion: string;
  readonly path: string;
  readonly home: string;
  readonly cwd: string;
  readonly userFolder: string;
}

/** Only inspects the machine: starts and writes nothing. */
export async function examineMachine(facts: MachineFacts): Promise<readonly Finding[]> {
  return Promise.all([
    Promise.resolve(platformFinding(facts)),
    Promise.resolve(nodeFinding(facts)),
    homeFinding(facts),
    diskFinding(facts.home),
    workspaceFinding(facts),
    ...programs.map((program) => programFinding(program, facts.path)),
  ]);
}

interface Program {
  readonly names: readonly string[];
  readonly purpose: string;
  readonly optional: boolean;
  readonly advice: string;
}

const programs: readonly Program[] = [
  { names: ["bash", "zsh", "sh"], purpose: "runs commands", optional: false, advice: "Install bash." },
  { names: ["git"], purpose: "worktrees and the state of a project", optional: true, advice: "Install git." },
  { names: ["rg"], purpose: "searches files quickly", optional: true, advice: "Install ripgrep." },
  { names: ["bwrap"], purpose: "isolates commands on Linux", optional: true, advice: "Install bubblewrap." },
  { names: ["ssh"], purpose: "runs commands on other machines", optional: true, advice: "Install the OpenSSH client." },
  {
    names: ["docker", "podman"],
    purpose: "runs commands in containers",
    optional: true,
    advice: "Install docker or podman.",
  },
];

const pinnedMajor = 24;

function platformFinding({ platform, arch }: MachineFacts): Finding {
  const result = `${platform} ${arch} (${release()})`;
  if (platform === "linux") return { name: "platform", state: "good", found: result };
  const advice = "Linux is fully supported; the support table in the README lists what works on this platform.";
  return { name: "platform", state: "note", found: result, advice };
}

function nodeFinding({ nodeVersion }: MachineFacts): Finding {
  const major = Number(nodeVersion.split(".")[0]);
  if (major === pinnedMajor) return { name: "node", state: "good", found: nodeVersion };
  const advice = `Hermes requires Node ${pinnedMajor}; start it with its own launcher, or install Node ${pinnedMajor}.`;
  return { name: "node", state: major > pinnedMajor ? "note" : "bad", found: nodeVersion, advice };
}

async function homeFinding({ home, platform }: MachineFacts): Promise<Finding> {
  const there = await stat(home).catch(() => undefined);
  if (!there) {
    const parent = await nearestFolder(home);
    if (await can(parent, constants.W_OK))
      return { name: "home", state: "good", found: `${home} (created on first use)` };
    return {
      name: "home",
      state: "bad",
      found: `${home} cannot be created: ${parent} is not writable`,
      advice: "Set HERMES_HOME to your own folder.",
    };
  }
  if (!there.isDirectory())
    return {
      name: "home",
      state: "bad",
      found: `${home} is not a folder`,
      advice: "Move it away, or set HERMES_HOME to your own folder.",
    };
  if (!(await can(home, constants.R_OK | constants.W_OK | constants.X_OK))) {
    return {
      name: "home",
      state: "bad",
      found: `${home} is not writable`,
      advice: "Change its owner, or set HERMES_HOME to your own folder.",
    };
  }
  if (platform !== "win32" && (there.mode & 0o077) !== 0) {
    return { name: "home", state: "note", found: `${home} can be read by other users`, advice: `chmod 700 ${home}` };
  }
  return { name: "home", state: "good", found: home };
}

async function workspaceFinding({ cwd, userFolder }: MachineFacts): Promise<Finding> {
  const { root, why } = await workspaceOf(cwd, userFolder);
  return root === undefined
    ? { name: "workspace", state: "note", found: `none: ${why}` }
    : { name: "workspace", state: "good", found: `${root} (${why})` };
}

async function diskFinding(home: string): Promise<Finding> {
  const space = await statfs(await nearestFolder(home)).catch(() => undefined);
  if (!space) return { name: "disk", state: "note", found: "unknown" };
  const freeMb = Math.floor((space.bavail * space.bsize) / 1_000_000);
  const result = freeMb > 10_000 ? `${Math.floor(freeMb / 1000)} GB free` : `${freeMb} MB free`;
  if (freeMb >= 500) return { name: "disk", state: "good", found: result };
  return {
    name: "disk",
    state: freeMb < 50 ? "bad" : "note",
    found: result,
    advice: "Free some space where the home is: sessions and logs are kept there.",
  };
}

async function programFinding({ names, purpose, optional, advice }: Program, path: string): Promise<Finding> {
  const name = names[0] ?? "";
  for (const candidate of names) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder || ".", candidate);
      if (await can(file, constants.X_OK)) return { name: candidate, state: "good", found: file };
    }
  }
  if (!optional) return { name, state: "bad", found: `not found (${purpose})`, advice };
  return { name, state: "note", found: `not found (${purpose})`, advice: `Optional. ${advice}` };
}

async function nearestFolder(path: string): Promise<string> {
  const result = await stat(path).catch(() => undefined);
  return result?.isDirectory() || dirname(path) === path ? path : nearestFolder(dirname(path));
}

async function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
