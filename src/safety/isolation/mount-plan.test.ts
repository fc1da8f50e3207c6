import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { bubblewrapArguments, innerVariables } from "./bubblewrap-arguments.ts";
import { isBelow, mountPlan, type MountRequest } from "./mount-plan.ts";

const folder = (path: string, how: MountRequest["how"]): MountRequest => ({ path, isFolder: true, how });

/** Returns `HOW PATH` for each mount. */
function planned(...wishes: readonly MountRequest[]): readonly string[] {
  return mountPlan(wishes).map(({ path, how }) => `${how} ${path}`);
}

test("mounts of nested paths come after their parents, and redundant mounts are omitted", () => {
  assert.deepEqual(
    planned(folder("/w/a", "write"), folder("/h/.ssh", "hide"), folder("/w", "write"), folder("/etc", "read")),
    ["hide /h/.ssh", "write /w"],
  );
});

test("a workspace inside a hidden folder is writable, and a hidden path inside a workspace stays hidden", () => {
  assert.deepEqual(planned(folder("/h", "hide"), folder("/h/work", "write")), ["hide /h", "write /h/work"]);
  assert.deepEqual(planned(folder("/w", "write"), folder("/w/.ssh", "hide")), ["write /w", "hide /w/.ssh"]);
});

test("folders above a hidden path are mount points, so that they cannot be moved", () => {
  assert.deepEqual(planned(folder("/w", "write"), folder("/w/a/b/.ssh", "hide"), folder("/w/a/.aws", "hide")), [
    "write /w",
    "hold /w/a",
    "hide /w/a/.aws",
    "hold /w/a/b",
    "hide /w/a/b/.ssh",
  ]);
});

test("if two rules have the same path, the later one is used", () => {
  assert.deepEqual(planned(folder("/h/.ssh", "hide"), folder("/h/.ssh", "read")), []);
  assert.deepEqual(planned(folder("/h/.ssh", "read"), folder("/h/.ssh", "hide")), ["hide /h/.ssh"]);
});

test("the mounts satisfy every combination of rules", () => {
  const path = fc
    .array(fc.constantFrom("a", "b", "a-"), { minLength: 1, maxLength: 4 })
    .map((parts) => `/${parts.join("/")}`);
  const wish = fc.record({ path, how: fc.constantFrom("hide", "read", "write"), isFolder: fc.constant(true) });
  fc.assert(
    fc.property(fc.array(wish as fc.Arbitrary<MountRequest>, { maxLength: 12 }), (wishes) => {
      const mounts = mountPlan(wishes);
      const last = new Map(wishes.map((each) => [each.path, each.how]));
      for (const [offset, how] of last) {
        const seen = mounts.findLast((mount) => mount.path === offset || isBelow(offset, mount.path))?.how ?? "read";
        assert.equal(seen === "hold" ? "write" : seen, how);
      }
      mounts.forEach((mount, index) =>
        assert.ok(!mounts.slice(index + 1).some((later) => isBelow(mount.path, later.path)), "parents come first"),
      );
    }),
  );
});

test("hidden folders are empty and read-only, hidden files are empty, and network and capabilities are removed", () => {
  const shape = { hasNetwork: false, isRoot: true, emptyFile: "/e", devices: ["/dev/shm"] };
  const mounts = [folder("/h", "hide"), { path: "/h/skills", from: "/s", isFolder: true, how: "read" as const }];
  const args = bubblewrapArguments({ ...shape, mounts: [...mounts, { path: "/n", isFolder: false, how: "hide" }] });
  const text = args.join(" ");
  assert.match(
    text,
    /^--ro-bind \/ \/ --dev \/dev --dev-bind \/dev\/shm \/dev\/shm --proc \/proc --unshare-pid --unshare-net --remount-ro \/proc --cap-drop ALL /u,
  );
  assert.match(text, / --tmpfs \/h --ro-bind \/s \/h\/skills --ro-bind \/e \/n --remount-ro \/h$/u);
  assert.doesNotMatch(text, /SYS_|DAC_READ|MKNOD|PTRACE|NET_ADMIN/u);
  const plain = bubblewrapArguments({ ...shape, hasNetwork: true, isRoot: false, mounts: [] }).join(" ");
  assert.doesNotMatch(plain, /--unshare-net|--cap/u);
});

test("loader variables are set only inside the sandbox", () => {
  assert.deepEqual(innerVariables({ A: "1", LD_PRELOAD: "/x", GLIBC_TUNABLES: "y" }), {
    env: { A: "1" },
    args: ["--setenv", "LD_PRELOAD", "/x", "--setenv", "GLIBC_TUNABLES", "y"],
  });
});
