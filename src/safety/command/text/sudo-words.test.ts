import assert from "node:assert/strict";
import { test } from "node:test";

import { findSudo } from "./sudo-words.ts";

function edited(line: string): string {
  let shown = line;
  for (const { edit } of findSudo(line).toSorted((a, b) => b.edit.from - a.edit.from)) {
    shown = shown.slice(0, edit.from) + edit.text + shown.slice(edit.to);
  }
  return shown;
}

for (const [line, asking] of [
  ["sudo apt update", "sudo -A apt update"],
  ["A=1 B='x y' sudo -u www make", "A=1 B='x y' sudo -A -u www make"],
  ["cd /x && sudo make install || sudo -E make", "cd /x && sudo -A make install || sudo -A -E make"],
  ["echo a | sudo tee /etc/a | sudo cat", "echo a | sudo -A tee /etc/a | sudo -A cat"],
  ["(sudo a; { sudo b; }) & sudo c", "(sudo -A a; { sudo -A b; }) & sudo -A c"],
  ["if ! sudo a; then sudo b; fi", "if ! sudo -A a; then sudo -A b; fi"],
  ["f() { sudo a; }; f", "f() { sudo -A a; }; f"],
  ["time sudo a; nice -n 5 sudo b; env -u X Y=1 sudo c", "time sudo -A a; nice -n 5 sudo -A b; env -u X Y=1 sudo -A c"],
  ["timeout -k 1 5 sudo a; find . | xargs -n 1 sudo rm", "timeout -k 1 5 sudo -A a; find . | xargs -n 1 sudo -A rm"],
  ['echo "é😀 $(sudo a)" `sudo b`', 'echo "é😀 $(sudo -A a)" `sudo -A b`'],
  ["cat <<E\n$(sudo a)\nsudo text\nE\nsudo b", "cat <<E\n$(sudo -A a)\nsudo text\nE\nsudo -A b"],
  ["/usr/bin/sudo a; \\sudo b; 'sudo' c", "/usr/bin/sudo -A a; \\sudo -A b; 'sudo' -A c"],
  ["sudo -k apt update; sudo -v; sudo -s; sudo -l", "sudo -A -k apt update; sudo -A -v; sudo -A -s; sudo -A -l"],
  ["sudo -S a; sudo -kS b; sudo --stdin c", "sudo -A a; sudo -kA b; sudo --askpass c"],
  ["sudo -p -S a", "sudo -A -p -S a"],
  ["sudo VAR=1 -n a; sudo --user root b", "sudo VAR=1 -n a; sudo -A --user root b"],
] as const) {
  test(`in ${JSON.stringify(line)} every sudo that runs gets the password from the helper`, () =>
    assert.equal(edited(line), asking));
}

for (const line of [
  "ls",
  "echo sudo make",
  'grep "sudo apt" README; bash -c "sudo apt update"; # sudo x',
  "cat > x.sh <<'E'\nsudo apt\nE",
  "command -v sudo; which sudo; man sudo",
  "sudo -A a; sudo --askpass b; sudo -n c; sudo -nu x d; sudo --non-interactive e",
  "sudo --version; sudo --help; sudo -V; sudo -h; sudo -k; sudo -K; sudo",
  "pseudo x; sudo-rs y; ./sudo z; sudoedit w",
  "$x sudo; ${sudo}; alias s=sudo",
  "if sudo a; done (",
  "echo $(sudo a",
  "`echo \\`sudo a\\``",
]) {
  test(`${JSON.stringify(line)} stays unchanged`, () => assert.equal(edited(line), line));
}

for (const [line, isGiven] of [
  ["echo pw | sudo -S a", true],
  ["printf pw | sudo -u root -S a", true],
  ["echo pw | { cd /; sudo -S a; }", true],
  ["sudo -S a <<< pw", true],
  ["sudo -S a <<E\npw\nE", true],
  ["while sudo -S a; do :; done < pw.txt", true],
  ["sudo -kS a < file", true],
  ["sudo -S a", false],
  ["sudo -S a </dev/null", false],
  ["sudo -S a | cat", false],
  ["sudo -S a 3< file", false],
] as const) {
  test(`${JSON.stringify(line)} ${isGiven ? "hands" : "does not hand"} sudo a password`, () => {
    assert.deepEqual(
      findSudo(line).map(({ readsGiven }) => readsGiven),
      [isGiven],
    );
  });
}

test("long and hostile lines are parsed within a time limit", () => {
  assert.equal(findSudo("sudo a; ".repeat(5_000)).length, 5_000);
  findSudo(`sudo ${"$(".repeat(5_000)}`);
  findSudo(`sudo ${"(".repeat(50_000)}`);
});
