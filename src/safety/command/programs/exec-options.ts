import { words } from "../../../base/text/words.ts";
import { path, rule } from "../fact.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { allOf, everyUse, withOption, anyMatching, firstMatching, withWord } from "./verbs.ts";

/** Programs that normally only read, with the options that make them run another program. */
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
  tar: allOf(runs("", ["to-command", "rsh-command", "info-script", "new-volume-script"], "fCbTXIF"), (args) =>
    readOptions(args, { long: ["checkpoint-action"] })
      .values("checkpoint-action")
      .some(({ text }) => text.startsWith("exec="))
      ? [rule("exec_option", ...args)]
      : [],
  ),
  "scp sftp": runs("S", [], "cDFiJloPX"),
  less: anyMatching("exec_option", /^\+!/u),
  zip: anyMatching("exec_option", /^-TT$|^--unzip-c/u),
  javac: anyMatching("exec_option", /^-{1,2}processor(?:path)?$/u),
  rake: runs("eEp", words("execute execute-print execute-continue")),
  gcc: allOf(anyMatching("exec_option", /^-wrapper$/u), (args) =>
    readOptions(args, { short: "oIDLlxO" })
      .values("o")
      .map((file) => path("place", file)),
  ),
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
  crash: everyUse("kernel"),
  wall: everyUse("service"),
  enable: firstMatching("loader_variable", /^-f$/u),
  hash: firstMatching("shadowing", /^-p$/u),
  bind: withWord("shadowing", "-x"),
  complete: withOption("shadowing", "C", "CFoAGWPSX"),
  "update-alternatives": anyMatching("system_file", /^--(?:install|set|remove|config)/u),
  ldconfig: firstMatching("system_file", /^(?!-p$)./u),
  defaults: firstMatching("system_file", /^(?:write|delete)$/u),
  "hostnamectl timedatectl localectl": firstMatching("system_file", /^set-/u),
  date: withOption("system_file", "s set", "dfrsI"),
  hwclock: withWord("system_file", "--set", "--systohc", "--hctosys", "-w", "-s"),
  "ssh-keyscan": () => [],
  screencapture: (args) => readOptions(args).operands.map((file) => path("place", file)),
};
