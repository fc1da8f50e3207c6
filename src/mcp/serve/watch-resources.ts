import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";

/** The subscriptions of one client. Disposing stops the checks. */
export interface ResourceWatch extends Disposable {
  /** Subscribes. Resolves when later changes will be noticed. */
  add(uri: string): Promise<void>;
  remove(uri: string): void;
}

interface ResourceWatchDeps {
  /** Returns a text that changes when the resource changes. A rejection counts as a different text. */
  version(uri: string, signal: AbortSignal): Promise<string>;
  changed(uri: string): void;
  readonly clock: Clock;
}

/** Checks the subscribed resources from time to time. Without subscriptions, nothing is checked. */
export function watchResources({ version, changed, clock }: ResourceWatchDeps): ResourceWatch {
  const marks = new Map<string, string>();
  const closing = new AbortController();
  let isRunning = false;
  const markOf = (uri: string) => version(uri, closing.signal).then(sha256, () => "");

  async function run(): Promise<void> {
    isRunning = true;
    while (marks.size > 0 && (await trySleep(pollMs, closing.signal, clock)))
      for (const [uri, before] of marks) {
        const mark = await markOf(uri);
        if (closing.signal.aborted || !marks.has(uri) || mark === before) continue;
        marks.set(uri, mark);
        changed(uri);
      }
    isRunning = false;
  }

  return {
    async add(uri) {
      if (marks.size >= maxSubscriptions) return;
      marks.set(uri, await markOf(uri));
      if (!isRunning) void run();
    },
    remove: (uri) => void marks.delete(uri),
    [Symbol.dispose]: () => closing.abort(new Error("the client disconnected")),
  };
}

const pollMs = 1_000;
const maxSubscriptions = 1_000;
