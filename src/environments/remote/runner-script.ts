import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { treeFunctions } from "./tree-script.ts";
import { endWatcherLines, watcherLines, type WatchedBy } from "./watch-command.ts";

export interface RunnerParts {
  /** Prefix of the runner's status lines, and the line before the output. */
  readonly mark: string;
  /** The marker of all processes of the command. */
  readonly marker: string;
  readonly cwd: string;
  /** A file that defines `go`. */
  readonly variables: string;
  /** Defines `prepare`, which creates that file, and `start`, which needs it. */
  readonly code: string;
  /** The file for the shell's state; it must not exist. */
  readonly saveTo: string;
  /**
   * The checksum of the state that is already stored here, which is not sent again. Undefined: the state is not needed.
   */
  readonly knownChecksum: string | undefined;
  /** Length of the command's standard input in bytes. */
  readonly inputBytes: number | undefined;
  /** The first line of standard input is a password; a program of this name prints it. */
  readonly askpass: string | undefined;
  readonly watchedBy: WatchedBy;
  /** Files of earlier runs that are no longer needed. */
  readonly discard: readonly string[];
}

/**
 * Runs one command and prints status lines on standard error, each after the mark: `again` (the variables are missing),
 * `nofolder N` (only the folder N levels up exists), `begun`, `pid`, `left PID NAME` for each leftover process that was
 * killed, `end STATUS`, `saved`, `same` or `dump CHECKSUM` followed by the state, `done`.
 */
export function runnerScript(machine: RemoteMachine, parts: RunnerParts): string {
  const { marker, saveTo, inputBytes, askpass } = parts;
  const folder = quoteForShell(machine.folder);
  return `
M=${parts.mark}; m=${marker}; D=${folder}; W=${quoteForShell(parts.cwd)}; L=${quoteForShell(saveTo)}; g=-1; known=; sure=2
say() { printf '%s %s\\n' "$M" "$*" >&2; }
${parts.code}
main() {
  printf '%s\\n' "$M"
  prepare
  [ -r ${quoteForShell(parts.variables)} ] && [ -r ${quoteForShell(machine.tree)} ] || { say again; return; }
  n=0; p=$W
  while ! cd "$p" 2>/dev/null; do [ "$p" = / ] && break; p=\${p%/*}; p=\${p:-/}; n=$((n + 1)); done
  [ $n -gt 0 ] && { say nofolder $n; return; }
  ${askpass === undefined ? "" : askpassCode(askpass)}
  ${inputBytes === undefined ? "exec 3</dev/null" : inputCode(inputBytes)}
  [ -e "$D/cancel-$m" ] && { say cancelled; return; }
  H=\${HERMES_RUN:+$HERMES_RUN }$m
  . ${quoteForShell(parts.variables)}
  read -r t0 _ </proc/uptime
  say begun
  start <&3 3<&- &
  g=$!
  exec 3<&-
  say pid $g
  # A kill that looked for processes before this one started has left the file.
  if [ -e "$D/cancel-$m" ]; then . ${quoteForShell(machine.tree)}; end_tree; fi
  ${watcherLines(machine, marker, parts.watchedBy)}
  wait $g; s=$?
  ${endWatcherLines(machine, marker, parts.watchedBy)}
  ${askpass === undefined ? "" : `rm -f ${quoteForShell(askpass)} ${quoteForShell(`${askpass}.txt`)}`}
  { read -r a a a a last </proc/loadavg && read -r t1 _ </proc/uptime; } 2>/dev/null
  if left_running; then . ${quoteForShell(machine.tree)}; drain; fi
  x="$M end $s"
  if [ -s "$L" ]; then
    x="$x
$M saved"
    ${parts.knownChecksum === undefined ? "" : sendState(parts.knownChecksum)}
  fi
  printf '%s\\n%s done\\n' "$x" "$M" >&2
  printf %s "$M."
  ${parts.discard.length === 0 ? "" : `rm -f ${parts.discard.map(quoteForShell).join(" ")}`}
}
left_running() {
  case $last in ''|*[!0-9]*) return 0;; esac
  [ "$last" -lt "$g" ] || [ $((last - g)) -gt 300 ] || [ $((\${t1%.*} - \${t0%.*})) -gt 1 ] && return 0
  p=$g; c=
  while [ "$p" -lt "$last" ]; do
    p=$((p + 1))
    { read -r l </proc/$p/stat; } 2>/dev/null || continue
    case $l in *') '*) set -- \${l##*) };; *) return 0;; esac
    [ "$1" != Z ] && [ "$4" -ge "$g" ] || continue
    [ "$4" -eq "$g" ] && { sure=4; return 0; }
    c="$c $p"
  done
  set -- $c; [ $# -gt 20 ] && return 0
  # A process has no environment while one program takes the place of another: read it again.
  n=0
  while [ -n "$c" ]; do
    b=
    for p in $c; do
      e=$({ tr '\\0' ' ' </proc/$p/environ; } 2>/dev/null)
      case $e in *"$m"*) sure=4; return 0;; '') [ -r /proc/$p/environ ] && b="$b $p";; esac
    done
    c=$b
    n=$((n + 1)); [ $n -gt 10 ] && return 0
    [ -z "$c" ] || sleep 0.02 2>/dev/null || sleep 1
  done
  return 1
}
${drainFunction}if [ -S /proc/self/fd/1 ]; then main | cat; else main; fi
exit 0
`;
}

function askpassCode(program: string): string {
  const text = `${program}.txt`;
  return `
  IFS= read -r w || return
  (umask 077; printf '%s\\n' "$w" >${quoteForShell(text)}; printf '%s\\n' '#!/bin/sh' ${quoteForShell(`cat ${quoteForShell(text)}`)} >${quoteForShell(program)})
  w=; chmod 700 ${quoteForShell(program)}`;
}

/**
 * Reads the input into an unlinked file first. So the command can open /dev/stdin, and a connection that breaks halfway
 * is detected before the command starts.
 */
function inputCode(bytes: number): string {
  return `(umask 077; head -c ${bytes} >"$D/in-$m")
  exec 3<"$D/in-$m" || return
  i=$(wc -c <"$D/in-$m"); rm -f "$D/in-$m"
  [ $((i)) -eq ${bytes} ] || return`;
}

/** Code that sends the saved state. The shell itself reads a short state, because starting a program takes longer. */
export function sendState(checksum: string): string {
  return `n=0; y=
    while [ $n -lt ${shortLines} ] && IFS= read -r l; do n=$((n + 1)); y="$y$l
"; done <"$L"
    if [ $n -lt ${shortLines} ]; then x="$x
$M dump -
\${y%?}"
    else c=$(cksum <"$L"); if [ -n "$c" ] && [ "$c" = ${quoteForShell(checksum)} ]; then x="$x
$M same"; else x="$x
$M dump $c
$(cat "$L")"; fi; fi`;
}

const shortLines = 80;

const drainMs = 250;

/**
 * Gives leftover processes a moment to finish, then reports and kills them. A single check may miss a process that is
 * just executing another program: `sure` is the number of consecutive checks that must find none. Needs `treeFunctions`
 * and `say`.
 */
export const drainFunction = `drain() {
  read -r t1 _ </proc/uptime; from=\${t1%.*}\${t1#*.}; none=0
  while :; do
    now=$(seen)
    read -r t1 _ </proc/uptime; t1=\${t1%.*}\${t1#*.}
    if [ -z "$now" ]; then none=$((none + 1)); [ $none -ge $sure ] && return
    elif [ $((t1 - from)) -ge ${drainMs / 10} ]; then break
    else none=0; fi
    nap
  done 2>/dev/null
  for p in $now; do
    p=\${p%:*}
    say left "$p" "$(tr '\\0\\n' '  ' 2>/dev/null </proc/$p/cmdline | head -c 400)"
  done
  end_tree
}
`;

/** Kills a run, even one that is about to start. Exit code 0: none of its processes is left. */
export function endScript(machine: RemoteMachine, marker: string, group: number | undefined): string {
  const ask = quoteForShell(`${machine.folder}/ask-${marker}`);
  return `
m=${marker}; g=${group ?? -1}; known=
${treeFunctions}
{ [ $g -gt 0 ] || read -r g <${quoteForShell(`${machine.folder}/tty-${marker}`)}; } 2>/dev/null
: >${quoteForShell(`${machine.folder}/cancel-${marker}`)}
end_tree; s=$?
rm -f ${ask} ${ask}.txt
exit $s
`;
}
