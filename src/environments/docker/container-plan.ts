import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import type { Ability } from "./engine.ts";
import { leaseFolder, leaseKeeper } from "./lease.ts";

/** How containers are made; from the settings, never from a call. */
export interface ContainerSettings {
  readonly image: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** The folders /root and /workspace are kept on this machine. */
  readonly isPersistent: boolean;
  /** A persistent container itself is there again for the next program. */
  readonly isKeptAcrossPrograms: boolean;
  /** Below it the folders of persistent containers. */
  readonly sandboxFolder: string;
  /** As for `docker -v`. */
  readonly volumes: readonly string[];
  /** More arguments of `docker run`, after all others. */
  readonly extraArgs: readonly string[];
  /** Of this machine, as /workspace. */
  readonly workspace?: string;
  /** Files and folders of this machine that commands can read and not change. */
  readonly readOnly: readonly { readonly from: string; readonly to: string }[];
  /** Commands run as this user and not as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly hasNetwork: boolean;
  readonly shmSize: string;
  /** The container ends by itself when it was not used for so long. */
  readonly lifetimeMs: number;
}

/** Whose container it is. */
export interface ContainerOwner {
  /** The home's path. */
  readonly home: string;
  readonly profile: string;
  /** Of the task, or what tasks share. */
  readonly key: string;
}

export interface ContainerPlan {
  readonly image: string;
  /** The same for every program that wants the same container: the engine lets only one of them make it. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Folders of this machine that must be there. */
  readonly folders: readonly string[];
  /** Goes away when it ends. Otherwise it can be started again for some time. */
  readonly isGoneAtEnd: boolean;
  /** Of the engine's command, with what this engine can do. */
  runArguments(abilities: ReadonlySet<Ability>, isRootless: boolean): readonly string[];
}

export const labelNames = {
  ours: "hermes-agent",
  task: "hermes-task-id",
  profile: "hermes-profile",
  home: "hermes-home",
  egress: "hermes-egress",
  config: "hermes-config",
  /** Seconds that a stopped container stays. */
  kept: "hermes-kept",
} as const;

export function planContainer(settings: ContainerSettings, owner: ContainerOwner): ContainerPlan {
  const task = plainName(owner.key);
  const isGoneAtEnd = !(settings.isPersistent && settings.isKeptAcrossPrograms);
  const kept = join(settings.sandboxFolder, "docker", task);
  const folders = settings.isPersistent ? [join(kept, "home"), join(kept, "workspace")] : [];
  const shape = [...hardening(settings), ...storage(settings, folders), ...settings.extraArgs];
  const keeper = leaseKeeper(settings.lifetimeMs);
  const config = sha256(
    JSON.stringify([shape, settings.image, keeper, isGoneAtEnd, settings.cpus, settings.memoryMb, settings.diskMb]),
  ).slice(0, 16);
  const labels: Readonly<Record<string, string>> = {
    [labelNames.ours]: "1",
    [labelNames.task]: task,
    [labelNames.profile]: plainName(owner.profile),
    [labelNames.home]: homeLabel(owner.home),
    [labelNames.egress]: settings.hasNetwork ? "on" : "off",
    [labelNames.config]: config,
    ...(!isGoneAtEnd && { [labelNames.kept]: String(keptSeconds) }),
  };
  const name = `hermes-${task.slice(0, 40)}-${sha256(JSON.stringify(labels)).slice(0, 12)}`;
  return {
    image: settings.image,
    name,
    labels,
    folders,
    isGoneAtEnd,
    runArguments: (abilities, isRootless) => [
      "run",
      "--detach",
      "--pull",
      "never",
      "--name",
      name,
      ...(isGoneAtEnd ? ["--rm"] : []),
      ...Object.entries(labels).flatMap(([label, value]) => ["--label", `${label}=${value}`]),
      ...limits(settings, abilities),
      ...(settings.user && isRootless ? ["--userns", "keep-id"] : []),
      ...shape,
      "--entrypoint",
      "sh",
      settings.image,
      "-c",
      keeper,
    ],
  };
}

/** Every home has its own containers. */
export function homeLabel(home: string): string {
  return sha256(home).slice(0, 16);
}

/** For names and labels of engines and for folders: short, plain, and never the same for two different texts. */
export function plainName(text: string): string {
  const plain = text.replaceAll(/[^a-z0-9_.-]/gu, "-").replace(/^[^a-z0-9]+/u, "");
  return plain === text && text !== "" && text.length <= 63
    ? text
    : `${plain.slice(0, 48)}-${sha256(text).slice(0, 12)}`.replace(/^-/u, "");
}

export const maxProcesses = 256;

const keptSeconds = 7 * 24 * 3_600;

function limits({ cpus, memoryMb, diskMb }: ContainerSettings, abilities: ReadonlySet<Ability>): string[] {
  const wanted: readonly (readonly [Ability, readonly string[]])[] = [
    ["init", ["--init"]],
    ["pids", ["--pids-limit", String(maxProcesses)]],
    ["cpus", ["--cpus", String(cpus)]],
    ["memory", ["--memory", `${memoryMb}m`]],
    ["disk", ["--storage-opt", `size=${diskMb}m`]],
  ];
  return wanted.flatMap(([ability, args]) => (abilities.has(ability) ? args : []));
}

function hardening({ user, hasNetwork, shmSize }: ContainerSettings): string[] {
  const capabilities = ["DAC_OVERRIDE", "CHOWN", "FOWNER", ...(user ? [] : ["SETUID", "SETGID"])];
  return [
    "--cap-drop",
    "ALL",
    ...capabilities.flatMap((name) => ["--cap-add", name]),
    "--security-opt",
    "no-new-privileges",
    ...(hasNetwork ? [] : ["--network", "none"]),
    ...(user ? ["--user", `${user.uid}:${user.gid}`, "--env", "HOME=/root"] : []),
    "--shm-size",
    shmSize,
    "--workdir",
    "/",
  ];
}

function storage(settings: ContainerSettings, [home, workspace]: readonly string[]): string[] {
  const taken = new Set([...settings.volumes.map(volumeTarget), ...settings.readOnly.map(({ to }) => to)]);
  const mode = settings.user ? "mode=1777" : "mode=755";
  const places: readonly (readonly [place: string, args: readonly string[]])[] = [
    ["/tmp", inMemory("/tmp", "512m", "exec,mode=1777")],
    ["/var/tmp", inMemory("/var/tmp", "256m", "noexec,mode=1777")],
    ["/run", inMemory("/run", "64m", "noexec,mode=755")],
    [leaseFolder, inMemory(leaseFolder, "4m", "noexec,mode=1777")],
    ["/root", home === undefined ? inMemory("/root", "1g", `exec,${mode}`) : bound(home, "/root")],
    ["/home", home === undefined ? inMemory("/home", "1g", `exec,${mode}`) : []],
    ["/workspace", workspaceArguments(settings, workspace)],
  ];
  return [
    ...places.flatMap(([place, args]) => (taken.has(place) ? [] : args)),
    ...settings.volumes.flatMap((volume) => ["--volume", volume]),
    ...settings.readOnly.flatMap(({ from, to }) => bound(from, to, "readonly")),
  ];
}

function workspaceArguments({ workspace }: ContainerSettings, kept: string | undefined): readonly string[] {
  const folder = workspace ?? kept;
  return folder === undefined ? inMemory("/workspace", "10g", "exec,mode=1777") : bound(folder, "/workspace");
}

function inMemory(place: string, size: string, options: string): string[] {
  return ["--tmpfs", `${place}:rw,nosuid,nodev,size=${size},${options}`];
}

/** The engine reads the value as one line of CSV. */
function bound(from: string, to: string, ...more: readonly string[]): string[] {
  const fields = ["type=bind", `source=${from}`, `target=${to}`, ...more];
  return [
    "--mount",
    fields.map((field) => (/[",\n\r]/u.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(","),
  ];
}

/** Of `name:/place`, `name:/place:ro`, or `/place` alone. */
function volumeTarget(volume: string): string {
  return (volume.match(/(?:^|:)(\/[^:]*)(?::[^/:]*)?$/u)?.[1] ?? volume).replace(/(?<=.)\/+$/u, "");
}
