import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

const verdictOf = (command: string) => judgeCommand(command, ordinaryFolder).verdict;

test("commands in a program's own language are judged, from its input and from files that the script writes", () => {
  for (const command of [
    "printf 'shell rm -rf ~/d' > cmds; gdb -x cmds a.out",
    `printf 'run-shell "rm -rf ~/d"' > t.conf; tmux -f t.conf new -d`,
    "printf 'Host *\\n ProxyCommand rm -rf ~/d\\n' > c; ssh -F c host",
    "printf ':!rm -rf ~/d\\n' > keys; vim -s keys x",
    `printf '(shell-command "rm -rf ~/d")' > x.el; emacs --batch -l x.el`,
    "m4 <<< 'syscmd(rm -rf ~/d)'",
    "printf '!rm -rf ~/d\\n' | ftp",
    "printf 'shell rm -rf ~/d\\n' | gdb",
    "echo 'exec rm -rf ~/d' | tclsh",
    `printf 'import os; os.system("rm -rf ~/d")' > SConstruct; scons`,
    `printf 'system("rm -rf ~/d")' > .irbrc; irb`,
    `printf 'system("rm -rf ~/d")' > .Rprofile; Rscript x.R`,
    `printf 'import shutil; shutil.rmtree("/home/user/d")' > sitecustomize.py; PYTHONPATH=. python3 x.py`,
    `echo 'require("fs").rmSync("/home/user/d",{recursive:true})' > .eslintrc.js; eslint .`,
    "just --command rm -rf ~/d",
    "cmake -P <(echo 'execute_process(COMMAND rm -rf /home/user/d)')",
    `printf 'rule x\\n command = rm -rf ~/d\\n' > build.ninja; ninja -f build.ninja`,
    `gradle --init-script=<(echo 'exec { commandLine "rm","-rf","/home/user/d" }') build`,
    "groff -U <<< '.sy rm -rf ~/d'",
    "mail -s x anna <<< '~!rm -rf ~/d'",
    "pacman --config <(echo 'XferCommand = rm -rf ~/d') -S x",
    "watchexec -- 'rm -rf ~/d'",
    "yarn exec 'rm -rf ~/d'",
    `rake -e 'rm_rf "/home/user/d"'`,
    "podman unshare rm -rf ~/d",
    "heroku run -a app rm -rf x",
    "fc -s rm",
    "LUA_INIT='os.execute(1)' lua x.lua",
    "WGETRC=./x wget http://localhost",
    "OPENSSL_CONF=./x openssl version",
  ])
    assert.notEqual(verdictOf(command), "safe", command);
});

test("ordinary scripts for these programs need no approval", () => {
  for (const command of [
    "printf 'set -g mouse on\\n' > t.conf; tmux -f t.conf new -d",
    "printf 'Host a\\n HostName b\\n' > c; ssh -F c a uptime",
    "gdb -batch -ex bt a.out",
    "printf 'bt\\nquit\\n' | gdb -q a.out core",
    "heroku run rails console",
    "just --command npm test",
    "fc -l",
    "printf 'divert(-1)\\n' | m4",
    "echo 'module.exports = {}' > .eslintrc.js; eslint .",
    "OPENSSL_CONF=/dev/null openssl version",
  ])
    assert.equal(verdictOf(command), "safe", command);
});
