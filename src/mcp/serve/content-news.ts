import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { ServedContent } from "../../contracts/mcp/served.ts";
import type { Announce, ContentList } from "./served-client.ts";

/** Announces to a client that its prompts or resources differ from those that it listed. */
export interface ContentNews extends Disposable {
  /** The client has read this list of this content. Its changes are announced from now on. */
  listed(list: ContentList, content: readonly ServedContent[]): void;
}

export interface ContentNewsDeps {
  /** Reads the current content. If this fails, clients get no notification. */
  read(signal: AbortSignal): Promise<readonly ServedContent[]>;
  readonly announce: Announce;
  readonly clock: Clock;
}

/** Reads the content from time to time, because skills and rules are files that anyone can change. */
export function createContentNews({ read, announce, clock }: ContentNewsDeps): ContentNews {
  const listed = new Map<ContentList, string>();
  const closing = new AbortController();
  let isRunning = false;

  async function compare(): Promise<void> {
    const before = new Map(listed);
    const content = await read(closing.signal).catch(() => undefined);
    if (!content || closing.signal.aborted) return;
    for (const [list, digest] of before) {
      const now = digestOf(list, content);
      // The client may have listed it meanwhile.
      if (now === digest || listed.get(list) !== digest) continue;
      listed.set(list, now);
      announce[list]();
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (await trySleep(pollMs, closing.signal, clock)) if (announce.hasListener()) await compare();
  }

  return {
    listed(list, content) {
      listed.set(list, digestOf(list, content));
      if (!isRunning) void run();
    },
    [Symbol.dispose]: () => closing.abort(new Error("the client left")),
  };
}

/** A listing costs a few milliseconds. */
const pollMs = 3_000;

/** Only what the list shows: JSON leaves functions out. */
function digestOf(list: ContentList, content: readonly ServedContent[]): string {
  return sha256(JSON.stringify(content.map((each) => each[list] ?? [])));
}
