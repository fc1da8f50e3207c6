// covers: src/code, src/runtime/code, src/runtime/environment, src/safety/isolation, src/tools/code
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";

import { codeRig } from "../support/code-rig.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ bwrap: "bubblewrap", python3: "python3" });
/** Scripts mostly wait. */
const options = { concurrency: 3, skip };

/** Each attack prints `escaped` when it works. */
const attacks: Readonly<Record<string, string>> = {
  "reading /proc/1/environ": `
try:
    if b"canary-host" in open("/proc/1/environ", "rb").read(): print("escaped")
except OSError as error: print(error.errno)`,
  "reading the environment of every process": `
import glob
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/task/*/environ"):
    try:
        if b"canary-host" in open(path, "rb").read(): print("escaped", path)
    except OSError: pass`,
  "seeing other processes": `
import glob
lines = [open(path, "rb").read() for path in glob.glob("/proc/[0-9]*/cmdline")]
print("escaped" if len(lines) > 6 else len(lines))`,
  "reading the home": `
import os
for path in [os.environ["HOME"] + "/secret.txt", os.environ["HOME"] + "/.ssh/id_rsa", os.environ["HERMES_HOME"] + "/config.yaml", os.environ["HERMES_HOME"] + "/sessions.db", "/root/.bashrc", "/etc/shadow", "/proc/1/root" + os.environ["HOME"] + "/secret.txt"]:
    try:
        open(path, "rb").read(); print("escaped", path)
    except OSError as error: print(path, error.errno)`,
  "writing the workspace": `
import os, subprocess
for path in ["new.txt", "a.txt", ".git/config", ".git/hooks/pre-commit"]:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        open(path, "w").write("x"); print("escaped", path)
    except OSError as error: print(path, error.errno)
if os.system("touch by-shell.txt") == 0: print("escaped shell")
if subprocess.run(["rm", "a.txt"]).returncode == 0: print("escaped rm")
for name in ("rename", "link", "symlink"):
    try:
        getattr(os, name)("a.txt", "b.txt"); print("escaped", name)
    except OSError as error: print(name, error.errno)
try:
    os.chmod("a.txt", 0o777); print("escaped chmod")
except OSError: pass`,
  "writing through a link in its temp folder": `
import os
link = os.environ["TMPDIR"] + "/link"
os.symlink(os.getcwd(), link)
try:
    open(link + "/through.txt", "w").write("x"); print("escaped")
except OSError as error: print(error.errno)`,
  "a network connection": `
import socket
for family, address in [(socket.AF_INET, ("127.0.0.1", PORT)), (socket.AF_INET6, ("::1", PORT)), (socket.AF_INET, ("1.1.1.1", 53))]:
    s = socket.socket(family)
    s.settimeout(2)
    try:
        s.connect(address); print("escaped", address)
    except OSError as error: print(error.errno)`,
  "an abstract socket of this machine": `
import socket
s = socket.socket(socket.AF_UNIX)
try:
    s.connect("\\0hermes-attack-PORT"); print("escaped")
except OSError as error: print(error.errno)`,
  "a socket of this machine in a file": `
import socket
s = socket.socket(socket.AF_UNIX)
for path in ["SOCKET", "/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"]:
    try:
        s.connect(path); print("escaped", path)
    except OSError as error: print(error.errno)`,
  "odd sockets": `
import socket
for family, kind, protocol in [(17, 3, 0), (40, 1, 0), (16, 3, 15), (38, 5, 0), (44, 3, 0), (1, 1, 0)][:-1]:
    try:
        socket.socket(family, kind, protocol); print("escaped", family)
    except OSError as error: print(error.errno)`,
  "tracing, io_uring, namespaces, mounts, keys, bpf": `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = {"ptrace": (101, 16, 1, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "io_uring_setup": (425, 8, 0), "unshare": (272, 0x10000000), "setns": (308, 0, 0),
  "mount": (165, 0, b"/tmp", b"tmpfs", 0, 0), "pivot_root": (155, b"/", b"/"), "bpf": (321, 0, 0, 0), "keyctl": (250, 0, -3, 0), "add_key": (248, b"user", b"x", b"x", 1, -3),
  "perf_event_open": (298, 0, 0, -1, -1, 0), "userfaultfd": (323, 0), "memfd_secret": (447, 0), "open_by_handle_at": (304, 0, 0, 0), "init_module": (175, 0, 0, b""), "kexec_load": (246, 0, 0, 0, 0),
  "clone3": (435, 0, 0), "pidfd_getfd": (438, 0, 0, 0), "fsopen": (430, b"tmpfs", 0), "move_mount": (429, 0, 0, 0, 0, 0), "quotactl": (179, 0, 0, 0, 0)}
import platform
if platform.machine() == "x86_64":
    for name, arguments in calls.items():
        outcome = libc.syscall(*arguments)
        number = ctypes.get_errno()
        print("escaped" if outcome >= 0 or number not in (1, 38, 13) else "refused", name, number)`,
  "a namespace of its own by clone": `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
if platform.machine() == "x86_64":
    pid = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    print("escaped" if pid > 0 else ctypes.get_errno())`,
  "more rights by programs of the system": `
import os, subprocess
for command in ["sudo -n true", "su -c true", "mount -t tmpfs x /tmp", "unshare -r true", "nsenter -t 1 -m true", "chroot / true", "bwrap --ro-bind / / true"]:
    done = subprocess.run(command, shell=True, capture_output=True)
    if done.returncode == 0: print("escaped", command)
status = open("/proc/self/status").read()
print([line for line in status.split("\\n") if line.startswith(("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:"))])
if "CapEff:\\t0000000000000000" not in status or "NoNewPrivs:\\t1" not in status: print("escaped rights")`,
  "files of the kernel": `
import os
for path in ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/dev/mem", "/dev/sda", "/dev/kmsg", "/proc/kcore", "/proc/self/oom_score_adj", "/proc/1/mem"]:
    try:
        open(path, "r+b"); print("escaped" if path != "/proc/self/oom_score_adj" else "own", path)
    except OSError as error: print(path, error.errno)`,
  "other folders of the machine": `
import os
print(sorted(os.listdir("/")))
for path in ["/home", "/root", "/var", "/srv", "/mnt", "/boot", "/opt", "/sys"]:
    try:
        names = os.listdir(path)
        if names and path in ("/home", "/var", "/boot", "/mnt", "/sys"): print("escaped", path, names[:3])
    except OSError: pass`,
  "the key files of the workspace": `
import os, subprocess
for path in [".env", ".env.local", "deep/.env", "id_rsa", "deep/server.pem", ".npmrc", ".git/config", "link-to-env"]:
    try:
        if "canary" in open(path).read(): print("escaped", path)
    except OSError as error: print(path, error.errno)
if b"canary" in subprocess.run("cat .env deep/.env", shell=True, capture_output=True).stdout: print("escaped shell")`,
  "a link of the workspace to the home": `
try:
    print(open("link-to-secret").read()); print("escaped")
except OSError as error: print(error.errno)
try:
    import os
    if "secret.txt" in os.listdir("link-to-home") or ".ssh" in os.listdir("link-to-home"): print("escaped")
except OSError as error: print(error.errno)`,
};

describe("scripts run isolated", options, () => {
  for (const [what, code] of Object.entries(attacks))
    test(`${what} is not possible`, async () => {
      await using rig = await codeRig({
        files: {
          "a.txt": "hello\n",
          ".env": "API_KEY=canary-env\n",
          ".env.local": "API_KEY=canary-env\n",
          "deep/.env": "API_KEY=canary-env\n",
          id_rsa: "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n",
          "deep/server.pem": "-----BEGIN PRIVATE KEY-----\ncanary\n",
          ".git/config": '[remote "origin"]\n\turl = https://me:canary@forge.test/me/project\n',
          ".npmrc": "//registry.test/:_authToken=canary\n",
        },
      });
      writeFileSync(join(rig.home, "secret.txt"), "canary-home\n");
      mkdirSync(join(rig.home, ".ssh"));
      writeFileSync(join(rig.home, ".ssh", "id_rsa"), "canary-key\n");
      symlinkSync("../secret.txt", join(rig.work, "link-to-secret"));
      symlinkSync(rig.home, join(rig.work, "link-to-home"));
      symlinkSync(".env", join(rig.work, "link-to-env"));
      const socket = join(rig.home, "door.sock");
      const servers = [createServer(() => {}), createServer(() => {}), createServer(() => {})];
      const [tcp, abstract, file] = servers;
      assert.ok(tcp && abstract && file);
      await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
      const address = tcp.address();
      const port = address && typeof address === "object" ? address.port : 0;
      await new Promise<void>((resolve) => abstract.listen(`\0hermes-attack-${port}`, resolve));
      await new Promise<void>((resolve) => file.listen(socket, resolve));
      process.env["CANARY_OF_THE_HOST"] = "canary-host";
      try {
        const result = await rig.run(code.replaceAll("PORT", String(port)).replaceAll("SOCKET", socket));
        assert.equal(result.warning, undefined, "it ran in the sandbox");
        assert.equal(result.status, "success", "the attack is a working script");
        assert.doesNotMatch(`${result.output}${result.errors ?? ""}`, /escaped|canary/u);
        assert.deepEqual(
          readdirSync(rig.work).filter((name) => /new\.txt|by-shell|b\.txt|through/u.test(name)),
          [],
        );
        assert.equal(readFileSync(join(rig.work, "a.txt"), "utf8"), "hello\n");
      } finally {
        for (const server of servers) server.close();
        rmSync(socket, { force: true });
      }
    });

  test("TypeScript scripts are isolated in the same way as Python scripts", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n", ".env": "API_KEY=canary-env\n" } });
    writeFileSync(join(rig.home, "secret.txt"), "canary-home\n");
    const output = await rig.printed(
      `
      import { execSync } from "node:child_process";
      import { readFileSync, readdirSync, writeFileSync } from "node:fs";
      import { connect } from "node:net";
      const attempts: Record<string, () => unknown> = {
        home: () => readFileSync(process.env.HOME + "/secret.txt", "utf8"),
        key: () => readFileSync(".env", "utf8"),
        write: () => writeFileSync("new.txt", "x"),
        shell: () => execSync("touch by-shell.txt", { stdio: "ignore" }),
        first: () => readFileSync("/proc/1/environ", "utf8").includes("canary") || (() => { throw new Error("no") })(),
        debugger: () => { process.kill(1, "SIGUSR1"); throw new Error("no"); },
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        try { const value = attempt(); console.log("escaped", name, value); } catch { console.log("refused", name); }
      }
      await new Promise<void>((resolve) => {
        const socket = connect(80, "1.1.1.1", () => { console.log("escaped network"); resolve(); });
        socket.on("error", () => resolve());
        setTimeout(resolve, 2000);
      });`,
      { language: "typescript" },
    );
    assert.doesNotMatch(output, /escaped|canary/u);
  });

  test("in strict mode a script sees nothing of the workspace", async () => {
    await using rig = await codeRig({ settings: { "code_execution.mode": "strict" }, files: { "a.txt": "hello\n" } });
    const output = await rig.printed(`
import os
print(os.getcwd(), os.listdir("."))
try:
    print(open("${rig.work}/a.txt").read(), "escaped")
except OSError as error: print(error.errno)`);
    assert.doesNotMatch(output, /escaped|hello/u);
  });
});
