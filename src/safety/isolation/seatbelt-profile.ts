import type { Mount } from "./mount-plan.ts";

/**
 * Formats the same limits as a profile for `sandbox-exec` of macOS. The last matching rule is used, so wider paths come
 * first. The system compares real paths at each access, so there are no mounts and no races.
 */
export function seatbeltProfile(mounts: readonly Mount[], hasNetwork: boolean): string {
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx"))',
    '(allow file-write* (regex #"^/dev/(ttys[0-9]+|fd/[0-9]+|stdout|stderr)$"))',
    ...(hasNetwork ? [] : ["(deny network*)"]),
    // Denied, because other programs could run a command outside the sandbox for the sender.
    "(deny appleevent-send)",
    ...mounts.map(ruleFor),
    "",
  ].join("\n");
}

/**
 * Formats the limits of a program that sees only these paths. With a proxy, it can also connect to ports of this
 * machine.
 */
export function seatbeltAllowProfile(shape: {
  readonly mounts: readonly Mount[];
  readonly exec: boolean;
  readonly proxySocket?: string;
  /** A socket of Hermes, which is the only network access. */
  readonly ownSocket?: string;
}): string {
  const { mounts, exec, proxySocket, ownSocket } = shape;
  return [
    "(version 1)",
    "(deny default)",
    "(allow sysctl-read) (allow signal (target self)) (allow process-exec*) (allow process-info* (target self))",
    exec ? "(allow process-fork)" : "(deny process-fork)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    '(allow file-read-metadata) (allow file-map-executable) (allow ipc-posix-sem) (allow file-read* (literal "/"))',
    '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/urandom") (literal "/dev/random"))',
    ...(proxySocket === undefined
      ? []
      : [
          '(allow network-bind network-inbound (local ip "localhost:*"))',
          `(allow network-outbound (remote ip "localhost:*") (literal ${quoted(proxySocket)}))`,
        ]),
    ...(ownSocket === undefined ? [] : [`(allow network-outbound (literal ${quoted(ownSocket)}))`]),
    ...mounts.map(ruleFor),
    "",
  ].join("\n");
}

function ruleFor({ path, from, isFolder, how }: Mount): string {
  const place = `(${isFolder ? "subpath" : "literal"} ${quoted(from ?? path)})`;
  switch (how) {
    case "hide":
      return `(deny file-read* file-write* ${place})`;
    case "read":
      return `(allow file-read* ${place})\n(deny file-write* ${place})`;
    case "write":
      return `(allow file-read* file-write* ${place})`;
    // The folder is writable, but it cannot be moved.
    case "hold":
      return `(deny file-write-unlink (literal ${quoted(path)}))`;
  }
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}
