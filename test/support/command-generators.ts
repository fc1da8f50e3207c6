import fc from "fast-check";

/** Ways to write the same command, each as bash reads it: what is generated runs exactly `argv`. */
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

/** A whole script, run by other means. */
export function wrapped(script: string): fc.Arbitrary<string> {
  return wrappings(3).map((wraps) => wraps.reduce((inner, wrap) => wrap(inner), script));
}

/** Characters that mean something to a shell or fool the eye, and some that do not. */
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

interface Written {
  /** Lines that must come first. */
  readonly setup: readonly string[];
  readonly text: string;
  /** Only this shell knows it, no program that would run it. */
  readonly isInShell?: boolean;
}

function simple(argv: readonly string[]): fc.Arbitrary<Written> {
  const words = fc
    .tuple(
      fc.tuple(...argv.map((word, index) => spelled(word, `v${index}`))),
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

/** One word in one of the ways in which people hide it. `name` is a variable of its own. */
function spelled(word: string, name: string): fc.Arbitrary<Written> {
  const plain = (text: string): Written => ({ setup: [], text });
  const letters = fc
    .array(fc.nat(letterSpellings.length - 1), { minLength: word.length, maxLength: word.length })
    .map((picks) =>
      plain(
        Array.from(word)
          .map((char, at) => letterSpellings[picks[at] ?? 0]?.(char) ?? char)
          .join(""),
      ),
    );
  const half = Math.ceil(word.length / 2);
  const others: Written[] = [
    plain(single(word)),
    plain(double(word)),
    plain(
      `$'${Array.from(word)
        .map((char) => `\\x${hex(char)}`)
        .join("")}'`,
    ),
    plain(
      `$'${Array.from(word)
        .map((char) => `\\${(char.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`)
        .join("")}'`,
    ),
    plain(`\${nobody:-${single(word)}}`),
    plain(`\${nobody-${single(word)}}`),
    plain(`\${HOME:+${single(word)}}`),
    plain(`$(echo ${single(word)})`),
    plain(`\`echo ${single(word)}\``),
    plain(`$(printf %s ${single(word)})`),
    plain(
      `$(printf '${Array.from(word)
        .map((char) => `\\x${hex(char)}`)
        .join("")}')`,
    ),
    plain(`"$(echo ${Buffer.from(word).toString("base64")} | base64 -d)"`),
    plain(`$(echo ${single(Array.from(word).toReversed().join(""))} | rev)`),
    plain(`$(cat <<< ${single(word)})`),
    { setup: [`${name}=${single(word)}`], text: `$${name}` },
    { setup: [`${name}=${single(word)}`], text: `"\${${name}}"` },
    { setup: [`${name}=${single(word.slice(0, half))}`], text: `\${${name}}${single(word.slice(half))}` },
    { setup: [`${name}=${single(`zz${word}`)}`], text: `\${${name}:2}` },
    { setup: [`${name}=${single(`zz${word}`)}`], text: `"\${${name}#zz}"` },
    { setup: [`${name}=${single(`${word}zz`)}`], text: `\${${name}%zz}` },
    { setup: [`${name}=${single(`@${word}`)}`], text: `"\${${name}/@/}"` },
    { setup: [`${name}=(x ${single(word)})`], text: `"\${${name}[1]}"` },
    { setup: [`${name}=${single(word)}`, `${name}n=${name}`], text: `"\${!${name}n}"` },
    { setup: [`read -r ${name} <<< ${single(word)}`], text: `"$${name}"` },
    { setup: [`printf -v ${name} %s ${single(word)}`], text: `$${name}` },
    { setup: [`export ${name}=${single(word)}`], text: `$${name}` },
    { setup: [`: \${${name}:=${single(word)}}`], text: `"$${name}"` },
    { setup: [`${name}=${single(word.slice(0, half))}`, `${name}+=${single(word.slice(half))}`], text: `$${name}` },
    ...(/^[a-z]+$/u.test(word) ? [{ setup: [`${name}=${word.toUpperCase()}`], text: `\${${name},,}` }] : []),
  ];
  return fc.oneof(fc.constant(plain(bare.test(word) ? word : single(word))), letters, fc.constantFrom(...others));
}

const bare = /^[\w./=:@%+,-]+$/u;

/** One letter of a word, so that the shell still reads this letter. */
const letterSpellings: readonly Change[] = [
  (char) => (bare.test(char) ? char : single(char)),
  (char) => (bare.test(char) ? char : single(char)),
  (char) => `\\${char}`,
  single,
  double,
  (char) => `$'\\x${hex(char)}'`,
  (char) => `''${single(char)}`,
  (char) => `${single(char)}""`,
  (char) => `\\\n${bare.test(char) ? char : single(char)}`,
];

/** In front of one simple command. */
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

/** Around a whole script. */
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
  (text) => `echo one | xargs -I{} bash -c ${single(text)}`,
  (text) => `xargs bash -c ${single(text)} < /dev/null`,
  (text) => `exec 3>/dev/null; {\n${text}\n} 3>&1`,
  (text) => `time {\n${text}\n}`,
  (text) => `echo ignored > /dev/null\n\n\t${text}`,
];

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function double(text: string): string {
  return `"${text.replaceAll(/["$`\\]/gu, "\\$&")}"`;
}

function ansi(text: string): string {
  return `$'${text.replaceAll(/['\\]/gu, "\\$&").replaceAll("\n", "\\n")}'`;
}

function hex(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
}
