import { findListing, isExecEnd } from "../checks/find-roots.ts";
import { readOptions } from "../programs/options.ts";
import { programName } from "../programs/program-name.ts";
import { type Field, hole, knownField, unknown } from "../shell/field.ts";
import { contentOf, type Input, type SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import { joinedPayload } from "./shells.ts";
import type { Wrapper } from "./wrapper.ts";

/**
 * Handles `xargs`, which appends the words of its input, or inserts them at the `-I` mark. Unknown input is marked as a
 * hole.
 */
const xargs: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), {
    short: "adEILnPs",
    long: ["arg-file", "delimiter", "replace", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
    isPrefix: true,
  });
  const marker = read.value("I", "replace")?.text ?? (read.has("i") ? "{}" : undefined);
  const file = read.value("a", "arg-file");
  const given = file ? contentOf(ran, file)?.replace(hole, "") : ran.stdin.text;
  const mark = read.has("0", "null") ? "\0" : read.value("d", "delimiter")?.text;
  const listed = itemsOf(given, mark, marker !== undefined) ?? foundBy(ran);
  const argv = read.operands.length > 0 ? read.operands : [knownField("echo")];
  if (marker !== undefined) {
    const items = listed ?? [unknown];
    return items.map((item) => ({ argv: argv.map((word) => filled(word, marker, item)), via: name, stdin: none }));
  }
  if (listed && listed.length <= maxItems && read.value("n", "max-args", "L", "max-lines")?.text === "1")
    return listed.map((item) => ({ argv: [...argv, item], via: name, stdin: none }));
  return [{ argv: [...argv, ...(listed ?? [unknown])], via: name, stdin: none }];
};

const maxItems = 50;

const none: Input = { text: "", from: [] };

const parallel: Wrapper = (ran, name) => {
  const { operands } = readOptions(ran.argv.slice(1), {
    short: "jNnLPSaIdE",
    long: ["jobs", "max-args", "sshlogin", "arg-file", "delay", "timeout", "joblog"],
    isPrefix: true,
  });
  const index = operands.findIndex(({ text }) => text.startsWith(":::"));
  const words = index < 0 ? operands : operands.slice(0, index);
  const items =
    index < 0
      ? (listOf(ran.stdin.text) ?? [unknown])
      : operands.slice(index + 1).filter(({ text }) => !text.startsWith(":::"));
  if (words.length === 0 && index < 0 && ran.stdin.text !== undefined)
    return ran.stdin.text
      .split("\n")
      .filter(Boolean)
      .flatMap((line) => joinedPayload([knownField(line)], name));
  if (words.length === 0) return items.flatMap((item) => joinedPayload([item], name));
  const text = words.map((word) => word.text).join(" ");
  return items.slice(0, 20).map((item) => ({
    text: /\{[^}\s]*\}/u.test(text) ? text.replaceAll(/\{[^}\s]*\}/gu, () => item.text) : `${text} ${item.text}`,
    via: name,
    isOwnShell: true,
  }));
};

/** Handles `find / | xargs rm`: the input lists the folders and everything below them. */
function foundBy({ stdin }: SimpleCommand): readonly Field[] | undefined {
  const last = stdin.from.at(-1);
  const name = programName(last?.argv[0]);
  // `ls` prints names in a folder; with `-d` and a pattern it prints whole paths.
  if (last && name === "ls" && readOptions(last.argv.slice(1)).operands.every(({ isPattern }) => !isPattern))
    return [{ text: "*", isPattern: true, maySplit: true }];
  if (!last || name !== "find") return undefined;
  const { roots, isNarrow, name: namePattern } = findListing(last.argv.slice(1));
  if (isNarrow) return namePattern && [{ text: `${hole}/${namePattern.text}`, isPattern: true, maySplit: true }];
  return [...roots, unknown];
}

/** Splits the input in the same way as xargs: quotes and backslashes protect spaces, unless a delimiter is set. */
function itemsOf(text: string | undefined, mark: string | undefined, isByLine: boolean): readonly Field[] | undefined {
  if (text === undefined || text.includes(hole)) return undefined;
  if (mark !== undefined) {
    const separator = mark.replaceAll("\\n", "\n").replaceAll("\\0", "\0").replaceAll("\\t", "\t");
    return text
      .split(separator)
      .map((item) => item.replace(/\n$/u, ""))
      .filter(Boolean)
      .map(knownField);
  }
  const items = isByLine ? text.split("\n") : (text.match(/(?:"[^"\n]*"|'[^'\n]*'|\\[^]|[^\s"'\\])+/gu) ?? []);
  return items
    .map((item) => item.trim().replaceAll(/"([^"\n]*)"|'([^'\n]*)'|\\([^])/gu, "$1$2$3"))
    .filter(Boolean)
    .map(knownField);
}

function listOf(text: string | undefined): readonly Field[] | undefined {
  if (text === undefined || text.includes(hole)) return undefined;
  return text
    .split(/[\s\0]+/u)
    .filter(Boolean)
    .map(knownField);
}

function filled(word: Field, marker: string, item: Field): Field {
  return word.text.includes(marker)
    ? { ...word, text: word.text.replaceAll(marker, () => item.text), maySplit: false }
    : word;
}

/** Returns the command between `-exec` and `;` or `+`, with the search root in place of `{}`. */
const find: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1);
  const { roots, isNarrow, name: namePattern } = findListing(words);
  const root =
    roots.length === 1 ? (roots[0]?.text ?? "") : (roots.find(({ text }) => text.startsWith("/"))?.text ?? "");
  const below =
    isNarrow && namePattern ? [`${root}/${hole}/${namePattern.text}`, `${root}/${namePattern.text}`] : undefined;
  // A name such as `id_*` selects keys.
  if (below && namePattern && /^(?:id_|\*?(?:rsa|ed25519))/u.test(namePattern.text))
    below.push(`${root}/.ssh/${namePattern.text}`);
  const matches = (below ?? [isNarrow ? `${root}/${hole}` : root]).map((text): Field => ({
    text,
    isPattern: namePattern !== undefined,
    maySplit: false,
  }));
  const payloads: Payload[] = [];
  for (let index = 0; index < words.length; index++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/u.test(words[index]?.text ?? "")) continue;
    const from = index + 1;
    while (index < words.length && !isExecEnd(words, index)) index += 1;
    const argv = words.slice(from, index);
    const isUsed = argv.some(({ text }) => text.includes("{}"));
    if (argv.length > 0)
      for (const each of isUsed ? matches : matches.slice(0, 1))
        payloads.push({ argv: argv.map((word) => filled(word, "{}", each)), via: name });
  }
  return payloads;
};

/** Handles `-x cmd` and `--exec cmd` of fd. */
const fd: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1).flatMap((word) => {
    const [, option, program] = /^(--exec(?:-batch)?|-[xX])=?([^=-][^]*)$/u.exec(word.text) ?? [];
    return option === undefined || program === undefined ? [word] : [knownField(option), { ...word, text: program }];
  });
  const index = words.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/u.test(text));
  if (index < 0) return [];
  const { operands } = readOptions(words.slice(0, index), {
    short: "dtescEoSjg",
    long: ["type", "extension", "max-depth"],
  });
  const [pattern, root] = operands;
  // Matches a pattern that selects everything in the folder.
  const matches = root && /^(?:\.|\.\*|)$/u.test(pattern?.text ?? "") ? root : unknown;
  const argv = words.slice(index + 1).map((word) => filled(word, "{}", matches));
  const isPlaced = words.slice(index + 1).some(({ text }) => text.includes("{}"));
  return argv.length === 0 ? [] : [{ argv: isPlaced ? argv : [...argv, matches], via: name }];
};

/** Programs that run a command for each match or list entry. */
export const listWrappers: Readonly<Record<string, Wrapper>> = { xargs, parallel, find, fd };
