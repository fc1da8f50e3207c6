import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "../run-program.ts";
import { findProgram, missingPrograms } from "../system-programs.ts";
import { tempHome } from "../temp-home.ts";

/** The result of running one script by one shell. */
export interface ShellRun {
  /** The calls of each stub, with its name first. */
  readonly calls: readonly (readonly string[])[];
  /** Files below the home and the temporary folder that were added, removed or changed. */
  readonly changes: readonly string[];
}

export const shells = ["bash", "dash", "busybox"] as const;
export type ShellName = (typeof shells)[number];

/** Why scripts cannot be run here. */
export function noShellSandbox(): string | false {
  return missingPrograms({
    bwrap: "bubblewrap",
    bash: "bash",
    dash: "dash",
    busybox: "busybox",
    xxd: "xxd",
    rev: "bsdextrautils",
    python3: "python3",
    setpriv: "util-linux",
  });
}

/**
 * Runs each script with each shell in a sandbox: no network, no other processes, a small home and temporary folder that
 * are new for every run, limits of memory, time, files and processes. `/usr/bin` holds the programs of `realPrograms`
 * and, for every other word of the scripts, a stub that records its arguments and prints `out`. `stubs`: stubs instead
 * of these programs.
 */
export async function runInShells(
  scripts: readonly string[],
  { names = shells, stubs = [] }: { readonly names?: readonly ShellName[]; readonly stubs?: readonly string[] } = {},
): Promise<readonly Readonly<Partial<Record<ShellName, ShellRun>>>[]> {
  await using home = await tempHome();
  // Limits do not apply to root's processes, so root's sandbox runs as nobody.
  await chmod(home.path, 0o755);
  const [bin, input, output] = ["bin", "in", "out"].map((name) => join(home.path, name)) as [string, string, string];
  for (const folder of [bin, input, output]) await mkdir(folder);
  for (const name of results) {
    await writeFile(join(output, name), "");
    await chmod(join(output, name), 0o666);
  }
  await fillPrograms(bin, scripts, stubs);
  await writeTree(join(home.path, "tree"));
  for (const [index, script] of scripts.entries()) await writeFile(join(input, String(index)), script);
  await writeFile(join(input, "driver"), driver(scripts.length, names));
  for (let from = 0; from < scripts.length;) {
    const ran = await runProgram("bwrap", [...sandbox(home.path), "/.real/usr/bin/bash", "/.in/driver", String(from)], {
      timeoutMs: 600_000,
      ...(process.getuid?.() === 0 && { uid: nobody }),
    });
    if (ran.code === 0) break;
    const last = Number((await readFile(join(output, "index"), "utf8")) || "-1");
    if (last < from) throw new Error(`bwrap ended with ${ran.code}: ${ran.stderr}`);
    // The script ended the driver: `kill -9 -1`.
    from = last + 1;
  }
  const calls = callsOf(await readFile(join(output, "calls"), "utf8"));
  const trees = pairsOf((await readFile(join(output, "trees"), "utf8")).split("\0"));
  const runOf = (key: string): ShellRun => ({ calls: calls.get(key) ?? [], changes: changesOf(trees.get(key)) });
  return scripts.map((_, index) => Object.fromEntries(names.map((name) => [name, runOf(`${index}.${name}`)] as const)));
}

const nobody = 65_534;

/** Each file is mounted separately, so that no script can delete it. */
const results = ["index", "calls", "trees"];

function sandbox(home: string): readonly string[] {
  return [
    ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"],
    [
      "--ro-bind",
      "/usr",
      "/.real/usr",
      "--ro-bind",
      join(home, "bin"),
      "/usr/bin",
      "--ro-bind",
      "/usr/lib",
      "/usr/lib",
    ],
    ["--ro-bind-try", "/usr/lib64", "/usr/lib64", "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64"],
    ["--symlink", "usr/bin", "/bin", "--dev", "/dev", "--proc", "/proc"],
    ["--size", "33554432", "--tmpfs", "/tmp", "--size", "33554432", "--tmpfs", "/home"],
    ["--ro-bind", join(home, "tree"), "/.tree", "--ro-bind", join(home, "in"), "/.in"],
    [...results.flatMap((name) => ["--bind", join(home, "out", name), `/.out/${name}`]), "--remount-ro", "/"],
    ["--setenv", "HOME", "/home/user", "--setenv", "USER", "user", "--setenv", "PATH", "/usr/bin:/bin"],
    ["--setenv", "TMPDIR", "/tmp", "--setenv", "HERMES_HOME", "/home/user/.hermes"],
  ].flat();
}

/** Real programs that change nothing outside the sandbox. */
const realPrograms: readonly string[] = (
  "bash sh dash busybox env nohup timeout nice setsid stdbuf xargs find cat base64 base32 tr rev xxd sed head tail cut gzip " +
  "perl python3 awk tar git make patch true false touch cp mv rm mkdir rmdir ln tee dd truncate sort split install chmod " +
  "uniq wc seq basename dirname realpath readlink mktemp expr printf echo test grep id uname date sleep shuf nl od cmp diff " +
  "paste fold tac comm join printenv pwd ls stat whoami hostname yes"
).split(" ");

async function fillPrograms(bin: string, scripts: readonly string[], stubs: readonly string[]): Promise<void> {
  const real = new Set(realPrograms.filter((name) => !stubs.includes(name)));
  for (const name of real)
    if (findProgram(name) !== undefined) await symlink(join("/.real/usr/bin", name), join(bin, name));
  const write = async (name: string, text: string) => {
    await rm(join(bin, name), { force: true });
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  };
  await write("sudo", sudo);
  await write("p", stub);
  const words = new Set(["out", ...scripts.flatMap((script) => script.match(/[A-Za-z_][\w.+-]{0,40}/gu) ?? [])]);
  const others = [...words].filter(
    (word) => !/^(?:p|sudo)$|\.\w+$/u.test(word) && !real.has(word) && !bashOnly.has(word),
  );
  for (const word of [...stubs, ...others].slice(0, maxStubs)) await symlink("p", join(bin, word)).catch(() => {});
}

const maxStubs = 20_000;

/** Words that only bash knows. Other shells interpret them as names of missing programs. */
const bashOnly: ReadonlySet<string> = new Set(
  (
    "coproc time function select source let declare typeset shopt mapfile readarray pushd popd dirs builtin caller compgen " +
    "complete compopt disown enable help history logout suspend bind"
  ).split(" "),
);

/** dash reads no start-up file, whatever a script exports. */
const stub = `#!/.real/usr/bin/dash
# bash and busybox look for scripts on PATH, too.
case "$0" in /usr/bin/* | /bin/*) [ -z "$BASH_VERSION" ] || exit ;; *) exit ;; esac
printf '%s\\0' "$(($# + 1))" "\${0##*/}" "$@" >> /.out/calls
echo out
`;

/** Lists, validates or runs a command, like sudo with the same options. */
const sudo = `#!/.real/usr/bin/dash
while :; do
  case $1 in
    --) shift; break ;;
    --list | --validate | --remove-timestamp | -*[lKV]* | -v) exit ;;
    --*=*) shift ;;
    --user | --group | --host | --prompt | --chdir | --role | --type | --other-user | -*[CDghpRrTtUu]) shift 2 ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
exec "$@"
`;

/** The home folder of a run: a project with a few files. Their time is 0, so that changes are visible. */
const tree: Readonly<Record<string, string>> = {
  "project/a.txt": "alpha\nbeta\n",
  "project/b c.txt": "blank\n",
  "project/run.sh": "p from-file\n",
  "project/sub/d.txt": "delta\n",
  "project/Makefile": "all:\n\tp make\n",
  "other/e.txt": "epsilon\n",
  ".profile": "p profile\n",
};

async function writeTree(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(tree)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await chmod(folder, 0o755);
}

/** Appends to two files: the calls and the listing of each run, each after a zero byte pair and its name. */
function driver(count: number, names: readonly ShellName[]): string {
  return `PATH=/.real/usr/bin
reset() {
  chmod -R u+rwX /home /tmp 2> /dev/null
  find /home /tmp -mindepth 1 -delete 2> /dev/null
  mkdir /home/user && cp -r /.tree/. /home/user && find /home/user -type f -exec touch -h -d @0 {} +
}
list() { find /home/user /tmp -mindepth 1 \\( -type d -printf 'd %p\\t' -o -printf '%y%T@%m%l %p\\t' \\); }
reset
pristine=$(list)
for ((i = $1; i < ${count}; i++)); do
  echo $i > /.out/index
  for shell in ${names.join(" ")}; do
    run=$shell; [[ $shell == busybox ]] && run='busybox sh'
    printf '\\1%s\\0' $i.$shell >> /.out/calls
    (
      cd /home/user/project
      ulimit -c 0 -f 20000 -t 3 -v 1500000 -u 300
      script=$(< /.in/$i)
      PATH=/usr/bin:/bin exec /.real/usr/bin/timeout -s KILL 3 $run -c "$script" bash
    ) < /dev/null > /dev/null 2>&1
    kill -9 -1 2> /dev/null
    after=$(list)
    [[ $after == "$pristine" ]] && continue
    printf '%s\\0%s\\0' $i.$shell "$after" >> /.out/trees
    reset
    # A script can leave a home that cannot be restored: the next ones get a new sandbox.
    [[ $(list) == "$pristine" ]] || exit 1
  done
done
exit 0
`;
}

/** The calls of each run; a run begins with its name after a byte 1. */
function callsOf(text: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const runs = new Map<string, (readonly string[])[]>();
  const words = text.split("\0");
  let calls: (readonly string[])[] = [];
  for (let index = 0; index < words.length - 1;) {
    const word = words[index] ?? "";
    if (word.startsWith("\u0001")) {
      calls = [];
      runs.set(word.slice(1), calls);
    }
    const count = Number(word);
    if (count > 0) calls.push(words.slice(index + 1, index + 1 + count));
    index += 1 + (count > 0 ? count : 0);
  }
  return runs;
}

function pairsOf(list: readonly string[]): ReadonlyMap<string, string> {
  return new Map(list.flatMap((key, index) => (index % 2 === 0 ? [[key, list[index + 1] ?? ""] as const] : [])));
}

/** Undefined if nothing changed. */
function changesOf(listing: string | undefined): readonly string[] {
  if (listing === undefined) return [];
  const after = new Map(
    listing.split("\t").flatMap((line) => {
      const space = line.indexOf(" ");
      return space < 0 ? [] : [[line.slice(space + 1), line.slice(0, space)] as const];
    }),
  );
  const before = new Map<string, string>();
  for (const name of Object.keys(tree)) {
    before.set(`/home/user/${name}`, "f");
    for (let folder = join(name, ".."); folder !== "."; folder = join(folder, ".."))
      before.set(`/home/user/${folder}`, "d");
  }
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => {
    const now = after.get(path);
    const kind = before.get(path);
    if (kind === "d") return now !== "d";
    return kind === "f" ? !/^f0\.0+644$/u.test(now ?? "") : now !== undefined;
  });
}
