import { findListing } from "../find-roots.ts";
import { readOptions } from "../options.ts";
import { programName } from "../program-name.ts";
import { type Field, hole, known, unknown } from "../shell/field.ts";
import type { Input, SimpleCommand } from "../shell/simple-command.ts";
import type { Payload } from "../shell/walk.ts";
import { joined } from "./shells.ts";
import type { Wrapper } from "./wrapper.ts";

/** Words that come from a list that is not known are added at the end, or where `-I` says. */
const xargs: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), {
    short: "adEILnPs",
    long: ["arg-file", "delimiter", "replace", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
    isPrefix: true,
  });
  const marker = read.value("I", "replace")?.text ?? (read.has("i") ? "{}" : undefined);
  const file = read.value("a", "arg-file");
  const given =
    file && ran.substitutions.has(file.text) ? ran.substitutions.get(file.text) : file ? undefined : ran.stdin.text;
  const listed = listOf(given, marker === undefined ? /[\s\0]+/u : /[\n\0]+/u) ?? foundBy(ran);
  const argv = read.operands.length > 0 ? read.operands : [known("echo")];
  if (marker !== undefined) {
    const items = listed ?? [unknown];
    return items.map((item) => ({ argv: argv.map((word) => filled(word, marker, item)), via: name, stdin: none }));
  }
  return [{ argv: [...argv, ...(listed ?? [unknown])], via: name, stdin: none }];
};

const none: Input = { text: "", from: [] };

const parallel: Wrapper = (ran, name) => {
  const { operands } = readOptions(ran.argv.slice(1), {
    short: "jNnLPSaIdE",
    long: ["jobs", "max-args", "sshlogin", "arg-file", "delay", "timeout", "joblog"],
    isPrefix: true,
  });
  const at = operands.findIndex(({ text }) => text.startsWith(":::"));
  const words = at < 0 ? operands : operands.slice(0, at);
  const items =
    at < 0
      ? (listOf(ran.stdin.text) ?? [unknown])
      : operands.slice(at + 1).filter(({ text }) => !text.startsWith(":::"));
  if (words.length === 0 && at < 0 && ran.stdin.text !== undefined)
    return ran.stdin.text
      .split("\n")
      .filter(Boolean)
      .flatMap((line) => joined([known(line)], name));
  if (words.length === 0) return items.flatMap((item) => joined([item], name));
  const text = words.map((word) => word.text).join(" ");
  return items.slice(0, 20).map((item) => ({
    text: /\{[^}\s]*\}/u.test(text) ? text.replaceAll(/\{[^}\s]*\}/gu, () => item.text) : `${text} ${item.text}`,
    via: name,
    isOwnShell: true,
  }));
};

/** `find / | xargs rm`: everything below the folders is named, and so are they. */
function foundBy({ stdin }: SimpleCommand): readonly Field[] | undefined {
  const last = stdin.from.at(-1);
  if (!last || programName(last.argv[0]) !== "find") return undefined;
  const { roots, isNarrow, name } = findListing(last.argv.slice(1));
  if (isNarrow) return name && [{ text: `${hole}/${name.text}`, isPattern: true, maySplit: true }];
  return [...roots, unknown];
}

function listOf(text: string | undefined, separator = /[\s\0]+/u): readonly Field[] | undefined {
  if (text === undefined || text.includes(hole)) return undefined;
  return text.split(separator).filter(Boolean).map(known);
}

function filled(word: Field, marker: string, item: Field): Field {
  return word.text.includes(marker)
    ? { ...word, text: word.text.replaceAll(marker, () => item.text), maySplit: false }
    : word;
}

/** Everything between `-exec` and `;` or `+`, with what is searched in place of `{}`. */
const find: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1);
  const { roots, isNarrow, name: wanted } = findListing(words);
  const root =
    roots.length === 1 ? (roots[0]?.text ?? "") : (roots.find(({ text }) => text.startsWith("/"))?.text ?? "");
  const found: Field = {
    text: isNarrow ? `${root}/${hole}${wanted ? `/${wanted.text}` : ""}` : root,
    isPattern: wanted !== undefined,
    maySplit: false,
  };
  const payloads: Payload[] = [];
  for (const [at, { text }] of words.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/u.test(text)) continue;
    const end = words.findIndex((word, index) => index > at && (word.text === ";" || word.text === "+"));
    const argv = words.slice(at + 1, end < 0 ? words.length : end).map((word) => filled(word, "{}", found));
    if (argv.length > 0) payloads.push({ argv, via: name });
  }
  return payloads;
};

/** `-x cmd`, `--exec cmd` of fd. */
const fd: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1);
  const at = words.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/u.test(text));
  const argv = words.slice(at + 1).map((word) => filled(word, "{}", unknown));
  return at < 0 || argv.length === 0
    ? []
    : [{ argv: argv.some(({ text }) => text.includes(hole)) ? argv : [...argv, unknown], via: name }];
};

/** Programs that run a command for what they find or are given as a list. */
export const lists: Readonly<Record<string, Wrapper>> = { xargs, parallel, find, fd };
