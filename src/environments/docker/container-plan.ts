import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import type { EngineFeature } from "./engine.ts";
import { leaseFolder, leaseKeeper } from "./lease.ts";

/** Settings of a container. They come from the configuration, never from a tool call. */
export interface ContainerSettings {
  readonly image: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  /** /root and /workspace are stored on this machine. */
  readonly isPersistent: boolean;
  /** The next program reuses the persistent container itself. */
  readonly isKeptAcrossPrograms: boolean;
  /** Parent of the folders of persistent containers. */
  readonly sandboxFolder: string;
  /** Same format as `docker -v`. */
  readonly volumes: readonly string[];
  /** Extra arguments of `docker run`, after all others. */
  readonly extraArgs: readonly string[];
  /** Folder of this machine that is mounted as /workspace. */
  readonly workspace?: string;
  /** Files and folders of this machine that are mounted read-only. */
  readonly readOnly: readonly { readonly from: string; readonly to: string }[];
  /** Run commands as this user instead of root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly hasNetwork: boolean;
  readonly shmSize: string;
  /** The container exits after this idle time. */
  readonly lifetimeMs: number;
}

export interface ContainerOwner {
  readonly home: string;
  readonly profile: string;
  /** The task id, or the key that tasks share. */
  readonly key: string;
}

export interface ContainerPlan {
  readonly image: string;
  /** Equal for all programs that need the same container, so the engine lets only one create it. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Folders of this machine that must exist. */
  readonly folders: readonly string[];
  /** True: the engine removes the container when it exits. Otherwise it can be restarted for some time. */
  readonly isGoneAtEnd: boolean;
  /** Arguments of the engine's command, using only features that this engine has. */
  runArguments(abilities: ReadonlySet<EngineFeature>, isRootless: boolean): readonly string[];
}

export const labelNames = {
  ours: "hermes-agent",
  task: "hermes-task-id",
  profile: "hermes-profile",
  home: "hermes-home",
  egress: "hermes-egress",
  config: "hermes-config",
  /** Seconds for which a stopped container is kept. */
  kept: "hermes-kept",
} as const;

export function planContainer(settings: ContainerSettings, owner: ContainerOwner): ContainerPlan {
  const task = plainName(owner.key);
  const isGoneAtEnd = !(settings.isPersistent && settings.isKeptAcrossPrograms);
  const kept = taskFolder(settings.sandboxFolder, owner.key);
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
      ...hostName(settings, task),
      ...shape,
      "--entrypoint",
      "sh",
      settings.image,
      "-c",
      keeper,
    ],
  };
}

/**
 * Checkpoints are stored by the name of the machine. A new container with the same persistent folders has the same name,
 * so that its user still finds them.
 */
function hostName({ isPersistent, extraArgs }: ContainerSettings, task: string): string[] {
  const isChosen = extraArgs.some((each) => /^(?:--hostname|-h|--uts|--net)/u.test(each));
  if (!isPersistent || isChosen) return [];
  const readable = task.replaceAll(/[^a-z0-9]+/gu, "-").slice(0, 40);
  return ["--hostname", `hermes-${readable}-${sha256(task).slice(0, 8)}`.replaceAll("--", "-")];
}

/** The folder that contains the persistent folders of a task. */
export function taskFolder(sandboxFolder: string, key: string): string {
  return join(sandboxFolder, "docker", plainName(key));
}

/** Each home has its own containers. */
export function homeLabel(home: string): string {
  return sha256(home).slice(0, 16);
}

/** A name for labels, containers and folders: short, plain, and unique for each text. */
export function plainName(text: string): string {
  const plain = text.replaceAll(/[^a-z0-9_.-]/gu, "-").replace(/^[^a-z0-9]+/u, "");
  return plain === text && text !== "" && text.length <= 63
    ? text
    : `${plain.slice(0, 48)}-${sha256(text).slice(0, 12)}`.replace(/^-/u, "");
}

export const maxProcesses = 256;

const keptSeconds = 7 * 24 * 3_600;

function limits({ cpus, memoryMb, diskMb }: ContainerSettings, abilities: ReadonlySet<EngineFeature>): string[] {
  const featureArguments: readonly (readonly [EngineFeature, readonly string[]])[] = [
    ["init", ["--init"]],
    ["pids", ["--pids-limit", String(maxProcesses)]],
    ["cpus", ["--cpus", String(cpus)]],
    ["memory", ["--memory", `${memoryMb}m`]],
    ["disk", ["--storage-opt", `size=${diskMb}m`]],
  ];
  return featureArguments.flatMap(([ability, args]) => (abilities.has(ability) ? args : []));
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
  const usedPaths = new Set([...settings.volumes.map(volumeTarget), ...settings.readOnly.map(({ to }) => to)]);
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
    ...places.flatMap(([place, args]) => (usedPaths.has(place) ? [] : args)),
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

/** Quotes a value for `--mount`, which the engine reads as one line of CSV. */
function bound(from: string, to: string, ...more: readonly string[]): string[] {
  const fields = ["type=bind", `source=${from}`, `target=${to}`, ...more];
  return [
    "--mount",
    fields.map((field) => (/[",\n\r]/u.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(","),
  ];
}

/** Parses `name:/place`, `name:/place:ro`, or `/place`. */
function volumeTarget(volume: string): string {
  return (volume.match(/(?:^|:)(\/[^:]*)(?::[^/:]*)?$/u)?.[1] ?? volume).replace(/(?<=.)\/+$/u, "");
}
