import { runMarker } from "../child-environment.ts";
import { hasBackground } from "../containers/background-check.ts";

/**
 * A container belongs to those who use it. Its first process looks whether it was used, and ends the container when it
 * was not for the time of the lease: no process of ours on the outside is needed for that. What uses it:
 * - each script that is run there, by `claim`, and again and again by `renewal` while it goes on;
 * - a background process, for as long as it lives.
 *
 * Who runs a script first writes down that the container is used and then looks whether it is about to end; who ends the
 * container does the opposite. So one of them always sees the other.
 */
export const leaseFolder = "/run/hermes";

/** For `sh -c`. */
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
    `  if [ -e used ] || ${hasBackground}; then rm -f used; idle=0; continue; fi`,
    `  idle=$((idle + ${tick})); [ $idle -lt ${seconds} ] && continue`,
    "  mkdir leaving",
    "  [ -e used ] || exit 0",
    "  rmdir leaving",
    "done",
  ].join("\n");
}

/** Before a script: it is run only when the container is there to stay. */
export function claim(holder: string): string {
  return `${use(holder)}; [ -d ${leaseFolder}/leaving ] && exit ${leavingCode}`;
}

/** Before a script in a terminal, just after a claim. */
export function use(holder: string): string {
  const [claims, holders] = [`${leaseFolder}/claims`, `${leaseFolder}/holders`];
  const files = [`${claims}/$$`, `${leaseFolder}/used`, `${holders}/${holder}`].map((file) => `true >${file}`);
  return `{ [ -d ${holders} ] || mkdir -p ${claims} ${holders}; ${files.join("; ")}; } 2>/dev/null`;
}

/**
 * For `sh -c` on this machine: runs the client in its arguments and renews the lease by the command in `$0` for as long as
 * the client is there. A terminal that is closed ends both.
 */
export function renewingClient(everyMs: number): string {
  const seconds = Math.max(1, Math.floor(everyMs / 1_000));
  return [
    `(trap 'kill $p; exit' TERM; while :; do sleep ${seconds} & p=$!; wait $p; eval "$0"; done) </dev/null >/dev/null 2>&1 &`,
    'renewer=$!; "$@"; code=$?; kill $renewer; exit $code',
  ].join("\n");
}

export const renewal = `true >${leaseFolder}/used`;

/** Exit code of a claim that came too late. */
export const leavingCode = 93;

/** Lets go of a container that is kept. */
export function release(holder: string): string {
  return `rm -f ${leaseFolder}/holders/${holder}`;
}

/** Lets go of the container. Exit code 0: nobody else uses it or will; it is to be removed now, else it ends by itself. */
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
