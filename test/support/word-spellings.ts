import fc from "fast-check";

/** A spelling of one word, with the setup that it needs. */
export interface Written {
  /** Lines that must come first. */
  readonly setup: readonly string[];
  readonly text: string;
  /** Only this shell resolves the word; a program started from it does not. */
  readonly isInShell?: boolean;
}

/** A word in one of the spellings that hide it. `name` is an unused variable name. */
export function anySpelling(word: string, name: string, isProgram: boolean): fc.Arbitrary<Written> {
  const plain = (text: string): Written => ({ setup: [], text });
  const letters = fc
    .array(fc.nat(letterSpellings.length - 1), { minLength: word.length, maxLength: word.length })
    .map((picks) =>
      plain(
        Array.from(word)
          .map((char, index) => letterSpellings[picks[index] ?? 0]?.(char) ?? char)
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
    plain(`${single(word.slice(0, half))}$()${single(word.slice(half))}`),
    plain(`${single(word.slice(0, half))}\${nobody:+x}${single(word.slice(half))}`),
    ...(word.length > 1 && bare.test(word) ? [plain(`${word.slice(0, half)}\${nobody}${word.slice(half)}`)] : []),
    ...(word.startsWith("/") ? [plain(`\${HOME:0:1}${single(word.slice(1))}`)] : []),
    ...(word.startsWith("/") ? [plain(`\${PATH:0:1}${single(word.slice(1))}`)] : []),
    ...(isProgram ? [plain(`$(command -v ${single(word)})`)] : []),
    plain(
      `$(printf "${Array.from(word)
        .map((char) => `\\\\$(printf %03o ${char.codePointAt(0)})`)
        .join("")}")`,
    ),
    plain(
      `$(printf %s ${Array.from(word)
        .map((char) => single(char))
        .join(" ")})`,
    ),
    plain(`$(echo ${single(`zz${word}`)} | cut -c3-)`),
    plain(`$(sed s/zz// <<< ${single(`zz${word}`)})`),
    plain(`$(head -c${word.length} <<< ${single(`${word}zz`)})`),
    plain(`$(echo ${single(Array.from(word).join("@"))} | tr -d @)`),
    plain(`$(python3 -c ${single(`print(${JSON.stringify(word)})`)})`),
    plain(`$(perl -e ${single(`print ${JSON.stringify(word)}`)})`),
    plain(`$(echo $(printf %s ${single(word)}))`),
    plain(`$(echo $(echo ${Buffer.from(word).toString("base64")} | base64 -d) | cat)`),
    { setup: [`declare -A ${name}=([k]=${single(word)})`], text: `\${${name}[k]}` },
    { setup: [`${name}[3]=${single(word)}`], text: `"\${${name}[3]}"` },
    ...(/^[a-z]+$/u.test(word) ? [{ setup: [`${name}=${word.toUpperCase()}`], text: `\${${name},,}` }] : []),
  ];
  return fc.oneof(fc.constant(plain(bare.test(word) ? word : single(word))), letters, fc.constantFrom(...others));
}

const bare = /^[\w./=:@%+,-]+$/u;

/** One letter of a word, spelled so that the shell still reads this letter. */
const letterSpellings: readonly ((char: string) => string)[] = [
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

export function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function double(text: string): string {
  return `"${text.replaceAll(/["$`\\]/gu, "\\$&")}"`;
}

function hex(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
}
