import assert from "node:assert/strict";
import { test } from "node:test";

import { type SeccompRules, seccompFilter } from "./seccomp-filter.ts";

/** Executes the filter in the same way as the kernel. */
function verdict(
  rules: SeccompRules,
  arch: "x64" | "arm64",
  number: number,
  args: readonly number[] = [],
  audit?: number,
) {
  const filter = seccompFilter(rules, arch);
  assert.ok(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(audit ?? (arch === "x64" ? 0xc000_003e : 0xc000_00b7), 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value >>> 0, 16 + index * 8);
  let loaded = 0;
  for (let pc = 0; ; pc++) {
    const [code, value] = [filter.readUInt16LE(pc * 8), filter.readUInt32LE(pc * 8 + 4)];
    const jump = (isTrue: boolean) => void (pc += filter.readUInt8(pc * 8 + (isTrue ? 2 : 3)));
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else return value === 0x7fff_0000 ? "allow" : value === 0x8000_0000 ? "kill" : value & 0xffff;
  }
}

const plain = { exec: false, sockets: true };
const withExec = { exec: true, sockets: true };
const thread = 0x003d_0f00;
const [notPermitted, noAccess, notImplemented, noSuchFamily] = [1, 13, 38, 97];

for (const [what, rules, arch, number, args, expected] of [
  ["read", plain, "arm64", 63, [], "allow"],
  ["read", plain, "x64", 0, [], "allow"],
  ["a program in place of itself", plain, "x64", 59, [], "allow"],
  ["a thread", plain, "arm64", 220, [thread], "allow"],
  ["a thread", plain, "x64", 56, [thread], "allow"],
  ["a process", plain, "arm64", 220, [17], notPermitted],
  ["fork", plain, "x64", 57, [], notPermitted],
  ["vfork", plain, "x64", 58, [], notPermitted],
  ["fork with exec", withExec, "x64", 57, [], "allow"],
  ["a process with exec", withExec, "arm64", 220, [17], "allow"],
  ["a namespace of users with exec", withExec, "arm64", 220, [0x1000_0011], notPermitted],
  ["clone3", withExec, "x64", 435, [], notImplemented],
  ["ptrace", withExec, "x64", 101, [], notPermitted],
  ["io_uring", plain, "arm64", 425, [], notImplemented],
  ["a Unix socket", plain, "arm64", 198, [1], "allow"],
  ["an IPv6 socket", plain, "x64", 41, [10], "allow"],
  ["a socket to the machine around a virtual one", plain, "arm64", 198, [40], noSuchFamily],
  ["questions about interfaces", plain, "arm64", 198, [16, 3, 0], "allow"],
  ["another netlink", plain, "arm64", 198, [16, 3, 9], noSuchFamily],
  ["any socket without sockets", { exec: false, sockets: false }, "x64", 41, [1], noAccess],
  ["the other interface of x64", plain, "x64", 0x4000_0039, [], notImplemented],
] as const)
  test(`${what} on ${arch}: ${expected}`, () => assert.equal(verdict(rules, arch, number, args), expected));

test("system calls of another architecture kill the process, and an unknown processor has no filter", () => {
  assert.equal(verdict(plain, "x64", 0, [], 0x4000_0003), "kill");
  assert.equal(seccompFilter(plain, "mips"), undefined);
});
