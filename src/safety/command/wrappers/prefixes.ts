import { words } from "../../../base/text/words.ts";
import { readOptions } from "../programs/options.ts";
import { type Field, knownField } from "../shell/field.ts";
import { joined } from "./shells.ts";
import { prefixing, type Wrapper } from "./wrapper.ts";

const straceShape = { short: "eopsSuEIabPUXO", long: ["output", "attach", "trace", "env"], isPrefix: true };

/** Programs that run the command after their own options. */
export const prefixes: Readonly<Record<string, Wrapper>> = {
  doas: prefixing({ short: "uC" }),
  [`nohup setsid firejail valgrind unbuffer linux64 dumb-init builtin busybox toybox entr chronic torify tsocks dbus-launch catchsegv heaptrack nocorrect noglob -`]:
    prefixing(),
  time: prefixing({ short: "fo", long: ["format", "output"] }),
  nice: prefixing({ short: "n", long: ["adjustment"] }),
  ionice: prefixing({ short: "cnpPu", long: ["class", "classdata", "pid"] }),
  chrt: prefixing({ short: "TPD", skip: 1 }),
  "taskset setarch setuidgid gosu su-exec": prefixing({ skip: 1 }),
  numactl: prefixing({ short: "iNmCp", long: ["interleave", "cpunodebind", "membind", "physcpubind", "preferred"] }),
  stdbuf: prefixing({ short: "ioe", long: ["input", "output", "error"] }),
  "timeout gtimeout": prefixing({ short: "ks", long: ["kill-after", "signal"], skip: 1 }),
  chroot: prefixing({ long: ["userspec", "groups"], skip: 1 }),
  unshare: prefixing({
    short: "SGRw",
    long: ["setuid", "setgid", "root", "wd", "propagation", "setgroups", "map-user", "map-group"],
  }),
  nsenter: prefixing({ short: "tSGrwW", long: ["target", "setuid", "setgid", "wd"] }),
  "systemd-run": prefixing({
    short: "upEHMtC",
    long: words(`
      unit property setenv host machine on-active on-calendar uid gid nice working-directory description slice
    `),
  }),
  "systemd-inhibit": prefixing({ long: ["what", "who", "why", "mode"] }),
  "dbus-run-session": prefixing({ long: ["config-file", "dbus-daemon"] }),
  fakeroot: prefixing({ short: "lsib" }),
  proot: prefixing({ short: "rbmqwkS" }),
  strace: (ran, name) => [
    ...prefixing(straceShape)(ran, name),
    // `-o '|command'`
    ...readOptions(ran.argv.slice(1), straceShape)
      .values("o", "output")
      .flatMap((to) => (/^[|!]/u.test(to.text) ? joined([{ ...to, text: to.text.slice(1) }], name) : [])),
  ],
  /** `-E rm -rf x`: a few programs of its own. */
  cmake: (ran, name) => {
    const index = ran.argv.findIndex(({ text }) => text === "-E");
    const [own, ...rest] = index < 0 ? [] : ran.argv.slice(index + 1);
    const program = own && { ...own, text: own.text.replace(/^remove(?:_directory)?$/u, "rm") };
    const options = own?.text === "remove_directory" ? [knownField("-r")] : [];
    return program
      ? [{ argv: program.text === "chdir" ? rest.slice(1) : [program, ...options, ...rest], via: name }]
      : [];
  },
  ltrace: prefixing({ short: "eopsSunlAaDF" }),
  perf: prefixing({ skip: 1, short: "eogFcprCat" }),
  caffeinate: prefixing({ short: "tw" }),
  rlwrap: prefixing({ short: "abcCDeFghHimMnopPqrRsStUvwWz" }),
  setpriv: prefixing({
    long: ["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits", "pdeathsig"],
  }),
  prlimit: prefixing({ short: "p", long: ["pid"] }),
  chpst: prefixing({ short: "uUbeCnmdopfclsrt" }),
  tini: prefixing({ short: "pe" }),
  exec: prefixing({ short: "a" }),
  "cross-env": prefixing({ hasAssignments: true }),
  dotenv: prefixing({ short: "efcv" }),
  "direnv aws-vault": prefixing({ skip: 2 }),
  watchexec: prefixing({ short: "ewidsNpfoE", long: ["exts", "watch", "ignore", "delay-run", "signal", "filter"] }),
  reflex: prefixing({ short: "rgRG", long: ["regex", "glob"] }),
  torsocks: prefixing({ short: "uaP" }),
  "proxychains proxychains4": prefixing({ short: "f" }),
  faketime: prefixing({ short: "f", skip: 1 }),
  pkexec: prefixing({ long: ["user"] }),
  gksudo: prefixing({ short: "u", long: ["user"] }),
  kdesudo: prefixing({ short: "u" }),
  cpulimit: prefixing({ short: "lpPe", long: ["limit"] }),
  trickle: prefixing({ short: "duws" }),
  "xvfb-run": prefixing({ short: "nesfpw", long: ["server-args", "server-num", "error-file"] }),
  "start-stop-daemon": (ran, name) => {
    const read = readOptions(ran.argv.slice(1), {
      short: "xpuncgdamR",
      long: ["exec", "pidfile", "user", "chuid", "name"],
    });
    const program = read.value("exec", "x", "a");
    return program ? [{ argv: [program, ...read.afterDashes], via: name }] : [];
  },
  daemonize: prefixing({ short: "aecpluE" }),
  daemon: prefixing({ short: "nuFpXOPNU" }),
  runcon: prefixing({ short: "turl", skip: 0 }),
  bwrap: (ran, name) => {
    const words = ran.argv.slice(1);
    const offset = words.findIndex(({ text }, index) => !text.startsWith("-") && isCommandOfBwrap(words, index));
    return offset < 0 ? [] : [{ argv: words.slice(offset), via: name }];
  },
  "systemd-nspawn": prefixing({ short: "DiMub", long: ["directory", "image", "machine", "user", "bind"] }),
  sem: prefixing({ short: "j", long: ["id", "jobs"] }),
  dotenvx: prefixing({ skip: 1, short: "f" }),
  doppler: prefixing({ skip: 1, short: "pc" }),
  "gnome-terminal": prefixing({ long: ["working-directory", "title"] }),
  wsl: prefixing({ short: "ude", long: ["user", "distribution", "exec"] }),
};

/** Options of bwrap take one word, two or none; the command is the first remaining word. */
function isCommandOfBwrap(words: readonly Field[], index: number): boolean {
  const takes = (text: string) =>
    /^--(?:ro-bind|bind|dev-bind|symlink|setenv|file|chmod|bind-try|ro-bind-try|bind-data|ro-bind-data|overlay)/u.test(
      text,
    )
      ? 2
      : /^--(?:dev|proc|tmpfs|dir|chdir|unsetenv|uid|gid|hostname|seccomp|cap-add|cap-drop|perms|size|lock-file|remount-ro|args|mqueue|sync-fd|info-fd)$/u.test(
            text,
          )
        ? 1
        : 0;
  return takes(words[index - 1]?.text ?? "") < 1 && takes(words[index - 2]?.text ?? "") < 2;
}
