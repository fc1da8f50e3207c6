import assert from "node:assert/strict";
import { test } from "node:test";

import { judgeCommand } from "../../command/judge-command.ts";
import { changedPaths } from "./changed-paths.ts";

const start = { cwd: "/w", home: "/home/u", user: "u", functions: {}, aliases: {}, variables: { PATH: "/usr/bin" } };

function changes(command: string) {
  return changedPaths(command, start.cwd, judgeCommand(command, start));
}

test("the paths that known programs change are known", () => {
  for (const [command, paths] of [
    ["ls && cd src", []],
    ["rm -rf build", ["/w/build"]],
    ["mv a b", ["/w/a", "/w/b", "/w/b/a"]],
    ["cd src && ls > out.txt 2>&1", ["/w/src/out.txt"]],
    ["rm *.log", ["/w"]],
    ['for f in src/*; do rm -rf "$f"; done', ["/w/src"]],
    ["mkdir -p a/b && touch a/b/c", ["/w/a/b", "/w/a/b/c"]],
    ["cat a | tee b > /dev/null", ["/w/b"]],
    ["rm ~/x /etc/y", ["/home/u/x", "/etc/y"]],
    ["if true; then chmod +x run; fi", ["/w/run"]],
    ["cat > a <<E\nhi\nE", ["/w/a"]],
  ] as const)
    assert.deepEqual(changes(command), { paths, isAll: true, folders: [] }, command);
});

test("an unknown program may change anything in its folder", () => {
  for (const [command, folders] of [
    ["npm test", ["/w"]],
    ["git reset --hard", ["/w"]],
    ["cd ../other && make", ["/other"]],
    ["python3 -c 'open(1)'", ["/w"]],
    ["rm $UNKNOWN_NAME", ["/w"]],
    ["sudo rm x", ["/w"]],
    ["find . -delete", ["/w"]],
    ["cat list | xargs rm", ["/w"]],
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
