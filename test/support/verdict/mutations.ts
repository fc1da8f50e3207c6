import fc from "fast-check";

/** Mutations of real commands: parts of two joined, words hidden in expansions, characters removed or added. */
export function mutated(corpus: readonly string[]): fc.Arbitrary<string> {
  const one = fc.constantFrom(...corpus);
  return fc
    .tuple(one, one, fc.array(fc.tuple(fc.nat(changes.length - 1), fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 }))
    .map(([text, other, steps]) =>
      steps.reduce((current, [change, a, b]) => changes[change]?.(current, other, a, b) ?? current, text),
    );
}

type Mutation = (text: string, other: string, a: number, b: number) => string;

const marks = [
  ...Array.from("#;&|<>(){}[]$`'\"\\*?~!=\n \t"),
  "$(",
  "${",
  "<(",
  ">(",
  "$((",
  "))",
  "&&",
  "||",
  ";;",
  "<<E\n",
  "<<<",
  "&>",
  ">|",
  " # ",
  "\\\n",
  "$'",
  '$"',
  "[[ ",
  " ]]",
  "@P}",
  "{a,b}",
];

const joints = ["; ", " && ", " || ", " | ", "\n", " & ", " |& "];

const changes: readonly Mutation[] = [
  (text, other, a) => `${text}${joints[a % joints.length]}${other}`,
  (text, _, a, b) => inserted(text, a, marks[b % marks.length] ?? ""),
  (text, _, a) => text.slice(0, a % (text.length + 1)) + text.slice((a % (text.length + 1)) + 1),
  (text, other, a, b) => text.slice(0, a % (text.length + 1)) + other.slice(b % (other.length + 1)),
  (text, _, a) => wordChanged(text, a, (word) => `$(echo ${word})`),
  (text, _, a) => wordChanged(text, a, (word) => `"${word}"`),
  (text, _, a) => wordChanged(text, a, (word) => `{${word},b}`),
  (text, _, a) => wordChanged(text, a, (word) => `$${word}`),
  (text, _, a) => wordChanged(text, a, (word) => `\${x:-${word}}`),
  (text, other, a) => wordChanged(text, a, () => `$(${other})`),
  (text, other, a) => wordChanged(text, a, () => `<(${other})`),
  (text) => `x=${quoted(text)}; eval "$x"`,
  (text) => `bash -c ${quoted(text)}`,
  (text) => `x=${quoted(`a[$(${text})]`)}; echo $((x))`,
  (text) => `x=${quoted(`$(${text})`)}; echo "\${x@P}"`,
  (text) => `if ${text}; then :; fi`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `env ${text}`,
  (text) => `${text} # ${text}`,
  (text) => `echo ${quoted(text)} > s.sh; sh s.sh`,
];

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function inserted(text: string, index: number, mark: string): string {
  const offset = index % (text.length + 1);
  return text.slice(0, offset) + mark + text.slice(offset);
}

function wordChanged(text: string, index: number, change: (word: string) => string): string {
  const words = [...text.matchAll(/[^\s;&|<>()'"]+/gu)];
  const match = words[index % Math.max(1, words.length)];
  return match ? text.slice(0, match.index) + change(match[0]) + text.slice(match.index + match[0].length) : text;
}
