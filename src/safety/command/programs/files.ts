import { words } from "../../../base/text/words.ts";
import { findListing } from "../checks/find-roots.ts";
import { resolvePathText } from "../checks/path-rules.ts";
import { type Fact, path, rule } from "../fact.ts";
import { areMany } from "../interpreters/emptied-files.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { allOf, everyUse, withOption, anyMatching, firstMatching, verbs, withWord } from "./verbs.ts";

const rm: Program = (args, { via }) => {
  const { operands, has } = readOptions(args);
  const isRecursive = has("r", "R", "recursive");
  const isListed = via.some((name) => /^(?:xargs|find|parallel|fd)$/u.test(name));
  return [
    ...operands.map((operand) => path("delete", operand, isRecursive)),
    ...(isListed ? [rule("delete_listed", ...args)] : []),
  ];
};

/** The target is the last operand, or the folder of `-t`. */
function into(how: "copy" | "move"): Program {
  return (args, _ran, name) => {
    const { operands, value, has } = readOptions(args, {
      short: "tSogm",
      long: ["target-directory", "suffix", "owner", "group", "mode"],
    });
    if (name === "install" && has("d", "directory")) return operands.map((each) => path("make", each));
    const folder = value("t", "target-directory");
    const sources = folder ? operands : operands.slice(0, -1);
    const target = folder ?? (operands.length > 1 ? operands.at(-1) : undefined);
    return [
      ...sources.map((source) => path(how === "move" ? "move" : "read", source)),
      ...(target ? placed(target, sources) : []),
      ...(opensToAll(value("m", "mode")?.text ?? "") ? [rule("permission_open", ...args)] : []),
      ...(how === "move" && target?.text === "/dev/null" ? sources.map((source) => path("delete", source, true)) : []),
      ...(sources.some(({ text }) => text === "/dev/null" || text === "/dev/zero") && how === "copy"
        ? [rule("truncate", ...args)]
        : []),
    ];
  };
}

/**
 * Returns the path of a file at its target: the target itself, or a name below it if the target is a folder. A single
 * file whose target has an extension is renamed.
 */
function placed(target: Field, sources: readonly Field[], how: "place" | "link" = "place"): readonly Fact[] {
  const isRenamed = sources.length === 1 && !sources[0]?.isPattern && /[^/]\.[A-Za-z]\w*$/u.test(target.text);
  return [path(how, target), ...(isRenamed ? [] : sources.map((source) => path(how, within(target, source))))];
}

function within(folder: Field, source: Field): Field {
  const name = source.text.replace(/\/+$/u, "").split("/").at(-1) ?? hole;
  return { ...folder, text: `${folder.text.replace(/\/+$/u, "")}/${name}` };
}

const rsyncOptions = words("rsh rsync-path exclude include filter files-from exclude-from bwlimit port log-file");

const rsync: Program = (args) => {
  const { operands, has, options } = readOptions(args, {
    short: "efTBM",
    long: rsyncOptions,
  });
  if (has("n", "dry-run", "list-only")) return [];
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  const sources = operands.slice(0, -1);
  const isDeleting = has("remove-source-files") || options.some(({ name }) => /^del(?:ete)?/u.test(name));
  return [
    ...(isDeleting ? [rule("delete_listed", ...args)] : []),
    ...(isDeleting && target && !isRemote(target) ? [path("delete", target, true)] : []),
    ...(target && isRemote(target) ? sendsTo(target, sources) : target ? placed(target, sources) : []),
    ...sources
      .filter((source) => !isRemote(source))
      .map((source) => path("read", source, target !== undefined && isRemote(target))),
  ];
};

const scp: Program = (args) => {
  const { operands } = readOptions(args, { short: "cDFiJloPSX" });
  const target = operands.at(-1);
  const sources = operands.slice(0, -1);
  return target && isRemote(target)
    ? [...sendsTo(target, sources), ...sources.map((source) => path("read", source))]
    : target
      ? placed(target, sources)
      : [];
};

function isRemote({ text }: Field): boolean {
  return /^(?:[^/:]+@)?[^/:]+:|^rsync:|^scp:/u.test(text) && !/^[A-Za-z]:[\\/]/u.test(text);
}

function sendsTo(to: Field, paths: readonly Field[]): readonly Fact[] {
  return paths.map((each): Fact => ({ kind: "send", to, path: each }));
}

const chmod: Program = (args) => {
  const { operands, options, value, has } = readOptions(args, { long: ["reference"] });
  const reference = value("reference");
  const mode =
    options.find(({ word }) => /^-[rwxXst]+$/u.test(word.text))?.word ?? (reference ? undefined : operands[0]);
  const targets = mode && operands[0] === mode ? operands.slice(1) : operands;
  const isRecursive = has("R", "recursive");
  // Some programs of the system run as root (setuid).
  const isOpen = reference ? /^\/(?:usr\/)?(?:local\/)?s?bin\//u.test(reference.text) : opensToAll(mode?.text ?? "");
  return [
    ...(isOpen ? [rule("permission_open", ...args)] : []),
    ...targets.map((target) => path(keepsForOwner(mode?.text ?? "") ? "tighten" : "permission", target, isRecursive)),
  ];
};

/** Returns whether the mode removes access for everyone but the owner: `600`, `go-rwx`, `u=rw,go=`. */
function keepsForOwner(mode: string): boolean {
  return (
    /^0?[4-7]00$/u.test(mode) ||
    /^(?:[go]+(?:-[rwxX]+|=)|u[=+][rwxX]+)(?:,(?:[go]+(?:-[rwxX]+|=)|u[=+][rwxX]+))*$/u.test(mode)
  );
}

/** Returns whether the mode lets others write, or sets the setuid bit. */
function opensToAll(mode: string): boolean {
  if (/^=?[0-7]{3,5}$/u.test(mode)) {
    const bits = Number.parseInt(mode.replace("=", ""), 8);
    return (bits & 0o002) !== 0 || (bits & 0o6000) !== 0;
  }
  return mode.split(",").some((clause) => {
    const [, who = "", given = ""] = /^([ugoa]*)[+=]([rwxXst]*)/u.exec(clause) ?? [];
    return (given.includes("w") && /[oa]/u.test(who)) || (given.includes("s") && who !== "o");
  });
}

const chown: Program = (args, _ran, name) => {
  const { operands, has } = readOptions(args, { long: ["from", "reference"] });
  const isRecursive = has("R", "recursive");
  const isRoot = /^(?:root|0)(?:[:.]|$)/u.test(operands[0]?.text ?? "");
  return [
    ...(isRecursive && isRoot && name === "chown" ? [rule("owner_root", ...args)] : []),
    ...operands.slice(has("reference") ? 0 : 1).map((target) => path("owner", target, isRecursive)),
  ];
};

const dd: Program = (args, { cwd }) =>
  args.flatMap((word): Fact[] => {
    const [, key, value = ""] = /^(if|of)=([^]*)$/u.exec(word.text) ?? [];
    if (key === undefined) return [];
    const target = { ...word, text: value };
    // Reading a device or an unknown input counts as raw bytes; copying a file is treated like `cp`.
    return key === "if"
      ? [
          ...(/^\/dev\/|\u{10FFFD}/u.test(resolvePathText(value, cwd)) ? [rule("read_disk", word)] : []),
          path("read", target),
        ]
      : [path("raw", target), path("write", target)];
  });

const tee: Program = (args, ran) => {
  const { operands, has } = readOptions(args, { long: ["output-error"] });
  const isEmpty = ran.redirections.some(({ how, target }) => how === "read" && target.text === "/dev/null");
  const isMany =
    !has("a", "append") && (operands.some(({ isPattern }) => isPattern) || (isEmpty && areMany(operands, ran)));
  return [
    ...operands.map((target) => path(has("a", "append") ? "append" : "write", target)),
    ...(isMany ? [rule("truncate", ...args)] : []),
  ];
};

const ln: Program = (args) => {
  const { operands, value } = readOptions(args, { short: "tS", long: ["target-directory", "suffix"] });
  const folder = value("t", "target-directory");
  const target = folder ?? (operands.length > 1 ? operands.at(-1) : undefined);
  const sources = folder ? operands : operands.slice(0, -1);
  // A link can make its target readable elsewhere.
  const read = sources.filter(({ text }) => text.startsWith("/")).map((source) => path("read", source));
  return target ? [...placed(target, sources, "link"), ...read] : [];
};

const targets =
  (how: "place" | "make" | "delete"): Program =>
  (args) =>
    readOptions(args, { short: "nrdtm", long: ["reference", "date", "mode", "time"] }).operands.map((target) =>
      path(how, target),
    );

const shred: Program = (args) => {
  const { operands } = readOptions(args, { short: "ns", long: ["iterations", "size", "random-source"] });
  return [rule("shred", ...args), ...operands.flatMap((target) => [path("raw", target), path("delete", target)])];
};

const truncate: Program = (args) => {
  const { operands, value } = readOptions(args, { short: "sr", long: ["size", "reference"] });
  const isLess = /^(?:0+[KMGTP]?i?B?|[-<%/].*)$/u.test(value("s", "size")?.text ?? "");
  // Emptying a single log file is normal.
  const isLog =
    operands.length === 1 && operands.every(({ text, isPattern }) => !isPattern && /[^/]\.log$/u.test(text));
  return [...(isLess && !isLog ? [rule("truncate", ...args)] : []), ...operands.map((target) => path("write", target))];
};

const find: Program = (args) => {
  const isDeleting = args.some(({ text }) => text === "-delete");
  const writes = args.flatMap(({ text }, index) =>
    /^-(?:fprint0?|fls|fprintf)$/u.test(text) ? args.slice(index + 1, index + 2) : [],
  );
  const { roots, isNarrow } = findListing(args);
  return [
    ...(isDeleting ? [rule("delete_listed", ...args)] : []),
    ...(isDeleting && !isNarrow ? roots.map((root) => path("delete", root, true)) : []),
    ...writes.map((target) => path("write", target)),
  ];
};

/** Programs that write to the file in an option. */
const writing =
  (short: string, long: readonly string[], others = ""): Program =>
  (args) =>
    readOptions(args, { short: short + others, long })
      .values(...short.split(""), ...long)
      .filter(({ text }) => text !== "-")
      .map((target) => path("write", target));

/** Handles `sort -o FILE /dev/null` for each file of a loop. */
const emptied: Program = (args, ran) => {
  const { operands, values } = readOptions(args, { short: "okSTt", long: ["output"] });
  const targets = values("o", "output");
  const isEmpty = operands.length > 0 && operands.every(({ text }) => text === "/dev/null");
  return isEmpty && targets.length > 0 && areMany(targets, ran) ? [rule("truncate", ...args)] : [];
};

const split: Program = (args) => {
  const { operands } = readOptions(args, { short: "abClnt" });
  return [
    ...operands.slice(0, 1).map((file) => path("read", file)),
    path("place", { ...(operands[1] ?? knownField("x")), text: `${operands[1]?.text ?? "x"}${hole}` }),
  ];
};

/** The program writes `PREFIX00`, `PREFIX01` and so on. */
const csplit: Program = (args) => {
  const { operands, value } = readOptions(args, {
    short: "bfn",
    long: ["prefix", "suffix-format", "digits"],
  });
  const prefix = value("f", "prefix") ?? knownField("xx");
  return [
    ...operands.slice(0, 1).map((file) => path("read", file)),
    path("place", { ...prefix, text: `${prefix.text}${hole}` }),
  ];
};

/** Handles `uniq IN OUT` and `xxd -r IN OUT`, which write the second operand. */
const secondWritten: Program = (args) =>
  readOptions(args, { short: "fswlcsgob", long: ["skip-fields", "skip-chars", "check-chars"] })
    .operands.slice(1, 2)
    .map((target) => path("write", target));

const patch: Program = (args) => {
  const { operands, value } = readOptions(args, {
    short: "pidorBDFgVYz",
    long: ["input", "directory", "output", "strip"],
  });
  const target = value("o", "output") ?? operands[0];
  const folder = value("d", "directory");
  return [...(target ? [path("edit", target)] : []), ...(folder ? [path("place", folder)] : [])];
};

/** `gzip file` replaces the file by `file.gz`; `-d` does the reverse. */
const packed: Program = (args) => {
  const { operands, has } = readOptions(args, { short: "S", long: ["suffix"] });
  if (has("c", "stdout", "to-stdout", "l", "list", "t", "test")) return [];
  return operands.flatMap((file) => [
    path("place", { ...file, text: `${file.text}${hole}` }),
    path("place", { ...file, text: file.text.replace(/\.\w+$/u, "") }),
    ...(has("k", "keep") ? [] : [path("move", file)]),
  ]);
};

const mktemp: Program = (args) => {
  const { operands, value, has } = readOptions(args, { short: "p", long: ["tmpdir", "suffix"] });
  const folder = value("p", "tmpdir")?.text ?? (operands.length === 0 || has("t") ? "/tmp" : undefined);
  const name = (operands[0]?.text ?? "tmp.XXXX").replace(/X{3,}.*$/u, hole);
  return has("u", "dry-run") ? [] : [path("make", knownField(folder === undefined ? name : `${folder}/${name}`))];
};

export const files: Programs = {
  "rm unlink": rm,
  rmdir: (args) => readOptions(args).operands.map((target) => path("make", target)),
  "rimraf del-cli trash-rm": (args) => readOptions(args).operands.map((target) => path("delete", target, true)),
  "shred wipe srm scrub": shred,
  truncate,
  mv: into("move"),
  "cp install": into("copy"),
  rsync,
  scp,
  "ln link": ln,
  "tee sponge": tee,
  touch: targets("place"),
  mkdir: (args, ran, name) => [
    ...targets("make")(args, ran, name),
    ...(opensToAll(readOptions(args, { short: "m", long: ["mode"] }).value("m", "mode")?.text ?? "")
      ? [rule("permission_open", ...args)]
      : []),
  ],
  "mkfifo venv virtualenv": targets("make"),
  "zipfile tarfile fallocate": (args) => args.slice(-1).map((target) => path("place", target)),
  mknod: everyUse("kernel"),
  chmod,
  "chown chgrp": chown,
  umask: firstMatching("permission_open", /^0*[0-7]?0$/u),
  chattr: anyMatching("permission_open", /^[-+=][A-Za-z]*[ia]/u),
  setfacl: anyMatching("permission_open", /(?:^|,)(?:o|other)::?[r-]?w|u:\w+:rwx|^-b$/u),
  setcap: everyUse("permission_open"),
  "dd dcfldd": dd,
  ddrescue: (args) => [
    rule("read_disk", ...args),
    ...args.slice(1, 2).flatMap((to) => [path("raw", to), path("write", to)]),
  ],
  find,
  sort: allOf(writing("o", ["output"], "kSTt"), emptied),
  shuf: writing("o", ["output"], "ein"),
  "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma compress uncompress": packed,
  // A package or an image is unpacked to the folder in the last operand or in an option.
  "dpkg-deb dpkg": (args) => {
    const { operands, has } = readOptions(args);
    const folder = has("x", "X", "R", "extract", "vextract", "raw-extract") ? operands[1] : undefined;
    return folder ? [path("place", folder)] : [];
  },
  unsquashfs: (args) =>
    readOptions(args, { short: "dpe", long: ["dest"] })
      .values("d", "dest")
      .map((folder) => path("place", folder)),
  "unrar unar": (args) =>
    readOptions(args, { short: "op" })
      .operands.slice(2)
      .filter(({ text }) => text.endsWith("/"))
      .map((folder) => path("place", folder)),
  mktemp,
  split,
  csplit,
  "uniq xxd": secondWritten,
  patch,
  "trash-empty rmlint detox tmpreaper tmpwatch sfill sdmem sswap": everyUse("delete_listed"),
  "trash-put trash rmtrash rip": (args) => readOptions(args).operands.map((target) => path("move", target)),
  gio: verbs([["delete_listed", "trash|remove"]]),
  "kioclient kioclient5 kioclient6": (args) =>
    /^(?:move|mv|remove|del)$/u.test(args[0]?.text ?? "") ? args.slice(1, 2).map((target) => path("move", target)) : [],
  yq: (args) => {
    const { operands, has } = readOptions(args, { short: "ep", long: ["expression", "input-format", "output-format"] });
    return has("i", "inplace", "in-place") ? operands.slice(1).map((file) => path("edit", file)) : [];
  },
  "fdupes jdupes": withOption("delete_listed", "d delete N"),
  bleachbit: withWord("delete_listed", "-c", "--clean", "-s", "--shred"),
  rename: (args) =>
    readOptions(args)
      .operands.slice(1)
      .filter(({ text }, index) => index > 0 || /^[/~]|\//u.test(text))
      .map((target) => path("place", target)),
  setfattr: (args) => readOptions(args, { short: "nvx" }).operands.map((target) => path("edit", target)),
};
