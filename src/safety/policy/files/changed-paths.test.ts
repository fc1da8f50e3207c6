import assert from "node:assert/strict";
import { test } from "node:test";

import { judgeCommand } from "../../command/judge-command.ts";
import { changedPaths } from "./changed-paths.ts";

const start = { cwd: "/w", home: "/home/u", user: "u", functions: {}, aliases: {}, variables: { PATH: "/usr/bin" } };

function changes(command: string) {
  return changedPaths(command, start.cwd, judgeCommand(command, start));
}

test("the paths that known programs change are computed from their arguments", () => {
  for (const [command, paths] of [
    ["ls && cd src", []],
    ["rm -rf build", ["/w/build"]],
    ["mv a b", ["/w/a", "/w/b", "/w/b/a"]],
    ["cd src && ls > out.txt 2>&1", ["/w/src/out.txt"]],
    ["find build -type f -delete", ["/w/build"]],
    ["chown -R u a; dd if=a of=d", ["/w/a", "/w/d"]],
    ["mkdir -p a/b && touch a/b/c", ["/w/a/b", "/w/a/b/c"]],
    ["cat a | tee b > /dev/null", ["/w/b"]],
    ["rm ~/x /etc/y", ["/home/u/x", "/etc/y"]],
    ["if true; then chmod +x run; fi", ["/w/run"]],
    ["cat > a <<E\nhi\nE", ["/w/a"]],
  ] as const)
    assert.deepEqual(changes(command), { paths, isAll: true, folders: [] }, command);
});

test("if a command uses patterns inside a folder, only the content of the folder counts as changed", () => {
  for (const [command, folder] of [
    ["rm *.log", "/w"],
    ["cd build && rm -rf *", "/w/build"],
    ['for f in src/*; do rm -rf "$f"; done', "/w/src"],
  ] as const)
    assert.deepEqual(changes(command), { paths: [folder], contents: [folder], isAll: true, folders: [] }, command);
  assert.equal(changes("rm -rf build/* build").contents, undefined);
});

test("an unknown program counts as changing anything in its folder", () => {
  for (const [command, folders] of [
    ["npm test", ["/w"]],
    ["git reset --hard", ["/w"]],
    ["cd ../other && make", ["/other"]],
    ["python3 -c 'open(1)'", ["/w"]],
    ["rm $UNKNOWN_NAME", ["/w"]],
    ["sudo rm x", ["/w"]],
    ["cat list | xargs rm", ["/w"]],
    ["find . -exec rm {} +", ["/w"]],
    ["find . -name x -delete", ["/w"]],
    ['echo x >> "$F"', ["/w"]],
    ["rm x &", ["/w"]],
    ["sed -i s/a/b/ x", ["/w"]],
    ["if then (", ["/w"]],
    ["", ["/w"]],
  ] as const) {
    const changed = changes(command);
    assert.equal(changed.isAll, false, command);
    assert.deepEqual(changed.folders, folders, command);
  }
});
