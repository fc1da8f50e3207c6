import assert from "node:assert/strict";
import test from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";
import { isWrapper } from "./payloads.ts";

/** Returns the argument list of the last command that would run. */
function innermost(text: string): string {
  const { commands } = judgeCommand(text, ordinaryFolder);
  return (commands.at(-1)?.argv ?? []).map((word) => word.text).join(" ");
}

test("the command after wrapper programs and their options is recognised", () => {
  const lines = [
    "sudo -u root -E ls x",
    "sudo -n -- ls x",
    "env -i A=1 ls x",
    "env -S 'ls x'",
    "nice -n 5 ls x",
    "nice -10 ls x",
    "timeout -k 5 -s KILL 10 ls x",
    "ionice -c 2 -n 7 ls x",
    "stdbuf -oL ls x",
    "flock -n /tmp/l ls x",
    "chroot --userspec=a:b /mnt ls x",
    "xargs -0 -n 1 ls < /dev/null <<< x",
    "find x -exec ls {} \\;",
    "ssh -p 22 -i key host ls x",
    "docker exec -it -u root web ls x",
    "docker run --rm -v a:/b -e C=d image ls x",
    "docker compose -f a.yml exec web ls x",
    "kubectl -n prod exec pod -c app -- ls x",
    "npx -y ls x",
    "conda run -n base ls x",
    "git submodule foreach --recursive ls x",
    "git bisect run ls x",
    "git -c alias.y='!ls' y x",
    "ld.so ls x",
    "bash -lc 'ls x'",
    "bash -c '\"$@\"' _ ls x",
    "trap 'ls x' EXIT",
    "cmd /c ls x",
    "powershell -NoProfile -Command 'ls x'",
  ];
  assert.deepEqual(
    lines.filter((line) => innermost(line) !== "ls x"),
    [],
  );
});

test("programs that run other programs are recognised", () => {
  for (const name of ["sudo", "sh", "xargs", "python", "git", "docker", "powershell", "eval"])
    assert.ok(isWrapper(name), name);
  for (const name of ["ls", "grep", "rm"]) assert.ok(!isWrapper(name), name);
});

test("the folder option of a wrapper program sets the folder of its command", () => {
  assert.equal(judgeCommand("env -C / rm -rf .", ordinaryFolder).verdict, "hardline");
  assert.equal(judgeCommand("sudo --chdir=/ rm -rf .", ordinaryFolder).verdict, "hardline");
});
