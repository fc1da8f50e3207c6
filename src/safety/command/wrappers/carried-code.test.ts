import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

function rulesOf(command: string): readonly string[] {
  return judgeCommand(command, ordinaryFolder).findings.map(({ rule }) => rule);
}

test("commands of a terminal multiplexer, a secret store and a search are judged", () => {
  for (const [command, rule] of [
    ["tmux pipe-pane 'rm -rf src'", "delete_recursive"],
    ["tmux pipep -o -t 0 'cat > ~/.bashrc'", "user_secret"],
    ["tmux new -d -s x \\; pipe-pane 'rm -rf src'", "delete_recursive"],
    ["tmux set -g status-right '#(rm -rf src)'", "delete_recursive"],
    ["tmux respawn-window 'rm -rf src'", "delete_recursive"],
    ["tmux set-hook -g alert-bell 'run-shell \"rm -rf src\"'", "delete_recursive"],
    ["tmux confirm-before 'run-shell \"rm -rf src\"'", "delete_recursive"],
    ["kitty --title x rm -rf src", "delete_recursive"],
    ["kitty -o font_size=9 sh -c 'rm -rf src'", "delete_recursive"],
    ["pm2 start 'rm -rf src'", "delete_recursive"],
    ["pm2 start --name x 'rm -rf src' -f", "delete_recursive"],
    ["gh alias set --shell co 'rm -rf src'", "delete_recursive"],
    ["gh alias set co 'rm -rf src' -s", "delete_recursive"],
    ["consul lock jobs rm -rf src", "delete_recursive"],
    ["consul lock jobs 'rm -rf src'", "delete_recursive"],
    ["logrotate -m 'rm -rf src' x.conf", "delete_recursive"],
    ["sops exec-env secrets.yaml 'rm -rf src'", "delete_recursive"],
    ["sops exec-file secrets.yaml 'rm -rf {}'", "delete_recursive"],
    ["doppler run --command='rm -rf src'", "delete_recursive"],
    ["gopass env team rm -rf src", "delete_recursive"],
    ["git grep -Orm x", "delete_unknown"],
    ["git grep --open-files-in-pager='rm -rf src' x", "delete_recursive"],
  ] as const)
    assert.ok(rulesOf(command).includes(rule), command);
});

test("Prolog and Crystal code that starts or deletes something needs approval", () => {
  for (const command of [
    "swipl -g 'shell(\"rm -rf src\")' -t halt",
    "swipl -g \"delete_file('x')\"",
    "gprolog --query-goal \"system('rm -rf src')\"",
    "crystal eval 'File.delete(\"x\")'",
    "crystal eval --no-color 'system(\"date\")'",
  ])
    assert.ok(rulesOf(command).includes("inline_code"), command);
});

test("code of unknown interpreters is recognised in the same word as an option and in parentheses", () => {
  for (const command of ["bb '(babashka.fs/delete-tree \"src\")'", "maxima --batch-string='system(\"rm -rf src\");'"])
    assert.ok(rulesOf(command).includes("unreadable_code"), command);
});

test("options that write a file, and archives whose names lead to other folders, need approval", () => {
  for (const [command, rule] of [
    ["csplit -f ~/.config/x file 10", "outside_workspace"],
    ["csplit --prefix=/etc/x file 10", "system_file"],
    ["tree -o ~/.bashrc", "user_secret"],
    ["less -O/etc/x file", "system_file"],
    ["sdiff -o ~/.bashrc a b", "user_secret"],
    ["go build -o ~/.bashrc", "user_secret"],
    ["eslint --output-file=/etc/x src", "system_file"],
    ["unzip -: x.zip", "overwrite_unknown"],
    ["7z x -spf x.7z", "overwrite_unknown"],
    ["pax -r -f x.tar", "overwrite_unknown"],
    ["jar xPf x.jar", "overwrite_unknown"],
  ] as const)
    assert.ok(rulesOf(command).includes(rule), command);
});

test("ordinary uses of these programs need no approval", () => {
  for (const command of [
    "tmux new-session -d -s x 'npm run dev'",
    "tmux pipe-pane -o 'cat >> log.txt'",
    "tmux set -g status-right '#(date)'",
    "tmux set-hook -g alert-bell 'display-message done'",
    "kitty +kitten icat x.png",
    "kitty --title x npm run dev",
    "pm2 start app.js --name api",
    "pm2 start 'npm run dev'",
    "gh alias set co 'pr checkout'",
    "gh alias list",
    "consul lock jobs npm start",
    "sops exec-env secrets.yaml 'npm start'",
    "doppler run -- npm start",
    "git grep -Oless x",
    "swipl -g 'X is 1+1, print(X)' -t halt",
    "swipl -g main -t halt prog.pl",
    "crystal eval 'puts 1'",
    "crystal spec",
    "bb '(+ 1 2)'",
    "bb '(println 1)'",
    "csplit -f part file 10",
    "tree -L 2 -o tree.txt",
    "go build -o app ./...",
    "od -o /bin/ls",
    "unzip -o x.zip",
    "7z x x.7z -oout",
    "jar xf x.jar",
    "fc a.txt b.txt",
  ])
    assert.deepEqual(rulesOf(command), [], command);
});
