import { err, ok, type Result } from "../base/result.ts";
import type { PlannedMount } from "../contracts/safety/isolation.ts";
import type { SandboxProgram } from "./isolation.ts";
import { gateArguments, innerVariables, mountArguments } from "./isolation/bubblewrap-arguments.ts";
import { landlockAllowArguments, prefixedVariables } from "./isolation/landlock-arguments.ts";
import type { Mount } from "./isolation/mount-plan.ts";
import { systemLinks, type VisibleFiles, visibleMounts, type VisiblePlaces } from "./isolation/plugin-mounts.ts";
import { seatbeltAllowProfile } from "./isolation/seatbelt-profile.ts";
import { seccompFilter } from "./isolation/seccomp-filter.ts";

/**
 * A sandbox for third-party code: an allow list of files, no network except one socket, and limits on its resources.
 */
export interface PluginSandbox {
  confine(start: PluginProgram): Result<ConfinedPlugin, string>;
}

export interface PluginProgram extends VisibleFiles {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** True if the program may start other programs. */
  readonly exec: boolean;
  /** The limit for private memory, including reserved memory. */
  readonly maxMemoryBytes: number;
  /** The socket of the proxy, outside the sandbox. Undefined: no network. */
  readonly proxySocket?: string;
  /** A socket that the program may connect to, if the sandbox has no mounts. */
  readonly ownSocket?: string;
  /**
   * True if the first process of the sandbox is not the program, so that signals reach the program as usual
   * (bubblewrap).
   */
  readonly isSecondProcess?: boolean;
  /** The maximum size of a single file. */
  readonly maxFileBytes?: number;
}

export interface ConfinedPlugin {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The mounts that the sandbox creates. It then waits until the component that started it has verified them. */
  readonly mounts?: readonly PlannedMount[];
  /** Bytes that the sandbox reads from a descriptor when it starts. */
  readonly input?: { readonly fd: number; readonly bytes: Uint8Array };
  /** True if the program can reach the socket of the proxy. */
  readonly hasProxy: boolean;
  /** True if the program runs as a child of the process that is started. */
  readonly hasOwnProcesses: boolean;
}

/** Returns why an address is not public. */
export { addressFault } from "./url/address.ts";

export function createPluginSandbox(sandbox: SandboxProgram, places: VisiblePlaces): PluginSandbox {
  const isRoot = places.person.userId === 0;

  const confine: Readonly<Record<SandboxProgram["kind"], (start: PluginProgram) => Result<ConfinedPlugin, string>>> = {
    bubblewrap(start) {
      const mounts = visibleMounts(start, places);
      const filter = seccompFilter({ exec: start.exec, sockets: true }, process.arch);
      const inner = innerVariables(start.env);
      const args = [
        ...namespaces,
        ...(start.isSecondProcess ? [] : ["--as-pid-1"]),
        ...(isRoot ? ["--cap-drop", "ALL"] : []),
        "--proc",
        "/proc",
        ...(isRoot ? ["--remount-ro", "/proc"] : []),
        ...(start.exec ? allDevices : plainDevices),
        ...mountsWithLinks(mounts),
        "--remount-ro",
        "/",
        // The filter refuses System V shared memory and message queues.
        ...(filter ? ["--seccomp", String(filterDescriptor)] : ["--unshare-ipc"]),
        ...gateArguments,
        ...inner.args,
        "--chdir",
        start.cwd,
        "--",
        start.program,
        ...start.args,
      ];
      return ok({
        ...limited(start, sandbox.program, args),
        env: inner.env,
        mounts: mounts.map(plannedMount),
        ...(filter && { input: { fd: filterDescriptor, bytes: filter } }),
        hasProxy: true,
        hasOwnProcesses: true,
      });
    },
    landlock(start) {
      const { abi = 1 } = sandbox;
      if (abi < minLandlock) return err(`Landlock of this kernel does not separate processes (Linux 6.12 does)`);
      const filter = seccompFilter({ exec: start.exec, sockets: false }, process.arch);
      if (!filter) return err(`system calls cannot be filtered on ${process.arch}`);
      const readable = [...start.readable, ...unreadable];
      const mounts = visibleMounts({ ...start, readable, placed: [] }, places);
      const pathsOf = (how: Mount["how"]) =>
        mounts.filter((mount) => mount.how === how).map(({ path, from = path }) => from);
      if (pathsOf("hide").length > 0) return err("Landlock cannot hide keys in a granted folder; grant a smaller one");
      const limits = { abi, isRoot, readable: pathsOf("read"), writable: pathsOf("write"), filter };
      const args = [...landlockAllowArguments(limits), start.program, ...start.args];
      return ok({
        ...limited(start, sandbox.program, args),
        env: prefixedVariables(start.env),
        hasProxy: false,
        hasOwnProcesses: false,
      });
    },
    seatbelt(start) {
      const mounts = visibleMounts({ ...start, placed: [] }, places);
      const { exec, proxySocket, ownSocket } = start;
      const profile = seatbeltAllowProfile({
        mounts,
        exec,
        ...(proxySocket !== undefined && { proxySocket }),
        ...(ownSocket !== undefined && { ownSocket }),
      });
      const args = ["-p", profile, start.program, ...start.args];
      const hasProxy = proxySocket !== undefined;
      return ok({ ...limited(start, sandbox.program, args), env: start.env, hasProxy, hasOwnProcesses: false });
    },
  };
  return { confine: confine[sandbox.kind] };
}

/** The number of a descriptor that neither the connection nor the mount verification uses. */
const filterDescriptor = 12;

/** Files that programs do not need, but that must be readable if they exist. */
const unreadable: readonly string[] = ["/etc/ssl/openssl.cnf", "/etc/localtime"];

/** The first version of Landlock that separates signals and abstract sockets. */
const minLandlock = 6;

const namespaces: readonly string[] = ["--unshare-pid", "--unshare-net", "--new-session", "--die-with-parent"];

/** Only few devices, because each mount takes time. */
const plainDevices: readonly string[] = [
  ...["null", "zero", "random", "urandom"].flatMap((name) => ["--dev-bind", `/dev/${name}`, `/dev/${name}`]),
  "--symlink",
  "/proc/self/fd",
  "/dev/fd",
];
/** Excludes writable places in memory. */
const allDevices: readonly string[] = ["--dev", "/dev", "--remount-ro", "/dev"];

/** Links at the root of the system, such as `/lib`, exist in the sandbox too. */
function mountsWithLinks(mounts: readonly Mount[]): readonly string[] {
  return [
    ...systemLinks().flatMap(([target, path]) => ["--symlink", target, path]),
    ...mounts.flatMap((mount) => mountArguments(mount, emptyFile)),
    ...mounts.filter(({ how, isFolder }) => how === "hide" && isFolder).flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

/** A hidden folder is empty, and a hidden file is replaced by this empty file. */
const emptyFile = "/dev/null";

function plannedMount({ path, from = path, how, isFolder }: Mount): PlannedMount {
  if (how !== "hide") return { path, from };
  return isFolder ? { path } : { path, from: emptyFile };
}

/** Sets system limits before the program starts: private memory, open files, the size of a file, no core dumps. */
export function limited(
  { maxMemoryBytes, maxFileBytes }: Pick<PluginProgram, "maxMemoryBytes" | "maxFileBytes">,
  program: string,
  args: readonly string[],
): Pick<ConfinedPlugin, "program" | "args"> {
  const kilobytes = String(Math.floor(maxMemoryBytes / 1024));
  const blocks = maxFileBytes === undefined ? "unlimited" : String(Math.ceil(maxFileBytes / 512));
  return { program: "/bin/sh", args: ["-c", limitScript, "sh", kilobytes, blocks, program, ...args] };
}

const limitScript = 'ulimit -c 0; ulimit -n 1024; ulimit -d "$1"; ulimit -f "$2"; shift 2; exec "$@"';
