import type { Clock } from "../../base/clock.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { Link } from "./link.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { runScript } from "./run-script.ts";

/**
 * How the backend detects that this program has ended, even after `kill -9`, so that a foreground command does not
 * outlive it: the input of the script ends, or a lease of this many seconds is no longer renewed.
 */
export type WatchedBy = "input" | { readonly leaseSeconds: number };

export function watchedBy(link: Link, leaseMs: number): WatchedBy {
  return link.canHoldInput ? "input" : { leaseSeconds: Math.ceil(leaseMs / 1_000) };
}

/**
 * Shell code that starts the watcher `w` of the process group `g`. A shell gives a background command no standard
 * input, so the input is passed on another descriptor.
 */
export function watcherLines(machine: RemoteMachine, marker: string, by: WatchedBy): string {
  const end = `. ${quoteForShell(machine.tree)}; end_tree`;
  if (by === "input")
    return `exec 3<&0
  { while read -r a; do :; done; ${end}; } <&3 3<&- >/dev/null 2>&1 &
  w=$!
  exec 3<&-`;
  const lease = leaseFile(machine, marker);
  const pauseSeconds = Math.max(1, Math.min(5, Math.floor(by.leaseSeconds / 4)));
  return `{ n=0
    while [ $n -lt ${Math.ceil(by.leaseSeconds / pauseSeconds)} ]; do
      sleep ${pauseSeconds}; n=$((n + 1))
      if [ -e ${lease} ]; then rm -f ${lease}; n=0; fi
    done
    ${end}; } </dev/null >/dev/null 2>&1 &
  w=$!`;
}

/** Shell code that ends the watcher. */
export function endWatcherLines(machine: RemoteMachine, marker: string, by: WatchedBy): string {
  const end = "{ kill $w; wait $w; } 2>/dev/null";
  return by === "input"
    ? end
    : `${end}; if [ -e ${leaseFile(machine, marker)} ]; then rm -f ${leaseFile(machine, marker)}; fi`;
}

function leaseFile({ folder }: RemoteMachine, marker: string): string {
  return quoteForShell(`${folder}/lease-${marker}`);
}

/** Renews the lease of a command until it is disposed. */
export function renewLease(
  link: Link,
  machine: RemoteMachine,
  marker: string,
  { leaseMs, clock }: { readonly leaseMs: number; readonly clock: Clock },
): Disposable {
  const over = new AbortController();
  let timer: Disposable | undefined;
  function plan(): void {
    timer = clock.after(leaseMs / 4, () => {
      void runScript(link, `: >${leaseFile(machine, marker)}`, { signal: over.signal });
      plan();
    });
  }
  plan();
  return {
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      over.abort();
    },
  };
}

interface TerminalGuard extends Disposable {
  /** Resolves when the guard watches, or cannot start. A command that starts earlier could outlive this program. */
  readonly watching: Promise<void>;
}

/**
 * Watches a command in a terminal, whose own input does not end with this program: a second script waits for the end of
 * its own input and then kills the command, unless the record of the command was removed.
 */
export function guardTerminal(link: Link, machine: RemoteMachine, marker: string): TerminalGuard {
  const over = new AbortController();
  const started = Promise.withResolvers<void>();
  const record = quoteForShell(`${machine.folder}/tty-${marker}`);
  const script = `m=${marker}; g=-1; known=
echo watching
while read -r a; do :; done
{ read -r g; } <${record} || exit 0
. ${quoteForShell(machine.tree)}
end_tree
rm -f ${record}
exit 0`;
  const isOver = link.canHoldInput
    ? link.run(script, {
        signal: over.signal,
        holdsInput: true,
        onOutput() {
          started.resolve();
          return true;
        },
        resume: () => Promise.resolve(),
        onControl: () => undefined,
      })
    : Promise.resolve();
  void isOver.finally(() => started.resolve());
  return { watching: started.promise, [Symbol.dispose]: () => over.abort() };
}

/** The lease is long enough for a computer that sleeps for a while. */
export const defaultLeaseMs = 600_000;
