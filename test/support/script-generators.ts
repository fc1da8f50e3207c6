import fc from "fast-check";

/**
 * Random scripts of the shell that end soon and call nothing but `p` and `q`: variables, arrays, functions, conditions,
 * loops, substitutions, here-documents, other shells.
 */
export function scripts(): fc.Arbitrary<string> {
  return fc.array(statement(3), { minLength: 2, maxLength: 7 }).map((lines) => lines.join("\n"));
}

const names = fc.constantFrom("x", "y", "z");
const literals = fc.constantFrom("a", "bc", "'d e'", '"f  g"', "h\\ i", "''", "-n", "rm", "$'j\\tk'", "l.m", "aXbXc");

const word: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: literals },
  { weight: 5, arbitrary: names.map((name) => `"$${name}"`) },
  { weight: 2, arbitrary: names.map((name) => `$${name}`) },
  fc.tuple(names, literals).map(([name, other]) => `\${${name}:-${other}}`),
  fc.tuple(names, literals).map(([name, other]) => `"\${${name}-w}"${other}`),
  names.map((name) => `"\${${name}:=new}"`),
  fc
    .tuple(names, fc.constantFrom("#a", "%c", "##*X", "%%X*", "#*X", "%X*", "/X/-", "//X/_", "/#a/A", "/%c/C"))
    .map(([name, operation]) => `"\${${name}${operation}}"`),
  fc.tuple(names, fc.constantFrom(":1", ":0:2", ": -1", ":1:1")).map(([name, part]) => `"\${${name}${part}}"`),
  fc.tuple(names, fc.constantFrom("^", "^^", ",", ",,")).map(([name, operation]) => `"\${${name}${operation}}"`),
  names.map((name) => `\${#${name}}`),
  fc.constantFrom('"${list[@]}"', "${list[*]}", '"${list[*]}"', '"${list[0]}"', "${#list[@]}", '"${list[@]:1}"'),
  fc.constantFrom('"$@"', '"$*"', "$#", '"$1"', '"${@:2}"', "$2"),
  literals.map((text) => `$(echo ${text})`),
  names.map((name) => `"$(echo "$${name}")"`),
  fc.tuple(literals, names).map(([text, name]) => `\`printf %s ${text} "$${name}"\``.replaceAll("\\", "\\\\")),
  literals.map((text) => `"$(echo ${text} | tr a-c A-C)"`),
  fc.constantFrom("{1,2}", "u{v,w}", "{1..3}", "$((1 + 2))", '"$((4 * 5))"', "pre{a,'b c'}post", "~/t", "$HOME/u"),
);

const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(" "));

const condition = fc.oneof(
  fc.constantFrom("true", "false", "! true", "(( 1 ))", "p test", "[[ a = b ]]"),
  names.map((name) => `[ "$${name}" = a ]`),
  names.map((name) => `[[ -n $${name} ]]`),
);

function statement(depth: number): fc.Arbitrary<string> {
  const flat = fc.oneof(
    { weight: 6, arbitrary: words.map((list) => `p ${list}`) },
    { weight: 4, arbitrary: fc.tuple(names, word).map(([name, value]) => `${name}=${value}`) },
    fc.tuple(names, literals).map(([name, value]) => `${name}+=${value}`),
    words.map((list) => `list=(${list})`),
    words.map((list) => `list+=(${list})`),
    word.map((value) => `list[0]=${value}`),
    fc.tuple(names, word).map(([name, value]) => `read -r ${name} <<< ${value}`),
    word.map((value) => `read -r x y <<< ${value}`),
    fc.tuple(names, word).map(([name, value]) => `printf -v ${name} %s ${value}`),
    fc.tuple(names, word).map(([name, value]) => `export ${name}=${value}`),
    names.map((name) => `unset ${name}`),
    words.map((list) => `set -- ${list}`),
    fc.constantFrom(
      "shift",
      "break 2>/dev/null",
      "f one 'two three'",
      "f",
      "x=1 f",
      ": ${y:=from}",
      "IFS=X",
      "unset IFS",
    ),
    fc.tuple(names, word).map(([name, value]) => `${name}=${value} p "$${name}"`),
    fc.tuple(names, word).map(([name, value]) => `${name}=${value} bash -c 'p "$${name}" "$y"'`),
    word.map((value) => `bash -c 'p "$0" "$@"' zero ${value} end`),
    word.map((value) => `printf '%s\\n' ${value} | { read -r x; p "$x"; }`),
    word.map((value) => `echo ${value} | while read -r y; do p "$y"; done`),
    names.map((name) => `cat <<END | { read -r z; p "$z"; }\n$${name} \\$x $((1 + 2)) \${${name}:-w}\nEND`),
    words.map((list) => `eval p ${list}`),
    words.map((list) => `eval 'p ${list.replaceAll("'", "'\\''")}'`),
  );
  if (depth === 0) return flat;
  const inner = fc.array(statement(depth - 1), { minLength: 1, maxLength: 2 }).map((lines) => lines.join("\n"));
  const nested = fc.oneof(
    fc.tuple(condition, inner, inner).map(([test, yes, no]) => `if ${test}; then\n${yes}\nelse\n${no}\nfi`),
    fc.tuple(condition, inner).map(([test, yes]) => `${test} && {\n${yes}\n}`),
    fc.tuple(condition, inner).map(([test, no]) => `${test} || {\n${no}\n}`),
    fc.tuple(names, words, inner).map(([name, list, body]) => `for ${name} in ${list}; do\n${body}\ndone`),
    fc.tuple(condition, inner).map(([test, body]) => `while ${test}; do\n${body}\nbreak\ndone`),
    fc.tuple(condition, inner).map(([test, body]) => `for i in 1 2; do\n${test} && continue\n${body}\ndone`),
    fc.tuple(word, inner, inner).map(([value, a, b]) => `case ${value} in a*)\n${a}\n;; *)\n${b}\n;; esac`),
    inner.map((body) => `f() {\n${body}\n}`),
    fc.tuple(condition, inner).map(([test, body]) => `f() {\n${test} && return\n${body}\n}\nf`),
    inner.map((body) => `(\n${body}\n)`),
    inner.map((body) => `{\n${body}\n} | cat`),
    inner.map((body) => `x=$(\n${body}\n)`),
    inner.map((body) => `bash <<'END_${depth}'\n${body}\nEND_${depth}`),
    inner.map((body) => `eval '${body.replaceAll("'", "'\\''")}'`),
  );
  return fc.oneof({ weight: 3, arbitrary: flat }, { weight: 2, arbitrary: nested });
}
