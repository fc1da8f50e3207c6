import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { treeFunctions } from "./tree-script.ts";

/** Exit codes of the scripts. */
export const processCodes = { gone: 30, closed: 31, noFolder: 32, failed: 33 } as const;

/** The folder of a process, with these files: meta, run, in, done, watcher, pid, log.*, left, killed, exit. */
export function remoteProcessFolder(machine: RemoteMachine, id: string): string {
  return `${machine.folder}/${id}`;
}

/**
 * Script that starts a background process and prints its pid. Its standard input is a line with the metadata of the
 * process, then the code of `watcherCode`. Also deletes old finished processes.
 */
export function spawnScript(machine: RemoteMachine, id: string, cwd: string, runBytes: number): string {
  const start = [...(machine.setsid === undefined ? [] : [quoteForShell(machine.setsid)]), "sh", '"$P/run"'].join(" ");
  return `
P=${quoteForShell(remoteProcessFolder(machine, id))}
cd ${quoteForShell(cwd)} 2>/dev/null || exit ${processCodes.noFolder}
u=$(umask); umask 077
mkdir "$P" || exit ${processCodes.failed}
IFS= read -r j && printf '%s\\n' "$j" >"$P/meta.new" && cat >"$P/run" && [ $(wc -c <"$P/run") -eq ${runBytes} ] &&
  mkfifo "$P/in" "$P/out" "$P/done" && mv "$P/meta.new" "$P/meta" || { rm -rf "$P"; exit ${processCodes.failed}; }
umask "$u"
g=$(${start} </dev/null 2>"$P/fault" &)
[ -n "$g" ] || { cat "$P/fault" >&2; rm -rf "$P"; exit ${processCodes.failed}; }
printf '%s\\n' "$g"
${pruning(machine)}
exit 0
`;
}

const maxFinished = 64;
const maxFinishedKilobytes = 512 * 1024;

function pruning({ folder }: RemoteMachine): string {
  return `
cd ${quoteForShell(folder)} && {
  find . -path './proc_*/exit' -mtime +0 2>/dev/null | while read -r e; do rm -rf "\${e%/exit}"; done
  n=0; k=0
  ls -1t proc_*/exit 2>/dev/null | while read -r e; do
    n=$((n + 1)); s=$(du -sk "\${e%/exit}" 2>/dev/null); k=$((k + \${s%%[!0-9]*}))
    [ $n -le ${maxFinished} ] && [ $k -le ${maxFinishedKilobytes} ] || rm -rf "\${e%/exit}"
  done
}`;
}

export interface WatchedProcess {
  readonly id: string;
  readonly marker: string;
  readonly cwd: string;
  /** Defines `prepare` and `start`; one byte per character. */
  readonly code: string;
}

/**
 * The shell program that owns a background process on the backend. It keeps the newest output in files named by the
 * offset of their first byte, records how the process ends, and kills its leftover processes.
 */
export function watcherCode(machine: RemoteMachine, { id, marker, cwd, code }: WatchedProcess): string {
  return `
P=${bytes(quoteForShell(remoteProcessFolder(machine, id)))}; m=${marker}; g=-1; known=
${treeFunctions}
${code}
tick() { d=$(date +%s%3N 2>/dev/null); case $d in ''|*[!0-9]*) d=$(date +%s)000;; esac; printf %s "$d"; }
identity() { read -r l </proc/$1/stat && l=\${l##*) } && set -- "$1" $l && printf '%s %s\\n' "$1" "\${21}"; }
keep() {
  o=0; f=$P/log.1000000000000000; h=0
  while :; do
    dd bs=32768 count=256 2>/dev/null >>"$f" || { : >"$P/full"; cat >/dev/null; break; }
    z=$(($(size "$f"))); [ $z -gt $h ] || break
    h=$z
    if [ $z -ge ${segmentBytes} ]; then
      rm -f "$b"; b=$f; o=$((o + z)); f=$P/log.$((1000000000000000 + o)); h=0
    fi
  done
}
size() { stat -c %s "$1" 2>/dev/null || wc -c <"$1"; }
cd /
t0=$(tick)
H=\${HERMES_RUN:+$HERMES_RUN }$m
u=$(umask); umask 077
prepare
{ identity $$ || echo $$; } >"$P/watcher" 2>/dev/null
exec 8<>"$P/in" 9<>"$P/done"
trap 'exec 8<&-' USR1
trap : HUP
# Redirected by exec: redirections of a command in the shell itself keep the old ends open beside the new.
(exec <"$P/out" >/dev/null 8<&- 9<&-; b=; keep) &
k=$!
exec 7>"$P/out"
rm -f "$P/out"
{ cd ${bytes(quoteForShell(cwd))} && umask "$u" && start; } <"$P/in" >&7 7>&- 8<&- 9<&- &
g=$!
exec 7>&-
{ identity $g || echo $g; } >"$P/pid" 2>/dev/null
printf '%s\\n' $g
exec >/dev/null
# A signal of ours makes \`wait\` return early, also in the moment in which the process ends: then it is asked again.
while :; do
  wait $g; s=$?
  [ $s -gt 128 ] || break
  kill -0 $g 2>/dev/null && continue
  wait $g; e=$?; [ $e -eq 127 ] || s=$e
  break
done
end_tree
n=0; while kill -0 $k 2>/dev/null && [ $n -lt 100 ]; do n=$((n + 1)); nap; done
kill $k 2>/dev/null
h=exited; [ -s "$P/left" ] || [ $s -le 128 ] || h=signal
[ -e "$P/killed" ] && h=killed
rm -f "$P/in" "$P/left" "$P/state"
printf '%s %s %s\\n' $h $s $(($(tick) - t0)) >"$P/exit.new" && mv "$P/exit.new" "$P/exit"
rm -f "$P/done" "$P/run"
`;
}

/** Two log files are kept, each up to one `dd` block longer than this. */
const segmentBytes = 28 * 1024 * 1024;

/** The length in bytes, because shell code has one byte per character. */
function bytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** The function `status_of FOLDER` prints `running`, `lost`, or how the process ended. */
const statusFunction = `
alive() {
  [ -r "$1" ] && read -r p t <"$1" || return 1
  [ -d /proc/self ] || { kill -0 "$p" 2>/dev/null; return; }
  { read -r l </proc/$p/stat; } 2>/dev/null || return 1
  set -- \${l##*) }
  [ "$1" != Z ] && [ "\${20}" = "$t" ]
}
status_of() {
  if [ -r "$1/exit" ]; then read -r x <"$1/exit"
  elif alive "$1/watcher" || alive "$1/pid"; then x=running
  elif [ -r "$1/exit" ]; then read -r x <"$1/exit"
  elif [ -e "$1/watcher" ]; then x=lost
  else x=running; fi
}
`;

/** Prints for each process: id, metadata, pid, status, each terminated by NUL. */
export function listProcessesScript({ folder }: RemoteMachine): string {
  return `
cd ${quoteForShell(folder)} || exit 0
${statusFunction}
for P in proc_*; do
  { IFS= read -r j <"$P/meta"; } 2>/dev/null || continue
  g=; { read -r g _ <"$P/pid"; } 2>/dev/null
  status_of "$P"
  printf '%s\\0' "$P" "$j" "$g" "$x"
done
exit 0
`;
}

function inFolder(machine: RemoteMachine, id: string): string {
  return `
cd ${quoteForShell(remoteProcessFolder(machine, id))} 2>/dev/null || exit ${processCodes.gone}
${statusFunction}
`;
}

/**
 * Script that prints the status of a process. With `waitSeconds` it first waits at most that long for the process to
 * end.
 */
export function statusScript(machine: RemoteMachine, id: string, waitSeconds: number): string {
  const wait = machine.hasTimeout
    ? `timeout ${waitSeconds} sh -c 'cat <done' >/dev/null 2>&1`
    : `n=0; while [ ! -e exit ] && [ $n -lt ${waitSeconds * 5} ]; do n=$((n + 1)); sleep 0.2 || sleep 1; done`;
  return `${inFolder(machine, id)}
status_of .
${waitSeconds > 0 ? `[ "$x" = running ] && { ${wait}; status_of .; }` : ""}
printf '%s\\n' "$x"
exit 0
`;
}

/** Prints the offset of the piece and the total length on one line, then the piece. */
export function outputScript(machine: RemoteMachine, id: string, from: number): string {
  return `${inFolder(machine, id)}
o=${from}; t=0; f=; a=0
for l in log.1*; do
  [ -e "$l" ] || continue
  n=$((\${l#log.} - 1000000000000000))
  z=$(stat -c %s "$l" 2>/dev/null || wc -c <"$l"); z=$((z))
  if [ -z "$f" ]; then
    [ $o -lt $n ] && o=$n
    [ $o -lt $((n + z)) ] && { f=$l; a=$((o - n)); }
  fi
  t=$((n + z))
done
[ $o -gt $t ] && o=$t
printf '%s %s\\n' $o $t
[ -z "$f" ] || tail -c +$((a + 1)) "$f" | head -c ${pieceBytes}
exit 0
`;
}

const pieceBytes = 1024 * 1024;

export function writeInputScript(machine: RemoteMachine, id: string): string {
  return `${inFolder(machine, id)}
[ -p in ] && alive watcher || exit ${processCodes.closed}
cat >in 2>/dev/null || exit ${processCodes.closed}
exit 0
`;
}

export function closeInputScript(machine: RemoteMachine, id: string): string {
  return `${inFolder(machine, id)}
[ -p in ] && alive watcher || exit ${processCodes.closed}
rm -f in; kill -s USR1 "$p"
exit 0
`;
}

/** Kills the process and prints how it ended. */
export function killScript(machine: RemoteMachine, id: string, marker: string, isRemoved: boolean): string {
  return `${inFolder(machine, id)}${treeFunctions}
m=${marker}; g=-1; known=
status_of .
if [ "$x" = running ]; then
  : >killed
  { read -r g _ <pid; } 2>/dev/null
  end_tree
  n=0; while [ ! -e exit ] && alive watcher && [ $n -lt 250 ]; do n=$((n + 1)); nap; done
  [ -e exit ] || printf 'killed 137 0\\n' >exit
  status_of .
fi
printf '%s\\n' "$x"
${isRemoved ? `cd / && rm -rf ${quoteForShell(remoteProcessFolder(machine, id))}` : ""}
exit 0
`;
}
