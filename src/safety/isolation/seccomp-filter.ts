/** The system calls that a sandboxed program may use. */
export interface SeccompRules {
  /** True if it may start other processes. Threads are always allowed. */
  readonly exec: boolean;
  /** True if it may create sockets. Inherited sockets can always be used. */
  readonly sockets: boolean;
}

/**
 * Creates a filter for system calls in the format of the kernel (classic BPF). It refuses tracing, mounts, namespaces,
 * keys, memory that belongs to no process, sockets that ignore namespaces, and, without `exec`, new processes.
 * Undefined if this processor is not supported.
 */
export function seccompFilter({ exec, sockets }: SeccompRules, arch: string): Buffer | undefined {
  const machine = machines[arch];
  if (!machine) return undefined;
  const { audit, calls } = machine;
  const each = (table: CallTable, outcome: Instruction) =>
    Object.values(table).flatMap((row) => whenCall(row[calls], [outcome]));
  return assemble([
    load(offsets.arch),
    ...unless("equal", audit, [kill]),
    load(offsets.number),
    // The second system call interface of x64 (x32) has its own numbers.
    ...when("atLeast", 0x4000_0000, [notImplemented]),
    ...each(refused, notPermitted),
    ...each(missing, notImplemented),
    ...(exec ? [] : each(forks, notPermitted)),
    ...whenCall(clone[calls], [load(offsets.firstArgument), ...(exec ? withoutNamespaces : onlyThreads)]),
    ...whenCall(socket[calls], sockets ? commonSockets : [noAccess]),
    allow,
  ]);
}

interface Instruction {
  readonly code: number;
  readonly jumps: readonly [whenTrue: number, whenFalse: number];
  readonly value: number;
}

const offsets = { number: 0, arch: 4, firstArgument: 16, thirdArgument: 32 } as const;
const tests = { equal: 0x15, atLeast: 0x35, anyBit: 0x45 } as const;

function load(offset: number): Instruction {
  return { code: 0x20, jumps: [0, 0], value: offset };
}

function result(value: number): Instruction {
  return { code: 0x06, jumps: [0, 0], value };
}

const fail = (errorNumber: number) => result(0x0005_0000 | errorNumber);
const allow = result(0x7fff_0000);
const kill = result(0x8000_0000);
const [notPermitted, noAccess, notImplemented, noSuchFamily] = [fail(1), fail(13), fail(38), fail(97)];

/** Adds instructions that run if the test of the loaded value succeeds. They must end with a result. */
function when(test: keyof typeof tests, value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: tests[test], jumps: [0, then.length], value }, ...then];
}

function unless(test: keyof typeof tests, value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: tests[test], jumps: [then.length, 0], value }, ...then];
}

function whenCall(number: number | undefined, then: readonly Instruction[]): readonly Instruction[] {
  return number === undefined ? [] : when("equal", number, then);
}

/** CLONE_THREAD. */
const onlyThreads = [...when("anyBit", 0x1_0000, [allow]), notPermitted];
/** All CLONE_NEW… flags. */
const withoutNamespaces = [...when("anyBit", 0x7e02_0080, [notPermitted]), allow];
/** The allowed socket families: Unix, IPv4, IPv6, and queries about network interfaces (NETLINK_ROUTE). */
const commonSockets = [
  load(offsets.firstArgument),
  ...[1, 2, 10].flatMap((family) => when("equal", family, [allow])),
  ...unless("equal", 16, [noSuchFamily]),
  load(offsets.thirdArgument),
  ...when("equal", 0, [allow]),
  noSuchFamily,
];

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jumps, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumps[0], index * 8 + 2);
    bytes.writeUInt8(jumps[1], index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

/** The numbers of a call: in the generic table of newer processors, and on x64, where some calls are older. */
interface CallNumbers {
  readonly generic?: number;
  readonly x64: number;
}
type CallTable = Readonly<Record<string, CallNumbers>>;

const machines: Readonly<Record<string, { readonly audit: number; readonly calls: keyof CallNumbers }>> = {
  x64: { audit: 0xc000_003e, calls: "x64" },
  arm64: { audit: 0xc000_00b7, calls: "generic" },
  riscv64: { audit: 0xc000_00f3, calls: "generic" },
};

const same = (number: number): CallNumbers => ({ generic: number, x64: number });
const clone: CallNumbers = { generic: 220, x64: 56 };
const socket: CallNumbers = { generic: 198, x64: 41 };
const forks: CallTable = { fork: { x64: 57 }, vfork: { x64: 58 } };

const refused: CallTable = {
  ptrace: { generic: 117, x64: 101 },
  process_vm_readv: { generic: 270, x64: 310 },
  process_vm_writev: { generic: 271, x64: 311 },
  kcmp: { generic: 272, x64: 312 },
  pidfd_getfd: same(438),
  mount: { generic: 40, x64: 165 },
  umount2: { generic: 39, x64: 166 },
  pivot_root: { generic: 41, x64: 155 },
  chroot: { generic: 51, x64: 161 },
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  unshare: { generic: 97, x64: 272 },
  setns: { generic: 268, x64: 308 },
  swapon: { generic: 224, x64: 167 },
  swapoff: { generic: 225, x64: 168 },
  reboot: { generic: 142, x64: 169 },
  kexec_load: { generic: 104, x64: 246 },
  kexec_file_load: { generic: 294, x64: 320 },
  init_module: { generic: 105, x64: 175 },
  finit_module: { generic: 273, x64: 313 },
  delete_module: { generic: 106, x64: 176 },
  bpf: { generic: 280, x64: 321 },
  perf_event_open: { generic: 241, x64: 298 },
  userfaultfd: { generic: 282, x64: 323 },
  add_key: { generic: 217, x64: 248 },
  request_key: { generic: 218, x64: 249 },
  keyctl: { generic: 219, x64: 250 },
  acct: { generic: 89, x64: 163 },
  quotactl: { generic: 60, x64: 179 },
  syslog: { generic: 116, x64: 103 },
  name_to_handle_at: { generic: 264, x64: 303 },
  open_by_handle_at: { generic: 265, x64: 304 },
  shmget: { generic: 194, x64: 29 },
  msgget: { generic: 186, x64: 68 },
  semget: { generic: 190, x64: 64 },
  mq_open: { generic: 180, x64: 240 },
};

/** Programs have a fallback if these calls are not available. */
const missing: CallTable = {
  clone3: same(435),
  memfd_create: { generic: 279, x64: 319 },
  memfd_secret: same(447),
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
};
