import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

/** Every place where bash evaluates a value. `V` contains `a[$(rm -rf /)]`. */
const evaluated = [
  "echo $((V))",
  "echo $(( $V + 1 ))",
  "echo $[V]",
  "((V))",
  "((n = V + 1))",
  "for ((i = V; i < 1; i++)); do :; done",
  "let V",
  'let "n=$V"',
  "declare -i n=$V",
  "declare -i n; n=$V",
  "RANDOM=$V",
  "[[ $V -eq 0 ]]",
  "[[ 1 -gt V ]]",
  "[[ -v $V ]]",
  'test -v "$V"',
  '[ -v "$V" ]',
  "echo ${!V}",
  "s=abc; echo ${s:V}",
  "s=abc; echo ${s:0:$V}",
  "echo ${@:V}",
  "echo ${a[V]}",
  "echo ${#a[$V]}",
  "a[V]=1",
  "a[$V]=1",
  "a=([V]=1)",
  'read "$V" <<< 1',
  'printf -v "$V" 1',
  'declare "$V=1"',
  'a=1; unset "$V"',
  'declare -n r="$V"; r=1',
  'wait -n -p "$V"',
  "case 1 in $((V))) ;; esac",
  'set -- "$V"; echo $(($1))',
  "W=V; echo $((W))",
  "((V++))",
  "((--V))",
  "((V += 1))",
  "((V = V + 1))",
  "let V++",
  "let V<<=1",
  "echo $((V++)) $((V *= 2))",
  'set -- a b; echo "${@:V:1}"',
  "a=([V]+=1)",
  "SRANDOM=$V",
  "exec {a[V]}< notes.txt",
];

test("a command inside a value that bash evaluates is judged like any other command", () => {
  for (const use of evaluated) {
    const { verdict } = judgeCommand(`V='a[$(rm -rf /)]'; ${use}`, ordinaryFolder);
    assert.equal(verdict, "hardline", use);
  }
  for (const use of ['echo "${V@P}"', "echo ${V@P}", 'W=V; echo "${!W@P}"', 'declare -a b="($V)"', 'compgen -W "$V"'])
    assert.equal(judgeCommand(`V='$(rm -rf /)'; ${use}`, ordinaryFolder).verdict, "hardline", use);
});

test("an unknown value that bash evaluates needs approval", () => {
  for (const use of evaluated) {
    const { findings } = judgeCommand(`V=$(cat notes.txt); ${use}`, ordinaryFolder);
    assert.ok(
      findings.some(({ rule }) => rule === "unknown_code"),
      use,
    );
  }
});

test("arithmetic with numbers needs no approval", () => {
  for (const script of [
    "n=$(wc -l < notes.txt); echo $((n + 1))",
    "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done; echo $((i * 2))",
    "for i in $(seq 1 100); do echo $((i * 2)) ${list[$i]}; done",
    "for ((i = 0; i < 10; i++)); do echo ${list[i]}; done",
    "start=$(date +%s); make; echo $(( $(date +%s) - start )) seconds",
    "code=$(curl -s -o /dev/null -w '%{http_code}' localhost); [[ $code -eq 200 ]]",
    'list=(1 2 3); for i in "${!list[@]}"; do echo "${list[$i]} ${#list[@]}"; done',
    'declare -A count; while read -r word; do ((count[$word]++)); echo "${count[$word]}"; done < words.txt',
    "echo $((RANDOM % 6)) $((COLUMNS / 2)) $(( $# )) ${name:0:3}",
    "f() { local n=$1; echo $((n + 1)); }; f 3",
    "x=$(cat notes.txt); ((x = 5)); ((y = x = 2)); let x=3",
  ])
    assert.deepEqual(judgeCommand(script, ordinaryFolder).findings, [], script);
});

test("commands in here-documents and here-strings that no program reads are judged", () => {
  for (const script of [
    "x=a <<E\n$(rm -rf /)\nE",
    "<<E\n$(rm -rf /)\nE",
    "cat <<E <<F\n$(rm -rf /)\nE\nz\nF",
    "{ :; } <<E <<F\n`rm -rf /`\nE\nz\nF",
    'x=a <<< "$(rm -rf /)"',
    'cat <<< "$(rm -rf /)" <<< b',
  ])
    assert.equal(judgeCommand(script, ordinaryFolder).verdict, "hardline", script);
  for (const script of ["x=a <<'E'\n$(rm -rf /)\nE", "cat <<'E' <<F\n$(rm -rf /)\nE\nz\nF"])
    assert.equal(judgeCommand(script, ordinaryFolder).verdict, "safe", script);
});

test("a command of a list that prints nothing keeps the output of the commands before it", () => {
  for (const script of ["$(echo ls | x=1) rm -rf /", "$(echo ls | :) rm -rf /"])
    assert.notEqual(judgeCommand(script, ordinaryFolder).verdict, "safe", script);
  assert.equal(judgeCommand("x=$(echo a | cat); echo $x", ordinaryFolder).verdict, "safe");
});
