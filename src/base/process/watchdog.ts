import type { ChildProcess } from "node:child_process";

/**
 * Kills programs when this process ends in a way that it cannot handle, such as kill -9. Uses a shell that starts with
 * the first watched program.
 */
export interface Watchdog extends Disposable {
  /** Starts the shell early, so that a program that starts next is watched sooner. */
  prepare(): void;
  /**
   * Watches the process group of `pid`. With `marker`, a word in the environment of its processes, Linux also finds
   * those that left the group. A marker of `size-` and a number also matches their file size limit.
   */
  watch(pid: number, marker?: string): Disposable;
  /** Also removes this folder, after the programs have ended. */
  removeAtEnd(folder: string): Disposable;
}

export function createWatchdog(): Watchdog {
  let shell: ChildProcess | undefined;
  const tell = (line: string): void => void (shell?.stdin?.writable && shell.stdin.write(`${line}\n`));

  return {
    prepare() {
      shell ??= startShell();
    },
    watch(pid, marker = "") {
      shell ??= startShell();
      const entry = `${pid}:${marker}`;
      tell(`+ ${entry}`);
      return { [Symbol.dispose]: () => tell(`- ${entry}`) };
    },
    removeAtEnd(folder) {
      shell ??= startShell();
      // Paths with a line end are rejected, because the protocol has one path per line.
      if (folder.includes("\n")) return { [Symbol.dispose]: () => {} };
      tell(`> ${folder}`);
      return { [Symbol.dispose]: () => tell(`< ${folder}`) };
    },
    [Symbol.dispose]() {
      shell?.stdin?.end();
      shell = undefined;
    },
  };
}

/** Undefined if the shell cannot be started. Without it, only a kill -9 leaves programs running. */
function startShell(): ChildProcess | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    const shell = spawn("/bin/sh", ["-c", killsAtEnd], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.on("error", () => {});
    shell.stdin.on("error", () => {});
    shell.unref();
    // The cast is safe: a pipe is a socket, which the types do not express.
    (shell.stdin as unknown as Partial<{ unref(): void }>).unref?.();
    return shell;
  } catch {
    return undefined;
  }
}

/** Standard input closes when this process ends for any reason. */
const killsAtEnd = `
all=' '
folders='
'
while IFS= read -r line; do
  sign=\${line%% *} entry=\${line#* }
  case $sign in
    '>') folders="$folders$entry
" ;;
    '<') case $folders in *"
$entry
"*) folders="\${folders%%"
$entry
"*}
\${folders#*"
$entry
"}" ;; esac ;;
    +) all="$all$entry " ;;
    -) case $all in *" $entry "*) all="\${all%%" $entry "*} \${all#*" $entry "}" ;; esac ;;
  esac
done
signal() {
  for entry in $all; do
    kill -s "$1" -- "-\${entry%%:*}"
    marker=\${entry#*:}
    [ -n "$marker" ] || continue
    files=$(grep -lzE "[= ]$marker( |$)" /proc/[0-9]*/environ)
    case $marker in
      size-*) files="$files $(grep -lE "^Max file size .* \${marker#size-} " /proc/[0-9]*/limits)" ;;
    esac
    for file in $files; do
      pid=\${file#/proc/}
      kill -s "$1" "\${pid%/*}"
    done
  done
}
remove() {
  printf %s "$folders" | while IFS= read -r folder; do
    case $folder in /?*) rm -rf -- "$folder" ;; esac
  done
}
if [ "$all" != ' ' ]; then
  signal TERM
  sleep 1
  signal KILL
fi
remove
# A program that was just killed may have written until now.
[ "$folders" = '
' ] || { sleep 1; remove; }
`;
