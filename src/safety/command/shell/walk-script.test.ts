import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";
import { pureOutput } from "../output/pure-output.ts";
import { payloadsOf } from "../wrappers/payloads.ts";
import { displayText } from "./field.ts";
import { type StartState, startState } from "./shell-state.ts";
import { walkScript } from "./walk-script.ts";

/** Returns the commands of a script as text, with `…` for unknown parts. */
function walked(script: string, start: Partial<StartState> = {}): readonly string[] {
  const state = startState({ ...ordinaryFolder, ...start });
  return walkScript(script, state, { payloads: payloadsOf, output: pureOutput }).commands.map(({ argv }) =>
    argv.map((word) => displayText(word)).join(" "),
  );
}

function last(script: string, start: Partial<StartState> = {}): string | undefined {
  return walked(script, start).at(-1);
}

test("the parsed words equal the arguments that the program gets", () => {
  assert.equal(last(`p a'b'"c"\\d $'\\x65' "" ''`), "p abcd e  ");
  assert.equal(last("p {a,b}c {1..3} x{1,2}{3,4}"), "p ac bc 1 2 3 x13 x14 x23 x24");
  assert.equal(last("p {a}b,c} {a,{b,c}d} {} {a..} {x,}"), "p a}b c a bd cd {} {a..} x");
  assert.equal(last('p {${x:-{a,b}},c} {"a,b",c} {$(echo a,b),c}'), "p {a,b} c a,b c a,b c");
  assert.equal(last(`p ${"{}".repeat(2_000)},`), "p …");
  assert.equal(last("p ~ ~/x ~root '~'"), "p /home/user /home/user/x /root ~");
  assert.equal(last("p $((2 + 3)) $UNSET_HERE"), "p 5 …");
});

test("values are tracked through variables, arrays and arguments", () => {
  assert.equal(last("x=a; y=$x; p $y"), "p a");
  assert.equal(last('list=(a "b c"); list+=(d); p "${list[@]}" ${#list[@]} "${list[@]:1}"'), "p a b c d 3 b c d");
  assert.equal(last('set -- a "b c"; shift; p "$@" $#'), "p b c 1");
  assert.equal(last('read -r x y <<< \'a b c\'; p "$y" "$x"'), "p b c a");
  assert.equal(last("printf -v x '%s-%s' a b; p $x"), "p a-b");
  assert.equal(last('f() { p "$2" "$1"; }; f a b'), "p b a");
  assert.equal(last('bash -c \'p "$0" "$@"\' zero one'), "p zero one");
  assert.equal(last("x=1 bash -c 'p $x'"), "p 1");
  assert.equal(last('x=(); x=a; p "${x[@]}"'), "p a");
  assert.equal(last("export x={a,b}; y={a,b}; p $x $y"), "p b {a,b}");
});

test("words are split by IFS or by its default, and if IFS is unknown the words are unknown", () => {
  const wordsOf = (script: string) => {
    const visitor = { payloads: payloadsOf, output: pureOutput };
    return walkScript(script, startState(ordinaryFolder), visitor)
      .commands.at(-1)
      ?.argv.map((word) => displayText(word));
  };
  assert.deepEqual(wordsOf('IFS=,; x="a,b c"; p $x'), ["p", "a", "b c"]);
  assert.deepEqual(wordsOf('IFS=,; unset IFS; x="a,b c"; p $x'), ["p", "a,b", "c"]);
  assert.deepEqual(wordsOf(`IFS=,; bash -c 'x="a,b c"; p $x'`), ["p", "a,b", "c"]);
  assert.deepEqual(wordsOf('if q; then IFS=,; fi; x="a,b c"; p $x'), ["p", "…"]);
  assert.deepEqual(wordsOf('IFS=/ read -r x y <<< "a b/c d"; p "$x" $y'), ["p", "a b", "c", "d"]);
  assert.deepEqual(wordsOf("read x y <<< 'a\\b c'; p $x $y"), ["p", "ab", "c"]);
  assert.deepEqual(wordsOf('x="a b"; while IFS= read -r line; do p $x; done'), ["p", "a", "b"]);
});

test("a variable set for one function call is unknown after it", () => {
  assert.equal(last("f() { p $x; }; x=a; x=b f; p $x"), "p …");
  assert.ok(walked("f() { p $x; }; x=a; x=b f").includes("p b"));
  assert.equal(last("f() { :; }; x=a; x=a f; p $x"), "p a");
});

test("a variable that is not exported is not visible in another shell", () => {
  assert.equal(last("x=a; bash -c 'p ${x:-other}'"), "p other");
  assert.equal(last("export x=a; bash -c 'p ${x:-other}'"), "p a");
  assert.equal(last("x=a; (p ${x:-other})"), "p a");
});

test("a variable set under a condition is unknown after it", () => {
  assert.equal(last("x=a; false && x=b; p $x"), "p …");
  assert.equal(last("x=a; if c; then x=b; fi; p $x"), "p …");
  assert.equal(last("x=a; while c; do x=b; done; p $x"), "p …");
  assert.equal(last("x=a; for i in 1; do break; x=b; done; p $x"), "p …");
  assert.equal(last("f() { c && return; x=b; }; x=a; f; p $x"), "p …");
  assert.equal(last("p $(false && echo a; echo b)"), "p …");
  assert.equal(last("x=a; true && x=b; p $x"), "p b");
});

test("changes in a subshell, a background list or a pipeline do not affect the shell", () => {
  assert.equal(last("x=a; (x=b); p $x"), "p a");
  assert.equal(last("x=a; x=b & p $x"), "p a");
  assert.equal(last("x=a; echo b | read x; p $x"), "p a");
});

test("a loop over known words is walked once for each word", () => {
  assert.deepEqual(walked("for x in a b; do p $x; done"), ["p a", "p b"]);
  assert.deepEqual(
    walked("printf 'a\\nb\\n' | while read x; do p $x; done").filter((line) => line.startsWith("p ")),
    ["p a", "p b"],
  );
});

test("a loop with unknown iterations is walked with the state of an earlier iteration", () => {
  const scripts = [
    'set -- p; for f in *; do "$@"; set -- q a; done',
    "f() { p; }; while r; do f; f() { q a; }; done",
    "c=p; for f in *.txt; do $c a; export c=q; done",
    "c=p; for f in $(r); do eval $c a; printf -v c q; done",
    "f() { $1 a; f q; }; f p",
  ];
  for (const script of scripts) assert.ok(walked(script).includes("q a"), script);
  assert.ok(walked('l=(p); for f in *; do "${l[@]}"; l=(q "${l[@]}"); done').includes("q p"));
  assert.ok(walked('l=(p); while r; do "${l[@]}"; l=(q); done').includes("…"));
});

test("both an alias and the command of the same name are judged", () => {
  assert.deepEqual(walked("alias q='p a'; q b").slice(1), ["p a b", "q b"]);
  assert.deepEqual(walked("q b", { aliases: { q: "p a" } }), ["p a b", "q b"]);
});

test("changes of the working folder are tracked", () => {
  const folders = (script: string) =>
    walkScript(script, startState(ordinaryFolder), { payloads: payloadsOf, output: pureOutput }).commands.at(-1)?.cwd;
  assert.equal(folders("cd /etc && p"), "/etc");
  assert.equal(folders("cd src; cd ../lib; p"), "/home/user/project/lib");
  assert.equal(folders("cd /a; cd /b; cd -; p"), "/a");
  assert.equal(folders("(cd /etc); p"), "/home/user/project");
  assert.equal(folders("cd; p"), "/home/user");
});

test("a function or alias from an earlier call is walked when this call uses it", () => {
  const functions = { deploy: 'deploy () \n{ \n    rm -rf "$1"\n}' };
  assert.equal(judgeCommand("deploy /", { ...ordinaryFolder, functions }).verdict, "hardline");
  assert.equal(judgeCommand("deploy /", ordinaryFolder).verdict, "safe");
  assert.equal(judgeCommand("zap /", { ...ordinaryFolder, aliases: { zap: "rm -rf" } }).verdict, "hardline");
  const variables = { TOOL: "rm" };
  assert.equal(judgeCommand("$TOOL -rf /", { ...ordinaryFolder, variables }).verdict, "hardline");
});

test("shell code that is only partly known needs approval", () => {
  const rules = (script: string) => judgeCommand(script, ordinaryFolder).findings.map(({ rule }) => rule);
  assert.deepEqual(rules('eval "ls $X"'), ["unknown_code"]);
  assert.deepEqual(rules("bash -c \"ls '$X'\""), ["unknown_code"]);
  assert.deepEqual(rules('bash -c \'ls "$1"\' _ "$X"'), []);
});

test("an expansion that exceeds the limit counts as unknown", () => {
  assert.equal(last("{rm,{1..2000}} -rf /"), "… -rf /");
});

test("a script that is too long or cannot be parsed is reported as not judged", () => {
  const doubts = (script: string) =>
    walkScript(script, startState(ordinaryFolder), { payloads: payloadsOf, output: pureOutput }).doubts.map(
      ({ kind }) => kind,
    );
  assert.deepEqual(doubts("a".repeat(130_000)), ["too_large"]);
  assert.equal(doubts("if true; then")[0], "unparsable");
  assert.equal(doubts("echo 'open")[0], "unparsable");
  assert.deepEqual(doubts("$(".repeat(500)), ["too_deep"]);
});

test("commands that a shell runs later, elsewhere or under another name are judged in the state in which they will run", () => {
  for (const script of [
    "trap 'rm -rf *' EXIT; cd /",
    "trap 'rm -rf \"$x\"' EXIT; x=/",
    "(trap 'rm -rf *' EXIT; cd /)",
    "pushd /; pushd /tmp; popd; rm -rf *",
    "env a.b=1 rm -rf /",
    "env =1 rm -rf /",
    "env -S '-u X rm -rf /'",
    "env --split='-i A=1 rm -rf /'",
    "env --un X rm -rf /",
    "rm --r --f /",
    "f() { rm -rf /; }; export -f f; bash -c f",
    "case a in $(rm -rf /)) ;; esac",
    "echo [$(rm -rf /)]",
    "mapfile -C 'rm -rf / #' -c 1 < x",
    "compgen -C 'rm -rf /'",
  ])
    assert.equal(judgeCommand(script, ordinaryFolder).verdict, "hardline", script);
  for (const script of [
    "echo <(ls)# ; rm x",
    "CDPATH=/ cd etc && echo x > passwd",
    "export CDPATH=/; cd etc; echo x > hosts",
    "BASH_CMDS[ls]=/bin/rm; ls x",
    "BASH_ALIASES[ll]='rm -r'",
    "MAKEFILES=other.mk make",
    "some-generator > run.sh; bash run.sh",
  ])
    assert.equal(judgeCommand(script, ordinaryFolder).verdict, "dangerous", script);
});

test("commands inside operands of expansions are judged, whatever the value is", () => {
  for (const script of [
    "x=a; q ${x^$(p)}",
    "q ${unset_here,,$(p)}",
    "q ${unset_here#$(p)}",
    "q ${unset_here/a/$(p)}",
    "q ${unset_here:$(p)}",
  ])
    assert.ok(walked(script).includes("p"), script);
});

test("if a word may be empty, the next word counts as the program", () => {
  assert.deepEqual(walked("x=$(q); ${x:+p} r a").slice(-2), ["p r a", "r a"]);
  assert.deepEqual(walked("for ((i = 0; i < 1; i += 1 + x++)); do q; break; done; ${x:+p} r").slice(-2), ["p r", "r"]);
});

test("the last command of a pipeline changes the shell after shopt -s lastpipe", () => {
  assert.equal(last("shopt -s lastpipe; echo p | read x; $x a"), "p a");
});

test("a tilde before quotes or a variable is an ordinary character", () => {
  assert.equal(last("p ~'/x' ~\"\" ~$unset_here ~/'x'"), "p ~/x ~ ~… /home/user/x");
});

test("prompt strings are expanded with their escapes, and shells execute files that the script wrote", () => {
  assert.equal(walked("x='$(p a\\tb)'; echo \"${x@P}\"").at(-2), "p a…b");
  for (const script of [
    "echo 'rm -rf /' > a; . ./a",
    "{ echo rm; echo -rf /; } | paste -sd' ' > a; printf 'rm -rf /' > a; bash ./a",
    "if q; then echo 'rm -rf /' > a; else echo ls > a; fi; bash a",
    "echo 'rm -rf /' | tee -a a; cp a b; mv b c; sh < c",
    "dd of=a <<< 'rm -rf /'; chmod +x a; ./a",
    "printf '#!/usr/bin/env python3\\nimport os\\nos.system(\"rm -rf /\")' > a; ./a",
    "echo 'import os; os.system(\"rm -rf /\")' > a.py; python3 a.py; echo 'print(1)' > a.py",
    "printf 'all:\\n\\trm -rf /\\n' > Makefile; make -s",
    'echo \'{"scripts":{"build":"rm -rf /"}}\' > package.json; npm run build',
  ])
    assert.equal(judgeCommand(script, ordinaryFolder).verdict, "hardline", script);
  assert.ok(judgeCommand("mkfifo p; sh < p | nc localhost 1 > p", ordinaryFolder).findings.length > 0);
});

test("a redirected function prints nothing, and arithmetic in a subscript can assign", () => {
  assert.equal(last("$(f() { echo x; }; f > file) p"), "… p");
  assert.equal(last("list=('y=1'); [[ -v list[$list] ]]; p ${y:+a} $y"), "p a …");
});

test("brace expansion leaves no empty word, and a redirection sets the variable of its descriptor", () => {
  assert.deepEqual(walked("p {rm,} x{,y}"), ["p rm x xy"]);
  assert.equal(last("list=(); exec {list}> file; p $list"), "p …");
});

test("code that the parser and bash, or sh and bash, read differently needs approval", () => {
  for (const script of [
    "export x=${x:='`p v`'}; q > \"$x\"",
    "sh -c 'env -u {HOME,b} rm -r x'",
    "sh -c 'shopt -s lastpipe; echo p | read x; $x a'",
    "list='`p v`'; PS4='+${list@P} '; set -x; :",
  ])
    assert.notEqual(judgeCommand(script, ordinaryFolder).verdict, "safe", script);
});
