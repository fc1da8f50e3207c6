import { words } from "../../../base/text/words.ts";
import { type Fact, path, rule } from "../fact.ts";
import { type Field, knownField } from "../shell/field.ts";
import { contentOf, type SimpleCommand } from "../shell/simple-command.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { namedOutputs, unknownProgram } from "./unknown-program.ts";
import { cutsOnlyNames, printsOnlyNames } from "./variable-names.ts";

/** Programs that show or copy their operands. Treating option values as operands does no harm. */
const plain: Program = (args, ran, name) => {
  const { operands, values } = readOptions(args);
  const isSearch = ran.via.some((each) => /^(?:find|xargs|fd|parallel)$/u.test(each));
  const isListed = args.some(({ text }) => text.startsWith("--files0"));
  const files = isListed ? [...operands, ...values("files0-from")] : operands;
  return [
    ...(isListed ? [...files, ...filesIn(files, ran)] : files).map((file) => path("read", file, isSearch)),
    ...(hasOtherO.has(name) ? [] : namedOutputs(args)),
  ];
};

/**
 * Returns the names in lists whose content is known. The file of a process substitution is a word of its own, also after
 * an equals sign.
 */
function filesIn(lists: readonly Field[], ran: SimpleCommand): readonly Field[] {
  return lists
    .flatMap((list) => (list.text === "-" ? ran.stdin.text : contentOf(ran, list))?.split(/[\0\n]/u) ?? [])
    .filter(Boolean)
    .map(knownField);
}

/** Programs whose `-o` does not name an output. */
const hasOtherO: ReadonlySet<string> = new Set(words("od hexdump hd xxd strings pr column join jq nl"));

/** Programs that show the content of a file in an option if they do not understand it. */
const listed =
  (short: string, ...long: readonly string[]): Program =>
  (args) =>
    readOptions(args, { short, long })
      .values(...short.split(""), ...long)
      .map((file) => path("read", file));

const cut: Program = (args) => {
  const read = readOptions(args, { short: "bcdf", long: words("bytes characters delimiter fields output-delimiter") });
  return read.operands.filter((file) => !cutsOnlyNames(read, file)).map((file) => path("read", file));
};

const grepOptions = words("after-context before-context context regexp file max-count include exclude glob type");

/** The first operand is a pattern, unless an option gives it; the others are files. */
const grep: Program = (args, _ran, name) => {
  const read = readOptions(args, { short: name === "rg" ? "ABCefmgtTjMEr" : "ABCefmdD", long: grepOptions });
  const { operands, has, values } = read;
  const isNamed = has("e", "regexp", "f", "file");
  if (/^[ez]?grep$/u.test(name) && printsOnlyNames(read, isNamed ? values("e", "regexp") : operands.slice(0, 1)))
    return [];
  const isRecursive =
    name === "rg" || name === "ag" ? has("hidden", "u", "uu", "unrestricted", ".") : has("r", "R", "recursive");
  return [...operands.slice(isNamed ? 0 : 1), ...values("f", "file")].map((file) => path("read", file, isRecursive));
};

const tarOptions = words("file directory exclude files-from exclude-from use-compress-program transform to-command");

/** Writes an archive or reads one; `-C` sets the folder. */
const tar: Program = (args) => {
  const bundled = /^[A-Za-z]+$/u.test(args[0]?.text ?? "") ? args[0]?.text : undefined;
  const listed: readonly Field[] =
    bundled === undefined || !args[0] ? args : [{ ...args[0], text: `-${tarLetters(bundled)}` }, ...args.slice(1)];
  const { operands, has, value } = readOptions(listed, {
    short: "fCbTXIgLHNKVF",
    long: tarOptions,
  });
  const archive = value("f", "file");
  const folder = value("C", "directory") ?? value("one-top-level");
  const facts: Fact[] = [];
  // With absolute names in the archive, files can be extracted anywhere.
  if (has("x", "extract", "get") && has("P", "absolute-names")) facts.push(rule("overwrite_unknown", ...args));
  if (has("c", "create", "r", "append", "u", "update")) {
    facts.push(...operands.map((file) => path("read", file, true)));
    if (archive && archive.text !== "-") facts.push(path("place", archive));
  } else if (has("x", "extract", "get") && folder) facts.push(path("place", folder));
  if (has("remove-files")) facts.push(...operands.map((file) => path("delete", file, true)));
  return facts;
};

/** Moves `f` to the end of a group of short options, because it takes the next word as its value. */
function tarLetters(letters: string): string {
  return letters
    .split("")
    .toSorted((a, b) => Number(a === "f") - Number(b === "f"))
    .join("");
}

/** The first operand is the program text, unless an option gives it; the others are files. */
const scripted =
  (short: string, ...named: readonly string[]): Program =>
  (args) => {
    const { operands, has, values } = readOptions(args, {
      short,
      long: ["expression", "file", "assign", "field-separator"],
    });
    const scripts = short.startsWith("f") || short.includes("fl") ? values("f", "file") : [];
    return [...operands.slice(has(...named, "file") ? 0 : 1), ...scripts].map((file) => path("read", file));
  };

const edited: Program = (args) =>
  readOptions(args, { short: "cSsuUWwT", long: ["cmd", "eval", "load"] })
    .operands.filter(({ text }) => !text.startsWith("+"))
    .map((file) => path("edit", file));

const zip: Program = (args) => {
  const { operands, has } = readOptions(args, { short: "xibnPt", long: ["exclude", "include", "password"] });
  const [archive, ...sources] = operands;
  return [
    ...(archive ? [path("place", archive)] : []),
    ...sources.map((file) => path("read", file, true)),
    ...(has("m", "move") || args.some(({ text }) => removesPacked.test(text))
      ? sources.map((file) => path("delete", file, true))
      : []),
  ];
};

/** Options of `7z` and `rar` that delete the files after they are packed. */
const removesPacked = /^-(?:sdel|d[frw])$/iu;

/** Handles `rar m archive FILES`, which moves the files into the archive. */
const rar: Program = (args, ran, name) => {
  const [verb, ...rest] = args;
  if (!/^(?:a|c|f|m|mf|mv|u)$/iu.test(verb?.text ?? "")) return zip(args, ran, name);
  return zip(verb && /^m/iu.test(verb.text) ? [{ ...verb, text: "-m" }, ...rest] : rest, ran, name);
};

/** Handles `7z x archive -oFOLDER`. */
const sevenZip: Program = (args, ran, name) =>
  /^[xe]$/u.test(args[0]?.text ?? "")
    ? args.flatMap((word): readonly Fact[] => {
        // The option `-spf` uses the full names in the archive.
        if (/^-spf/iu.test(word.text)) return [rule("overwrite_unknown", ...args)];
        return /^-o./u.test(word.text) ? [path("place", { ...word, text: word.text.slice(2) })] : [];
      })
    : zip(args.slice(1), ran, name);

const unpacking: Program = (args) => {
  const { value, has } = readOptions(args, { short: "dxP" });
  const folder = value("d");
  return [
    ...(folder ? [path("place", folder)] : []),
    // With `-:`, the names in the archive can lead to parent folders.
    ...(has(":") && !has("l", "t", "v", "Z", "p") ? [rule("overwrite_unknown", ...args)] : []),
  ];
};

export const readers: Programs = {
  [`
  cat tac less more most head tail nl bat batcat od hexdump hd xxd strings base64 base32 basenc zcat bzcat xzcat
  zless gzip bzip2 xz zstd rev paste sort uniq fold fmt pr column expand tr shuf join look iconv dos2unix diff cmp
  comm sdiff colordiff vimdiff puttygen uuencode qrencode xclip xsel pbcopy wl-copy pandoc glow mdcat jq yq xmllint csvtool
  `]: plain,
  cut,
  "borg restic": (args) => args.filter(({ text }) => text.startsWith("/")).map((folder) => path("read", folder, true)),
  script: (args) =>
    readOptions(args, {
      short: "cmIOBETt",
      long: ["command", "log-io", "log-in", "log-out", "log-timing"],
    }).operands.map((file) => path("place", file)),
  "wc du": listed("", "files0-from"),
  "date file": listed("f", "file", "files-from"),
  "source .": () => [],
  "ssh-keygen": (args) => {
    const { value, has } = readOptions(args, { short: "fbtCNPmWIVnOzD" });
    const file = value("f");
    if (!file || has("l", "B", "R", "F", "H", "Y")) return [];
    return [path(has("y", "e") ? "read" : "place", file)];
  },
  openssl: (args) => {
    const files = args.flatMap(({ text }, index) =>
      /^-(?:in|inkey|key|kfile|sign)$/u.test(text) ? args.slice(index + 1, index + 2) : [],
    );
    const written = args.flatMap(({ text }, index) =>
      /^-(?:out|keyout)$/u.test(text) ? args.slice(index + 1, index + 2) : [],
    );
    return [...files.map((file) => path("read", file)), ...written.map((file) => path("write", file))];
  },
  "vim nano pico emacs micro hx kak ed code gedit kate joe": edited,
  awk: scripted("fFvW", "f"),
  sed: scripted("efl", "e", "f", "expression"),
  perl: scripted("eEMmIFx", "e", "E"),
  ruby: scripted("eErIFxCKT", "e"),
  "grep egrep fgrep zgrep rg ag ack": grep,
  tar,
  zip,
  rar,
  "7z 7za 7zz": sevenZip,
  unzip: unpacking,
  // Both programs use absolute names in the archive unchanged.
  pax: (args, ran, name) => [
    ...(readOptions(args, { short: "bfosxBDEGTU" }).has("r") ? [rule("overwrite_unknown", ...args)] : []),
    ...unknownProgram(args, ran, name),
  ],
  jar: (args, ran, name) => [
    ...(/^-?-?\w*x\w*P|^-?-?\w*P\w*x/u.test(args[0]?.text ?? "") ? [rule("overwrite_unknown", ...args)] : []),
    ...unknownProgram(args, ran, name),
  ],
  xargs: (args) =>
    readOptions(args, { short: "adEILnPs", long: ["arg-file"], isPrefix: true })
      .values("a", "arg-file")
      .map((file) => path("read", file)),
  cpio: (args) => {
    const { has, values } = readOptions(args, { short: "DFIOEHCM", long: ["directory", "file"] });
    if (!has("i", "extract", "p", "pass-through")) return [];
    // The program uses absolute names in the archive unchanged.
    const isFree = has("i", "extract") && !has("t", "list", "no-absolute-filenames");
    return [
      ...values("D", "directory").map((folder) => path("place", folder)),
      ...(isFree ? [rule("overwrite_unknown", ...args)] : []),
    ];
  },
};
