import assert from "node:assert/strict";
import { test } from "node:test";

import { areMountsInPlace, parseMountTable } from "./mount-table.ts";

const own = parseMountTable(
  [
    "20 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "21 20 0:30 / /tmp rw - tmpfs tmpfs rw",
    "22 20 0:40 /@home /home rw shared:3 - btrfs /dev/vdb rw",
  ].join("\n"),
);

/** Lines of a sandbox: `DEVICE ROOT PATH TYPE`. */
function inner(...mounts: readonly string[]) {
  const lines = mounts.map((line, index) => {
    const [device, root, path, type] = line.split(" ");
    return `${index + 90} 80 ${device} ${root} ${path} rw,nosuid master:1 shared:2 - ${type ?? "ext4"} none rw`;
  });
  return parseMountTable(lines.join("\n"));
}

test("a mount is in place if the sandbox sees the planned folder of the planned device at its path", () => {
  const planned = [{ path: "/work", from: "/work" }, { path: "/home/a/.ssh" }, { path: "/tmp", from: "/tmp" }];
  const good = ["254:0 /work /work", "0:51 / /home/a/.ssh tmpfs", "0:30 / /tmp"];
  assert.equal(areMountsInPlace(planned, { seen: inner("254:0 / /", ...good), root: "", own }), true);
  assert.equal(areMountsInPlace(planned, { seen: inner(...good.slice(1)), root: "", own }), false, "one is missing");
  assert.equal(
    areMountsInPlace(planned, { seen: inner("254:0 /home /work", ...good.slice(1)), root: "", own }),
    false,
    "another folder",
  );
  assert.equal(
    areMountsInPlace(planned, { seen: inner("0:30 /work /work", ...good.slice(1)), root: "", own }),
    false,
    "another device",
  );
  assert.equal(
    areMountsInPlace(planned, { seen: inner(...good, "254:0 /etc /work"), root: "", own }),
    false,
    "a later mount covers it",
  );
  assert.equal(
    areMountsInPlace(planned, { seen: inner(...good, "254:0 /x /home/a/.ssh"), root: "", own }),
    false,
    "not an empty folder",
  );
});

test("folders of nested mounts and names with spaces are compared as the system writes them", () => {
  const planned = [{ path: "/home/a/my work", from: "/home/a/my work" }];
  assert.equal(
    areMountsInPlace(planned, { seen: inner("0:40 /@home/a/my\\040work /home/a/my\\040work"), root: "", own }),
    true,
  );
  assert.equal(
    areMountsInPlace(planned, { seen: inner("0:40 /a/my\\040work /home/a/my\\040work"), root: "", own }),
    false,
  );
  assert.equal(areMountsInPlace([{ path: "/x", from: "/tmp/e" }], { seen: inner("0:30 /e /x"), root: "", own }), true);
});

test("before the sandbox has changed its root, its mounts are found below the new root folder", () => {
  const seen = inner("254:0 /work /newroot/work");
  const planned = [{ path: "/work", from: "/work" }];
  assert.equal(areMountsInPlace(planned, { seen, root: "/newroot", own }), true);
  assert.equal(areMountsInPlace(planned, { seen, root: "", own }), false);
});

test("if our own mount table cannot be read, no mount counts as verified", () => {
  assert.equal(
    areMountsInPlace([{ path: "/x", from: "/x" }], { seen: inner("254:0 /x /x"), root: "", own: parseMountTable("") }),
    false,
  );
});
