import { gateDescriptors } from "../../contracts/safety/isolation.ts";
import type { Mount } from "./mount-plan.ts";

export interface SandboxShape {
  readonly mounts: readonly Mount[];
  readonly hasNetwork: boolean;
  readonly isRoot: boolean;
  /** An empty file that is mounted over hidden files. */
  readonly emptyFile: string;
  /** Existing devices in addition to the standard ones. */
  readonly devices: readonly string[];
}

/**
 * The arguments of bubblewrap before the program. All files are readable, and only mounts are writable. The sandbox has
 * its own process namespace and /proc: when its first process ends, all others are killed, and processes outside are
 * invisible.
 */
export function bubblewrapArguments({ mounts, hasNetwork, isRoot, emptyFile, devices }: SandboxShape): string[] {
  const hidden = mounts.filter(({ how, isFolder }) => how === "hide" && isFolder);
  return [
    ...files,
    ...devices.flatMap((path) => ["--dev-bind", path, path]),
    ...processes,
    ...(hasNetwork ? [] : ["--unshare-net"]),
    ...(isRoot ? forRoot : []),
    ...mounts.flatMap((mount) => mountArguments(mount, emptyFile)),
    // A hidden folder is made read-only after the mounts below it, so that writes to it fail instead of being lost.
    ...hidden.flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

/**
 * Additional arguments that make bubblewrap report when the mounts are ready, and wait for permission to continue: it
 * copies an empty file, which closes the first descriptor, and reads from the second one. The component that started it
 * verifies the mounts in between.
 */
export const gateArguments: readonly string[] = [
  "--file",
  String(gateDescriptors.mounted),
  "/../mounted",
  "--block-fd",
  String(gateDescriptors.release),
];

const files: readonly string[] = ["--ro-bind", "/", "/", "--dev", "/dev"];
const processes: readonly string[] = ["--proc", "/proc", "--unshare-pid"];

/**
 * The capabilities that root keeps, for files and ports. Those for mounts, tracing, devices and file handles are
 * removed.
 */
const keptCapabilities: readonly string[] = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_NET_BIND_SERVICE",
];

/**
 * Kernel settings that are mounted read-only: root can write them without a capability, and some contain the names of
 * programs that run outside.
 */
const forRoot: readonly string[] = [
  "--remount-ro",
  "/proc",
  "--cap-drop",
  "ALL",
  ...keptCapabilities.flatMap((name) => ["--cap-add", name]),
];

export function mountArguments({ path, from = path, isFolder, how }: Mount, emptyFile: string): readonly string[] {
  switch (how) {
    case "hide":
      return isFolder ? ["--tmpfs", path] : ["--ro-bind", emptyFile, path];
    case "read":
      return ["--ro-bind", from, path];
    case "write":
    case "hold":
      return ["--bind", from, path];
  }
}

/**
 * The environment of bubblewrap itself, which runs outside the sandbox. Loader variables are set only for the program
 * inside.
 */
export function innerVariables(env: Readonly<Record<string, string>>): {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
} {
  const isLoaders = ([name]: readonly [string, string]) => ofLoaders.test(name);
  const [own, others] = [Object.entries(env).filter(isLoaders), Object.entries(env).filter((each) => !isLoaders(each))];
  return { env: Object.fromEntries(others), args: own.flatMap(([name, value]) => ["--setenv", name, value]) };
}

const ofLoaders =
  /^(?:LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GETCONF_DIR|TZDIR|HOSTALIASES)$/u;
