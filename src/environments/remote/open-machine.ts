import { randomHex, sha256 } from "../../base/digest.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { runMarker } from "../child-environment.ts";
import { type CarriedState, parseCarriedState } from "../shell/carried-state.ts";
import { type ShellDialect, dialects, shellArguments } from "../shell/dialect.ts";
import type { Link } from "./link.ts";
import { environmentError, runScript } from "./run-script.ts";
import { treeFunctions } from "./tree-script.ts";

export interface RemoteMachine {
  /** Private folder, shared by all programs of this home. */
  readonly folder: string;
  readonly home: string;
  readonly dialect: ShellDialect;
  /** Absolute paths of programs. */
  readonly shell: string;
  readonly env: string;
  readonly setsid: string | undefined;
  readonly hasTimeout: boolean;
  /** Names of the variables that a script on the backend starts with. */
  readonly inherited: readonly string[];
  /** Path of a file that contains `treeFunctions`. */
  readonly tree: string;
  /** Separates the parts of a saved state. */
  readonly mark: string;
}

export interface OpenedMachine {
  readonly machine: RemoteMachine;
  /** Working folder of commands. */
  readonly cwd: string;
  /** The state of a login shell; undefined when it could not be read. */
  readonly first: CarriedState | undefined;
  readonly checksum: string;
}

export interface OpenOptions {
  readonly homeId: string;
  /** `~` and relative paths start in the user's home on the backend. */
  readonly cwd: string;
  /** Files that a login shell reads before the first command. Undefined: the default files; empty: no login shell. */
  readonly initFiles?: readonly string[];
  /** Shells to look for. Default: bash. */
  readonly shells?: readonly ("bash" | "sh")[];
  readonly signal: AbortSignal;
}

/** Inspects the machine, creates the private folder and reads the state of a login shell, in one round trip. */
export async function openMachine(link: Link, options: OpenOptions): Promise<Result<OpenedMachine, EnvironmentError>> {
  const mark = randomHex(12);
  const ran = await runScript(link, openScript(options, mark), options);
  if (!ran.ok) return err(environmentError(ran.error));
  const { exitCode, out, errorText: stderr } = ran.value;
  if (exitCode === noFolder) {
    return err({
      kind: "misconfigured",
      message: `the folder ${options.cwd} does not exist on the ${link.kind} backend`,
      hint: "Create it there, or choose another folder.",
    });
  }
  const head = out.indexOf("\0\0");
  if (exitCode !== 0 || head < 0) {
    return err({
      kind: "unreachable",
      message: `the ${link.kind} backend could not be prepared: ${stderr || `exit code ${exitCode}`}`,
      hint: "It needs a writable temporary folder and the standard programs (coreutils or busybox).",
    });
  }
  const fields = out
    .subarray(0, head)
    .toString()
    .split("\0")
    .map((field) => field.slice(1));
  const [
    folder = "",
    home = "",
    name = "",
    shell = "",
    env = "",
    setsid = "",
    timeout = "",
    names = "",
    cwd = "",
    checksum = "",
  ] = fields;
  const dialect = name === "bash" ? dialects.bash : dialects.sh;
  const dump = out.subarray(head + 2).toString("latin1");
  return ok({
    machine: {
      folder,
      home,
      dialect,
      shell,
      env,
      setsid: setsid === "" ? undefined : setsid,
      hasTimeout: timeout !== "",
      inherited: names.split("\n").filter((name) => /^[A-Za-z_]\w*$/u.test(name) && name !== runMarker),
      tree: `${folder}/${treeName}`,
      mark,
    },
    cwd,
    first: parseCarriedState(dump, mark, dialect),
    checksum,
  });
}

const noFolder = 20;
const loginSeconds = 30;

/** Recreates the private folder at the same path after it was deleted or the machine was recreated. */
export async function restoreMachine(
  link: Link,
  { folder }: RemoteMachine,
  signal: AbortSignal,
): Promise<Result<void, EnvironmentError>> {
  const script = `D=${quoteForShell(folder)}\n${ownFolder('"$D"')} || exit 1\n${treeCode}\nexit 0`;
  const ran = await runScript(link, script, { signal });
  if (!ran.ok) return err(environmentError(ran.error));
  if (ran.value.exitCode === 0) return ok(undefined);
  return err({
    kind: "unreachable",
    message: `the folder ${folder} on the ${link.kind} backend cannot be used: ${ran.value.errorText || "it belongs to another user"}`,
    hint: "Check who owns it there, and whether the disk is full.",
  });
}

/** True when the folder exists and is private: not a link, and owned by this user. */
function ownFolder(path: string): string {
  return `{ (umask 077; mkdir ${path}) 2>/dev/null; [ -d ${path} ] && [ ! -L ${path} ] && [ -O ${path} ] && [ -w ${path} ] && chmod 700 ${path} 2>/dev/null; }`;
}

/** The file name contains a version, because another version of this program may share the folder. */
const treeName = `tree-${sha256(treeFunctions).slice(0, 8)}`;

const treeCode = `[ -r "$D/${treeName}" ] ||
  (umask 077; printf %s ${quoteForShell(treeFunctions)} >"$D/tree.$$" && mv -f "$D/tree.$$" "$D/${treeName}")`;

function openScript({ homeId, cwd, initFiles, shells = ["bash", "sh"] }: OpenOptions, mark: string): string {
  const sources = (files: readonly string[]) =>
    files.map((file) => `[ -r ${file} ] && . ${file} </dev/null >/dev/null 2>&1`).join("\n");
  const login = initFiles?.length === 0 ? "" : "-l";
  const shellWords = (name: "bash" | "sh", fallback: string) =>
    wordsFor(name, sources(initFiles?.map(quoteForShell) ?? [fallback]));
  const plainWords = (name: "bash" | "sh") => wordsFor(name, ":");
  const wordsFor = (name: "bash" | "sh", command: string) => {
    const args = shellArguments(dialects[name], command, { saveTo: "\0left", mark });
    return args.map((word) => quoteForShell(word).replaceAll("\0left", `'"$L"'`)).join(" ");
  };
  return `
V=$(export -p | sed -n -e 's/^export \\([A-Za-z_][A-Za-z_0-9]*\\).*/\\1/p' -e 's/^declare -[a-z]* \\([A-Za-z_][A-Za-z_0-9]*\\).*/\\1/p')
find_program() {
  p=$(command -v "$1" 2>/dev/null)
  case $p in /*) printf %s "$p"; return;; esac
  IFS=:; for p in $PATH; do case $p in /*) [ -f "$p/$1" ] && [ -x "$p/$1" ] && { printf %s "$p/$1"; return; };; esac; done
}
D=
for t in "\${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm "$HOME"; do
  case $t in /*) ;; *) continue;; esac
  case $t in *\\'*) continue;; esac
  d=$t/hermes-$(id -u)-${homeId}
  if ${ownFolder('"$d"')}; then D=$d; break; fi
done
[ -n "$D" ] || { echo "no temporary folder can be written" >&2; exit 21; }
W=${quoteForShell(cwd)}
case $W in
  '~') W=$HOME;;
  '~/'*) W=$HOME/\${W#'~/'};;
  /*) ;;
  *) W=$HOME/$W;;
esac
cd "$W" 2>/dev/null || exit ${noFolder}
W=$(pwd; echo x); W=\${W%?x}
find "$D" -mindepth 1 -maxdepth 1 ! -name 'proc_*' ! -name 'tree-*' -mtime +0 -exec rm -rf {} + 2>/dev/null
${treeCode}
S=sh; B=
${shells.includes("bash") ? 'B=$(find_program bash); [ -n "$B" ] && S=bash' : ""}
[ -n "$B" ] || B=$(find_program sh)
[ -n "$B" ] || B=/bin/sh
L=$D/first-$$
T=$(find_program timeout); T=\${T:+$T ${loginSeconds}}
case $S in
  bash) $T "$B" ${login} ${shellWords("bash", '"$HOME/.bashrc"')} </dev/null >/dev/null 2>&1;;
  *) $T "$B" ${login} ${shellWords("sh", '"$HOME/.profile"')} </dev/null >/dev/null 2>&1;;
esac
# Start-up files that end the shell, or never end, are done without.
[ -s "$L" ] || case $S in
  bash) "$B" --norc ${plainWords("bash")} </dev/null >/dev/null 2>&1;;
  *) "$B" ${plainWords("sh")} </dev/null >/dev/null 2>&1;;
esac
: >>"$L"
printf '=%s\\0' "$D" "$HOME" "$S" "$B" "$(find_program env)" "$(find_program setsid)" "$(find_program timeout)" "$V" "$W" "$(cksum <"$L")"
printf '\\0'
cat "$L"; rm -f "$L"
exit 0
`;
}
