import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

const verdictOf = (command: string) => judgeCommand(command, ordinaryFolder).verdict;

test("a command in an option or variable that a program runs is judged like the command itself", () => {
  const commands = [
    "scp -o ProxyCommand='rm -rf ~/x' a b:c",
    "sftp -D 'rm -rf ~/x'",
    "kubectl config set-credentials u --exec-command='rm -rf ~/x'",
    "go test -exec 'rm -rf ~/x' ./...",
    "java -XX:OnOutOfMemoryError='rm -rf ~/x' Main",
    "mvn exec:exec -Dexec.executable=rm -Dexec.args='-rf /root/x'",
    "mysql --pager='rm -rf ~/x'",
    "bat --pager 'rm -rf ~/x' notes.txt",
    "fzf --preview 'rm -rf ~/x'",
    "fzf --bind 'start:execute(rm -rf ~/x)'",
    "gs -sOutputFile=%pipe%'rm -rf ~/x' a.ps",
    "pdflatex -shell-escape '\\immediate\\write18{rm -rf ~/x}'",
    "gh alias set z '!rm -rf ~/x'",
    `CC='sh -c "rm -rf ~/x"' make`,
    "FZF_DEFAULT_COMMAND='rm -rf ~/x' fzf",
    "ERL_FLAGS='-eval os:cmd(x) ' erl",
    "PYTEST_ADDOPTS='-p evil' pytest",
    "RIPGREP_CONFIG_PATH=./rc rg x",
    // Names that do not mean a command.
    "hyperfine --prepare 'rm -rf ~/x' ls",
    "tar cf a.tar -M -F 'rm -rf ~/x' .",
    "mosh --server='rm -rf ~/x' host",
    "dpkg --pre-invoke='rm -rf ~/x' -i a.deb",
    "apt-get -o APT::Update::Pre-Invoke::='rm -rf ~/x' update",
    "hg --config alias.z='!rm -rf ~/x' z",
    `cargo --config 'target.x.runner="rm -rf /root/x"' run`,
    "tox --override testenv.commands='rm -rf ~/x'",
    "git -c imap.tunnel='rm -rf ~/x' imap-send",
    "tmux set -g default-command 'rm -rf ~/x'",
    "gcc -wrapper sh,-c,'rm -rf ~/x' a.c",
    "fzf --bind 'start:reload:rm -rf ~/x'",
    "rpm --eval '%(rm -rf ~/x)'",
    "PSQL_PAGER='rm -rf ~/x' psql",
    "BORG_PASSCOMMAND='rm -rf ~/x' borg list a",
    `FZF_DEFAULT_OPTS="--preview 'rm -rf ~/x'" fzf`,
  ];
  assert.deepEqual(
    commands.filter((command) => verdictOf(command) === "safe"),
    [],
  );
});

test("options with a harmless command, and texts for people, need no approval", () => {
  const commands = [
    "bat --pager 'less -R' notes.txt",
    "fzf --preview 'cat {}'",
    "CC='gcc -m32' make",
    "CC=clang CXX='ccache clang++' cmake -B build",
    "go test -exec 'env GODEBUG=x' ./...",
    "scp -o ProxyCommand='nc %h %p' a b:c",
    "git commit -m 'rm -rf ~/x was wrong'",
    "gh pr create --title 'Fix rm -rf ~/x' --body 'it ran rm -rf ~/x'",
    "PYTEST_ADDOPTS='-p no:cacheprovider -q' pytest",
    "kubectl create configmap x --from-literal=command='rm -rf ~/x'",
    "grep -e 'rm -rf ~/x' -- notes.txt",
    "rg -n -- 'rm -rf ~/x' src",
    "curl -d 'rm -rf ~/x' https://example.com",
    "sed -i 's/rm -rf x/y/' a.sh",
    "pytest -k 'find and replace'",
    "NOTE='rm -rf ~/x' npm test",
    "hyperfine --prepare 'make clean' make",
    "git log -S 'rm -rf ~/x'",
  ];
  assert.deepEqual(
    commands.filter((command) => verdictOf(command) !== "safe"),
    [],
  );
});
