import { readdirSync } from "node:fs";
import { join } from "node:path";

import { isBelow, type Mount } from "./mount-plan.ts";

/** Landlock is the sandbox of the Linux kernel. It needs no separate program and no namespaces. */
export interface LandlockShape {
  readonly mounts: readonly Mount[];
  /** The version of the kernel interface. */
  readonly abi: number;
  readonly hasNetwork: boolean;
  readonly isRoot: boolean;
  /** Sockets among the hidden paths. Landlock cannot deny access to them. */
  readonly doors: readonly string[];
}

/**
 * The arguments of Perl before the program. Landlock grants access to whole trees and cannot exclude a part of one.
 * Therefore the parents of a hidden path are not granted, but all their other entries are. File names can be listed
 * everywhere.
 */
export function landlockArguments({ mounts, abi, hasNetwork, isRoot, doors }: LandlockShape): string[] {
  const hidden = mounts.filter(({ how, path }) => how === "hide" && !doors.includes(path)).map(({ path }) => path);
  // A visible tree inside a hidden one is granted separately.
  const hiddenIn = (tree: string) => hidden.filter((path) => tree === "/" || isBelow(path, tree));
  const written = mounts.filter(({ how }) => how === "write").map(({ path }) => path);
  const shown = mounts.filter(({ how }) => how === "read").map(({ path, from = path }) => from);
  const rules = [
    ...["/", ...shown].flatMap((path) => cover(path, hiddenIn(path))).map((path) => `r${path}`),
    ...[...written.flatMap((path) => cover(path, hiddenIn(path))), ...writableDevices].map((path) => `w${path}`),
  ];
  return scriptArguments({ abi, hasNetwork, isRoot, canList: true }, rules);
}

/**
 * Like `landlockArguments`, but for a program that sees only these paths, has no network, and may use only a few system
 * calls.
 */
export function landlockAllowArguments(shape: {
  readonly abi: number;
  readonly isRoot: boolean;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly filter: Uint8Array;
}): string[] {
  const { readable, writable, filter, ...rest } = shape;
  const rules = [
    ...readable.map((path) => `r${path}`),
    ...[...writable, ...plainDevices.map((name) => join("/dev", name))].map((path) => `w${path}`),
  ];
  return scriptArguments({ ...rest, hasNetwork: false, canList: false, filter }, rules);
}

interface ScriptShape {
  readonly abi: number;
  readonly hasNetwork: boolean;
  readonly isRoot: boolean;
  readonly canList: boolean;
  /** The filter for system calls. */
  readonly filter?: Uint8Array;
}

function scriptArguments(shape: ScriptShape, rules: readonly string[]): string[] {
  const { abi, hasNetwork, isRoot, canList, filter = new Uint8Array() } = shape;
  const numbers = [abi, prctlNumbers[process.arch] ?? 0, ...[hasNetwork, isRoot, canList].map(Number)];
  return ["-e", landlockScript, "--", ...numbers.map(String), Buffer.from(filter).toString("hex"), ...rules, "--"];
}

/** Returns whether the script supports this processor. */
export function hasLandlockScript(arch: string): boolean {
  return prctlNumbers[arch] !== undefined;
}

/** Splits a tree into parts that cover everything except the hidden paths. */
function cover(path: string, hidden: readonly string[]): readonly string[] {
  if (hidden.includes(path)) return [];
  if (!hidden.some((each) => isBelow(each, path))) return [path];
  return namesIn(path).flatMap((name) => cover(join(path, name), hidden));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const plainDevices: readonly string[] = ["null", "zero", "full", "random", "urandom"];
const writableDevices: readonly string[] = [...plainDevices, "tty", "ptmx", "pts", "shm"].map((name) =>
  join("/dev", name),
);

/** The system call number of `prctl` for each processor. The numbers of Landlock are the same everywhere. */
const prctlNumbers: Readonly<Record<string, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  loong64: 167,
  ppc64: 171,
  arm: 172,
  ia32: 172,
  s390x: 172,
};

/**
 * A Perl script, because Perl is available nearly everywhere and can make system calls. Arguments: interface version,
 * number of prctl, network, root, whether names can be listed everywhere, a filter for system calls or an empty text,
 * then rules (`r` or `w` and a path), `--`, and the program. It opens paths without following links; a path that became
 * a link is not granted. Variables are passed with a prefix, so that none affects Perl itself, which is not confined
 * yet.
 */
const landlockScript = String.raw`
use strict; use Fcntl;
my ($abi, $prctl, $network, $root, $listing, $filter) = splice @ARGV, 0, 6;
my $handled = (1 << ($abi >= 3 ? 15 : $abi >= 2 ? 14 : 13)) - 1;
my ($read, $write, $list, $ofFiles) = (0b101, $handled & ~0x840, 0b1000, $handled & 0b100000000000111);
$read |= $list unless $listing;
my $rules = syscall 444, pack('QQQ', $handled, $network || $abi < 4 ? 0 : 3, $abi < 6 ? 0 : 3), $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8, 0;
die "landlock: $!
" if $rules < 0;
sub allow {
  my ($path, $access, $flags) = @_;
  sysopen(my $file, $path, 010000000 | $flags) or return;
  return if $flags && readlink('/proc/self/fd/' . fileno $file) ne $path;
  my $rule = pack 'Qi', -d $file ? $access : $access & $ofFiles, fileno $file;
  syscall 445, $rules, 1, $rule, 0;
}
allow("/proc/self/fd/$_", $ofFiles & ~1, 0) for 0 .. 2;
allow('/', $list, 0) if $listing;
while (defined(my $rule = shift)) {
  last if $rule eq '--';
  allow(substr($rule, 1), $rule =~ /^w/ ? $write : $read, O_NOFOLLOW);
}
my %kept = map { $_ => 1 } 0, 1, 3 .. 7, 10;
if ($root) { $kept{$_} or syscall $prctl, 24, $_, 0, 0, 0 for 0 .. 63 }
syscall $prctl, 38, 1, 0, 0, 0;
die "landlock: $!
" if syscall 446, $rules, 0;
if ($filter ne '') {
  my $code = pack 'H*', $filter;
  my $program = pack 'Sx![Q]P', length($code) / 8, $code;
  die "seccomp: $!
" if syscall $prctl, 22, 2, $program;
}
%ENV = map { /^H_(.*)/s ? ($1 => $ENV{$_}) : () } keys %ENV;
exec { $ARGV[0] } @ARGV;
die "$ARGV[0]: $!
";
`;

/** The environment variables for Perl, with the prefix that the script expects. */
export function prefixedVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [`H_${name}`, value]));
}
