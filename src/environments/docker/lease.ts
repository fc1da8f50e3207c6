import { quoteForShell } from "../../base/text/shell-quote.ts";
import { runMarker } from "../child-environment.ts";
import { backgroundCheck } from "../containers/background-check.ts";

/**
 * The lease of a container. The container's first process checks whether the container is in use, and exits when it was
 * idle for the time of the lease, so that no process outside is needed. A container is in use by:
 * - each script, which calls `claim` first and renews the lease while it runs;
 * - each background process, as long as it lives.
 *
 * A script first records its use and then checks whether the container is about to exit; the first process does it in
 * the opposite order. So one of them always sees the other.
 */
export const leaseFolder = "/run/hermes";

/** The script for `sh -c` of the container's first process. */
export function leaseKeeper(lifetimeMs: number): string {
  const seconds = Math.max(1, Math.ceil(lifetimeMs / 1_000));
  const tick = Math.min(10, Math.max(1, Math.floor(seconds / 4)));
  return [
    `cd ${leaseFolder} || exit 1; umask 0; mkdir -p claims holders; rm -rf leaving; true >used`,
    "trap 'exit 0' TERM INT",
    "idle=0",
    "while :; do",
    `  sleep ${tick} & wait $!`,
    '  for claim in claims/*; do [ -d "/proc/${claim##*/}" ] || rm -f "$claim"; done',
    "  [ -d leaving ] && exit 0",
    `  if [ -e used ] || ${backgroundCheck}; then rm -f used; idle=0; continue; fi`,
    `  idle=$((idle + ${tick})); [ $idle -lt ${seconds} ] && continue`,
    "  mkdir leaving",
    "  [ -e used ] || exit 0",
    "  rmdir leaving",
    "done",
  ].join("\n");
}

/** Code that runs before a script. The script continues only if the container is not about to exit. */
export function claim(holder: string): string {
  return `${use(holder)}; [ -d ${leaseFolder}/leaving ] && exit ${leavingCode}`;
}

/** Code that runs before a script in a terminal, right after a successful claim. */
export function use(holder: string): string {
  const [claims, holders] = [`${leaseFolder}/claims`, `${leaseFolder}/holders`];
  const files = [`${claims}/$$`, `${leaseFolder}/used`, `${holders}/${holder}`].map((file) => `true >${file}`);
  return `{ [ -d ${holders} ] || mkdir -p ${claims} ${holders}; ${files.join("; ")}; } 2>/dev/null`;
}

/**
 * Script for `sh -c` on this machine: runs the client in its arguments and renews the lease with the command in `$0`
 * while the client runs. Closing the terminal ends both. In a terminal the client's standard error holds only its own
 * messages. They follow the output, except the one that Docker prints when a command ends before it has the size.
 */
export function renewingClient(everyMs: number): string {
  const seconds = Math.max(1, Math.floor(everyMs / 1_000));
  return [
    `(trap 'kill $p; exit' TERM; while :; do sleep ${seconds} & p=$!; wait $p; eval "$0"; done) </dev/null >/dev/null 2>&1 &`,
    'renewer=$!; exec 3>&1; errors=$("$@" 2>&1 >&3 3>&-); code=$?; kill $renewer',
    `case $errors in ""|${quoteForShell(lateSize)}) ;; *) printf '%s\\n' "$errors" >&2 ;; esac`,
    "exit $code",
  ].join("\n");
}

const lateSize = "failed to resize tty, using default size";

export const renewal = `true >${leaseFolder}/used`;

/** Exit code of a claim when the container is already about to exit. */
export const leavingCode = 93;

/** Code that releases a persistent container. */
export function release(holder: string): string {
  return `rm -f ${leaseFolder}/holders/${holder}`;
}

/**
 * Releases the container. Exit code 0: no other program uses it and it must be removed now; otherwise it exits by
 * itself.
 */
export function leave(holder: string): string {
  return [
    `cd ${leaseFolder} && rm -f holders/${holder} && mkdir leaving || exit 1`,
    "stay() { rmdir leaving; exit 1; }",
    'for one in holders/*; do [ -e "$one" ] && stay; done',
    'for one in claims/*; do pid=${one##*/}; [ "$pid" != $$ ] && [ -d "/proc/$pid" ] && stay; done',
    `grep -qs ${runMarker}= /proc/[0-9]*/environ && stay`,
    "exit 0",
  ].join("\n");
}
