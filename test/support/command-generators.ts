import { gzipSync } from "node:zlib";

import fc from "fast-check";

import { double, single, anySpelling, type Written } from "./word-spellings.ts";

/** Generates different ways to write the same command for bash: every generated script runs exactly `argv`. */
export function equivalents(argv: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      simple(argv),
      fc.array(fc.constantFrom(...prefixes), { maxLength: 2 }),
      fc.option(fc.constantFrom(...builtinPrefixes), { nil: undefined, freq: 4 }),
      wrappings(3),
    )
    .map(([{ setup, text, isInShell }, before, builtin, wraps]) => {
      const outer = isInShell ? [] : [...before, ...(builtin ? [builtin] : [])];
      const prefixed = outer.reduce((inner, prefix) => prefix(inner), text);
      const script = [...setup, prefixed].join(setup.some((line) => line.includes("\n")) ? "\n" : "; ");
      return wraps.reduce((inner, wrap) => wrap(inner), script);
    });
}

/** Generates other ways to run a whole script. */
export function wrapped(script: string): fc.Arbitrary<string> {
  return wrappings(3).map((wraps) => wraps.reduce((inner, wrap) => wrap(inner), script));
}

/** Characters with a meaning in a shell, characters that mislead the eye, and others. */
export function oddText(maxLength: number): fc.Arbitrary<string> {
  const odd = [
    "\0",
    "\r",
    "\x1b",
    "\x9b",
    "\u200b",
    "\u200d",
    "\u202e",
    "\ufeff",
    "\u00a0",
    "ｒ",
    "с",
    "é",
    "😀",
    "\ud800",
  ];
  return fc.string({ unit: fc.constantFrom(...Array.from("abrm-/ \t\n;&|<>(){}[]$`'\"\\*?~#!="), ...odd), maxLength });
}

type Change = (text: string) => string;

function wrappings(maxLength: number): fc.Arbitrary<readonly Change[]> {
  return fc.array(fc.constantFrom(...wraps), { maxLength });
}

function simple(argv: readonly string[]): fc.Arbitrary<Written> {
  const words = fc
    .tuple(
      fc.tuple(...argv.map((word, index) => anySpelling(word, `v${index}`, index === 0))),
      fc.array(fc.constantFrom(" ", "  ", "\t", " \\\n", "${IFS}", "$IFS''"), { minLength: 8, maxLength: 8 }),
    )
    .map(([spellings, gaps]) => ({
      setup: spellings.flatMap(({ setup }) => setup),
      text: spellings.map(({ text }, index) => (index === 0 ? text : `${gaps[index % 8]}${text}`)).join(""),
    }));
  const whole = fc.constantFrom<Written>(
    { setup: [`all=(${argv.map(single).join(" ")})`], text: '"${all[@]}"' },
    { setup: [`all=(${argv.map(single).join(" ")})`], text: "${all[*]}" },
    { setup: [`set -- ${argv.map(single).join(" ")}`], text: '"$@"' },
    {
      setup: [`run_it() { ${single(argv[0] ?? "")} "$@"; }`],
      text: `run_it ${argv.slice(1).map(single).join(" ")}`,
      isInShell: true,
    },
    { setup: [`all=${single(argv.join(" "))}`], text: "$all" },
    { setup: ["shopt -s expand_aliases\n", `alias zz=${single(argv.join(" "))}\n`], text: "zz", isInShell: true },
    { setup: [`IFS=,`, `all=${single(argv.join(","))}`], text: "$all" },
    { setup: [], text: `$(echo ${argv.map(single).join(" ")})` },
    ...(argv.length > 1 ? [{ setup: [], text: `{${argv.map(single).join(",")}}` }] : []),
  );
  return fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: whole });
}

/** Prefixes of one simple command. */
const prefixes: readonly Change[] = [
  (text) => `sudo ${text}`,
  (text) => `sudo -n -u root -- ${text}`,
  (text) => `env ${text}`,
  (text) => `env X=1 ${text}`,
  (text) => `/usr/bin/env ${text}`,
  (text) => `nohup ${text}`,
  (text) => `timeout 5 ${text}`,
  (text) => `timeout -s KILL 5s ${text}`,
  (text) => `nice -n 3 ${text}`,
  (text) => `nice ${text}`,
  (text) => `setsid -w ${text}`,
  (text) => `stdbuf -oL ${text}`,
  (text) => `>/dev/null env ${text}`,
  (text) => `xargs ${text} </dev/null`,
  (text) => `find . -maxdepth 0 -exec ${text} \\;`,
];

const builtinPrefixes: readonly Change[] = [
  (text) => `A=1 command ${text}`,
  (text) => `command -- ${text}`,
  (text) => `builtin command ${text}`,
  (text) => `exec ${text}`,
  (text) => `2>/dev/null ${text}`,
  (text) => `A=1 ${text}`,
];

/** Wrappers of a whole script. */
const wraps: readonly Change[] = [
  (text) => `eval ${single(text)}`,
  (text) => `eval ${double(text)}`,
  (text) => `bash -c ${single(text)}`,
  (text) => `bash -c ${double(text)}`,
  (text) => `bash -c ${ansi(text)}`,
  (text) => `bash --norc -ec ${single(text)}`,
  (text) => `/bin/bash -c ${single(text)} name one two`,
  (text) => `sudo bash -c ${single(text)}`,
  (text) => `env X=1 bash -c ${single(text)}`,
  (text) => `code=${single(text)}; eval "$code"`,
  (text) => `code=${single(text)}; bash -c "$code"`,
  (text) => `echo ${single(text)} | bash`,
  (text) => `printf '%s\\n' ${single(text)} | bash`,
  (text) => `printf %s ${single(text)} | bash -s`,
  (text) => `echo ${Buffer.from(text).toString("base64")} | base64 -d | bash`,
  (text) => `base64 -d <<< ${Buffer.from(text).toString("base64")} | bash`,
  (text) => `eval "$(echo ${Buffer.from(text).toString("base64")} | base64 --decode)"`,
  (text) => `echo ${Buffer.from(text).toString("hex")} | xxd -r -p | bash`,
  (text) => `bash <<< ${single(text)}`,
  (text) => `bash <<'END_${text.length}'\n${text}\nEND_${text.length}\n`,
  (text) => `cat <<'END_${text.length}' | bash\n${text}\nEND_${text.length}\n`,
  (text) => `bash <(echo ${single(text)})`,
  (text) => `source <(echo ${single(text)})`,
  (text) => `. /dev/stdin <<< ${single(text)}`,
  (text) => `(\n${text}\n)`,
  (text) => `{\n${text}\n}`,
  (text) => `{\n${text}\n} &\nwait`,
  (text) => `if true; then\n${text}\nfi`,
  (text) => `if false; then :; else\n${text}\nfi`,
  (text) => `while true; do\n${text}\nbreak; done`,
  (text) => `for each in 1; do\n${text}\ndone`,
  (text) => `case x in x)\n${text}\n;; esac`,
  (text) => `do_it() {\n${text}\n}; do_it`,
  (text) => `true && {\n${text}\n}`,
  (text) => `false || {\n${text}\n}`,
  (text) => `! {\n${text}\n}`,
  (text) => `{\n${text}\n} | cat`,
  (text) => `echo start; {\n${text}\n}`,
  (text) => `echo "$(\n${text}\n)"`,
  (text) => `got=$(\n${text}\n)`,
  (text) => `: "\${nobody:-$(\n${text}\n)}"`,
  (text) => `[[ -n $(\n${text}\n) ]]`,
  (text) => `cat <<END_${text.length}\n$(\n${text}\n)\nEND_${text.length}\n`,
  (text) => `trap ${single(text)} EXIT`,
  (text) => `# a comment\n${text}\n# another`,
  (text) => `cd . && {\n${text}\n}`,
  (text) => `find . -maxdepth 0 -exec bash -c ${single(text)} \\;`,
  (text) => `echo one | xargs -I@@ bash -c ${single(text)}`,
  (text) => `xargs bash -c ${single(text)} < /dev/null`,
  (text) => `exec 3>/dev/null; {\n${text}\n} 3>&1`,
  (text) => `time {\n${text}\n}`,
  (text) => `rev <<< ${single(reversed(text))} | bash`,
  (text) => `tr a-zA-Z n-za-mN-ZA-M <<< ${single(turned(text))} | bash`,
  (text) => `echo ${gzipSync(text).toString("base64")} | base64 -d | gzip -dc | bash`,
  (text) => `python3 -c ${single(`print(${JSON.stringify(text)})`)} | bash`,
  (text) => `python3 -c ${single(`import subprocess; subprocess.run(["bash", "-c", ${JSON.stringify(text)}])`)}`,
  (text) => `perl -e 'exec "bash", "-c", $ARGV[0]' ${single(text)}`,
  (text) => `bash -c 'eval "$0"' ${single(text)}`,
  (text) => `set -- ${single(text)}; eval "$1"`,
  (text) => `do_all() { eval "$@"; }; do_all ${single(text)}`,
  (text) => `command eval ${single(text)}`,
  (text) => `exec bash -c ${single(text)}`,
  (text) => `printf '%s\\n' ${single(text)} > /tmp/s${text.length}.sh; bash /tmp/s${text.length}.sh`,
  (text) => `coproc {\n${text}\n}; wait`,
  (text) => `until false; do\n${text}\nbreak; done`,
  (text) => `echo ignored > /dev/null\n\n\t${text}`,
];

function ansi(text: string): string {
  return `$'${text.replaceAll(/['\\]/gu, "\\$&").replaceAll("\n", "\\n")}'`;
}

/** Reverses each line. */
function reversed(text: string): string {
  return text
    .split("\n")
    .map((line) => Array.from(line).toReversed().join(""))
    .join("\n");
}

function turned(text: string): string {
  return text.replaceAll(/[a-z]/giu, (char) => {
    const code = char.charCodeAt(0);
    return String.fromCharCode(code + ((code & 31) <= 13 ? 13 : -13));
  });
}
