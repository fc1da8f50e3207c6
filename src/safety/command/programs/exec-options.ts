import { path, rule } from "../fact.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { all } from "./verbs.ts";

/** Programs that only read, with options that make them run another one. */
const runs =
  (short: string, long: readonly string[], others = ""): Program =>
  (args) => {
    const { options } = readOptions(args, { short: short + others, long });
    const given = options.filter(
      ({ name, value }) =>
        (short.includes(name) || long.some((each) => name.length > 2 && each.startsWith(name))) && value !== undefined,
    );
    return given.length > 0 ? [rule("exec_option", ...args)] : [];
  };

export const execOptions: Programs = {
  sort: runs("", ["compress-program"], "okSTt"),
  rg: runs("", ["pre", "hostname-bin"], "ABCefgjmMtT"),
  ag: runs("", ["pager"]),
  man: (args) => {
    const { values, has } = readOptions(args, {
      short: "PHCLmMrRSsE",
      long: ["pager", "html", "config-file", "manpath"],
    });
    const pager = values("P", "pager");
    const isOdd = pager.some(({ text }) => !/^(?:cat|less|more|most|bat)(?: -\w+)*$/u.test(text));
    return isOdd || has("H", "html") ? [rule("exec_option", ...args)] : [];
  },
  tar: all(runs("", ["to-command", "rsh-command", "info-script", "new-volume-script"], "fCbTXIF"), (args) =>
    readOptions(args, { long: ["checkpoint-action"] })
      .values("checkpoint-action")
      .some(({ text }) => text.startsWith("exec="))
      ? [rule("exec_option", ...args)]
      : [],
  ),
  less: (args) => (args.some(({ text }) => text.startsWith("+!")) ? [rule("exec_option", ...args)] : []),
  zip: (args) =>
    args.some(({ text }) => text === "-TT" || text.startsWith("--unzip-c")) ? [rule("exec_option", ...args)] : [],
  javac: (args) =>
    args.some(({ text }) => /^-{1,2}processor(?:path)?$/u.test(text)) ? [rule("exec_option", ...args)] : [],
  gcc: runs("", ["wrapper"]),
  make: (args) =>
    args.flatMap((word) =>
      /^(?:SHELL|MAKE|CC|CXX)=/u.test(word.text) && /[/;|&]|\s/u.test(word.text.slice(3))
        ? [rule("loader_variable", word)]
        : [],
    ),
  tcpdump: runs("z", [], "wrciCGs"),
  nmap: (args) =>
    args.some(({ text }) => text === "--interactive" || /^--script(?:=|$)/u.test(text)) &&
    args.some(({ text }) => /\.nse$|^\/|^\.\//u.test(text))
      ? [rule("exec_option", ...args)]
      : [],
  split: runs("", ["filter"], "abCln"),
  crash: (args) => [rule("kernel", ...args)],
  wall: (args) => [rule("service", ...args)],
  enable: (args) => (args[0]?.text === "-f" ? [rule("loader_variable", ...args)] : []),
  hash: (args) => (args[0]?.text === "-p" ? [rule("shadowing", ...args)] : []),
  bind: (args) => (args.some(({ text }) => text === "-x") ? [rule("shadowing", ...args)] : []),
  complete: (args) => (readOptions(args, { short: "CFoAGWPSX" }).has("C") ? [rule("shadowing", ...args)] : []),
  "update-alternatives": (args) =>
    args.some(({ text }) => /^--(?:install|set|remove|config)/u.test(text)) ? [rule("system_file", ...args)] : [],
  ldconfig: (args) => (args.length === 0 || args[0]?.text === "-p" ? [] : [rule("system_file", ...args)]),
  defaults: (args) => (/^(?:write|delete)$/u.test(args[0]?.text ?? "") ? [rule("system_file", ...args)] : []),
  hostnamectl: (args) => (args[0]?.text.startsWith("set-") === true ? [rule("system_file", ...args)] : []),
  timedatectl: (args) => (args[0]?.text.startsWith("set-") === true ? [rule("system_file", ...args)] : []),
  date: (args) => (readOptions(args, { short: "dfrsI" }).has("s", "set") ? [rule("system_file", ...args)] : []),
  hwclock: (args) =>
    args.some(({ text }) => /^(?:--set|--systohc|--hctosys|-w|-s)$/u.test(text)) ? [rule("system_file", ...args)] : [],
  localectl: (args) => (args[0]?.text.startsWith("set-") === true ? [rule("system_file", ...args)] : []),
  "ssh-keyscan": () => [],
  screencapture: (args) => readOptions(args).operands.map((file) => path("place", file)),
};
